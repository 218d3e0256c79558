import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import { enqueue } from '@ghasi/jobs/enqueue';
import { accounts } from '../cash.ts';
import { IntentRefunded } from '../contract.ts';
import { errors } from '../errors.ts';
import type { RefundStanding } from '../gateway.ts';
import { askAgainAt, assertRefundable, isProviderRail, type RefundReason } from '../model.ts';
import { headOf, type Intent, lockIntent, updateIntent } from '../queries/intents.ts';
import { note, post } from '../queries/ledger.ts';
import { insertRefund, listRefunds, lockRefund, type Refund, updateRefund } from '../queries/refunds.ts';
import { checkRefund } from '../tasks.ts';

/** What goes back. `refundId` when somebody else gave it its id already. */
export type RefundRequest = {
  readonly amount: bigint;
  readonly reason: RefundReason;
  readonly cause: string;
  readonly refundId?: Id<'rfd'>;
};

/** Its id as others see it. */
export const refundIdOf = ({ id }: Pick<Refund, 'id'>): Id<'rfd'> => idFromUuid('rfd', id);

/**
 * Sets money of a captured payment aside to be given back; the payment is locked. The same cause sets aside once. What
 * is set aside counts as given, so a hundred requests at once never exceed the capture (R22).
 */
export async function requestRefund(
  ctx: Ctx,
  intent: Intent,
  { amount, reason, cause, refundId = ctx.newId('rfd') }: RefundRequest,
): Promise<{ intent: Intent; refund: Refund | undefined }> {
  assertRefundable(intent, money(amount, intent.currency));
  const isRemote = isProviderRail(intent.rail);
  const refund = await insertRefund(ctx.tx, {
    tenantId: ctx.tenantId,
    id: idToUuid(refundId),
    paymentId: intent.id,
    amount,
    currency: intent.currency,
    reason,
    cause,
    status: isRemote ? 'requested' : 'at_desk',
    nextCheckAt: isRemote ? ctx.now : null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  if (refund === undefined) return { intent, refund };
  const reserved = updateIntent(ctx, intent, { refunded: intent.refunded + amount });
  if (isRemote) await enqueue(ctx, checkRefund, { refundId }, { key: refundId });
  return { intent: reserved, refund };
}

/** Both rows, locked in the order of all who take both. */
export async function lockBoth(
  { tx }: Pick<Ctx, 'tx'>,
  { refundId, paymentId }: { refundId: Id<'rfd'>; paymentId: string },
): Promise<{ intent: Intent; refund: Refund }> {
  const intent = await lockIntent(tx, idFromUuid('pay', paymentId));
  return { intent, refund: await lockRefund(tx, refundId) };
}

/** Takes in what a provider says about a refund; one that is done stays done. `lease`: as for a payment. */
export async function applyRefundStanding(
  ctx: Ctx,
  of: { refundId: Id<'rfd'>; paymentId: string },
  said: RefundStanding,
  lease: Date,
): Promise<{ refund: Refund; events: unknown[] }> {
  const { intent, refund } = await lockBoth(ctx, of);
  if (refund.status !== 'requested' && refund.status !== 'unknown') return { refund, events: [] };
  if (said.state === 'completed') return completeRefund(ctx, { intent, refund, reference: said.reference });
  if (said.state === 'failed') return failRefund(ctx, { intent, refund, providerCode: said.providerCode });
  const nextCheckAt = askAgainAt(refund, { lease, now: ctx.now });
  // `requested` sends it again with the same key; a pending one is asked about.
  const status = said.state === 'absent' ? 'requested' : 'unknown';
  return { refund: updateRefund(ctx, refund, { status, nextCheckAt }), events: [] };
}

/** The money is back with the guest: one line, one event. */
export async function completeRefund(
  ctx: Ctx,
  { intent, refund, reference }: { intent: Intent; refund: Refund; reference: string | null },
): Promise<{ refund: Refund; events: unknown[] }> {
  const isRemote = isProviderRail(intent.rail);
  await post(ctx, {
    kind: 'refund',
    fromAccount: isRemote ? accounts.provider(intent.provider ?? 'none') : accounts.till,
    toAccount: accounts.guest,
    amount: refund.amount,
    currency: refund.currency,
    propertyId: intent.propertyId,
    reservationId: intent.reservationId,
    paymentId: intent.id,
    refundId: refund.id,
    provider: intent.provider,
    providerReference: reference,
    reason: refund.reason,
  });
  const change = { status: 'completed', providerReference: reference, nextCheckAt: null } as const;
  const completed = updateRefund(ctx, refund, change);
  const told = updateIntent(ctx, intent, {});
  // Only what has arrived: what is still set aside may yet fail.
  const arrived = (await listRefunds(ctx.tx, intent.id)).filter(one => one.status === 'completed');
  const total = arrived.reduce((sum, one) => sum + one.amount, 0n);
  const event = IntentRefunded.from(
    {
      ...headOf(told),
      refundId: refundIdOf(refund),
      rail: isProviderRail(intent.rail) ? intent.rail : 'cash',
      amount: toJson(money(refund.amount, refund.currency)),
      refundedTotal: toJson(money(total, intent.currency)),
      captured: toJson(money(intent.captured, intent.currency)),
      reason: refund.reason,
      providerReference: reference,
    },
    { aggregateVersion: told.version },
  );
  return { refund: completed, events: [event] };
}

/** SAGA-34: nothing is un-cancelled; what was set aside is free again, and finance hears of it. */
async function failRefund(
  ctx: Ctx,
  { intent, refund, providerCode }: { intent: Intent; refund: Refund; providerCode: string | null },
): Promise<{ refund: Refund; events: unknown[] }> {
  const failed = updateRefund(ctx, refund, { status: 'failed', providerCode, nextCheckAt: null });
  updateIntent(ctx, intent, { refunded: intent.refunded - refund.amount });
  note(ctx, {
    entry: 'refund.failed',
    reservationId: intent.reservationId,
    paymentId: intent.id,
    detail: { refundId: refundIdOf(refund), amount: String(refund.amount), providerCode },
  });
  ctx.log.error({ refundId: refundIdOf(refund), providerCode }, 'a refund failed: finance must look at it');
  return { refund: failed, events: [] };
}

/** Sends a refund that failed once more, with a new id: the provider has settled the old one. */
export async function retryRefund(ctx: Ctx, of: { refundId: Id<'rfd'>; paymentId: string }): Promise<Refund> {
  const { intent, refund } = await lockBoth(ctx, of);
  if (refund.status !== 'failed') throw errors.REFUND_NOT_FAILED();
  const { amount, reason } = refund;
  const { refund: again } = await requestRefund(ctx, intent, {
    amount,
    reason,
    cause: `retry:${refund.id}`,
  });
  if (again === undefined) throw errors.REFUND_NOT_FAILED();
  return again;
}
