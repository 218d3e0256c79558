import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type Money, money, toJson } from '@ghasi/domain-primitives/money';
import { enqueue } from '@ghasi/jobs/enqueue';
import { IntentCaptured, IntentCreated, IntentFailed } from '../contract.ts';
import { assertNext, isOpen, isPayable, isProviderRail, type Purpose, type Rail } from '../model.ts';
import type { Payments } from '../payments.ts';
import type { Booking } from '../queries/bookings.ts';
import {
  findByCause,
  headOf,
  type Intent,
  insertIntent,
  lockOpen,
  paymentIdOf,
  updateIntent,
} from '../queries/intents.ts';
import { note } from '../queries/ledger.ts';
import { checkPayment } from '../tasks.ts';

/** What is to be paid, for a booking that is locked. `cause` makes the same fact ask once. */
export type Wanted = {
  readonly booking: Booking;
  readonly purpose: Purpose;
  readonly rail: Rail;
  readonly amount: Money;
  readonly cause: string | null;
  readonly expiresAt: Date | null;
};

/** What a use case did: the row as it is now, and what others should know. */
export type Done = { readonly intent: Intent; readonly events: readonly unknown[] };

/**
 * Makes an intent. A promise of cash is settled at once; a provider is called by a job, after this has committed, so
 * that a webhook always finds its intent.
 */
export async function createIntent(ctx: Ctx, payments: Payments, wanted: Wanted): Promise<Done> {
  const { booking, purpose, rail, amount, cause, expiresAt } = wanted;
  const gateway = payments.gatewayOf(rail);
  const isRemote = isProviderRail(rail) && gateway !== undefined;
  const intent = await insertIntent(ctx.tx, {
    tenantId: ctx.tenantId,
    id: idToUuid(ctx.newId('pay')),
    reservationId: booking.reservationId,
    propertyId: booking.propertyId,
    folioId: booking.folioId,
    purpose,
    cause,
    rail,
    provider: isProviderRail(rail) ? (gateway?.provider ?? 'none') : null,
    amount: amount.minor,
    currency: amount.currency,
    status: 'created',
    expiresAt,
    nextCheckAt: isRemote ? ctx.now : null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  const created = IntentCreated.from(
    { ...headOf(intent), rail, amount: toJson(amount), expiresAt: expiresAt?.toISOString() ?? null },
    { aggregateVersion: intent.version },
  );
  if (isRemote) {
    const paymentId = paymentIdOf(intent);
    await enqueue(ctx, checkPayment, { paymentId }, { key: paymentId });
    return { intent, events: [created] };
  }
  if (rail === 'cash') return { intent, events: [created] };
  const settled = rail === 'cash_pending' ? await promise(ctx, intent) : await notOffered(ctx, intent);
  return { intent: settled.intent, events: [created, ...settled.events] };
}

/** settled as a promise; `due` instead of `amount`, so that nobody books it. */
async function promise(ctx: Ctx, intent: Intent): Promise<Done> {
  assertNext(intent.status, 'promised');
  const promised = await updateIntent(ctx, intent, { status: 'promised' });
  const due = toJson(money(promised.amount, promised.currency));
  const event = IntentCaptured.from(
    { ...headOf(promised), rail: 'cash_pending', due, holdUntil: null },
    { aggregateVersion: promised.version },
  );
  return { intent: promised, events: [event] };
}

/** Nobody here takes this rail: it fails at once, so that the saga does not wait for its deadline. */
async function notOffered(ctx: Ctx, intent: Intent): Promise<Done> {
  const providerCode = 'RAIL_NOT_OFFERED';
  const failed = await updateIntent(ctx, intent, {
    status: 'failed',
    failureReason: 'gateway_error',
    providerCode,
  });
  return { intent: failed, events: [failedEvent(failed)] };
}

/** The event of an intent that failed. */
export function failedEvent(intent: Intent) {
  if (!isProviderRail(intent.rail) || intent.failureReason === null)
    throw new Error(`payment ${intent.id} is ${intent.status} by ${intent.rail}: it cannot have failed`);
  return IntentFailed.from(
    {
      ...headOf(intent),
      rail: intent.rail,
      amount: toJson(money(intent.amount, intent.currency)),
      reason: intent.failureReason,
      provider: intent.provider ?? 'none',
      providerCode: intent.providerCode,
    },
    { aggregateVersion: intent.version },
  );
}

/** SAGA-17: once hold and allocation were both seen, asks for what is due now; the same hold asks once. */
export async function askForBooking(ctx: Ctx, payments: Payments, booking: Booking): Promise<unknown[]> {
  if (!isPayable(booking)) return [];
  const { rail, purpose, due, currency, heldVersion, expiresAt } = booking;
  if (rail === null || purpose === null || due === null || currency === null) return [];
  const cause = `${booking.reservationId}:held:${heldVersion}`;
  if (await findByCause(ctx.tx, cause)) return [];
  if (due === 0n) {
    await note(ctx, { entry: 'nothing.due', reservationId: booking.reservationId, detail: { cause } });
    return [];
  }
  const replaced = await supersede(ctx, booking, purpose);
  const amount = money(due, currency);
  const limit = rail === 'cash_pending' ? null : expiresAt;
  const made = await createIntent(ctx, payments, {
    booking,
    purpose,
    rail,
    amount,
    cause,
    expiresAt: limit,
  });
  return [...replaced.events, ...made.events];
}

/**
 * Closes the open intent of a purpose so that another can take its place (R24). If the guest pays the old one all the
 * same, the money goes back.
 */
export async function supersede(
  ctx: Ctx,
  { reservationId }: Booking,
  purpose: Purpose,
): Promise<{ left: bigint; events: unknown[] }> {
  const open = await lockOpen(ctx.tx, { reservationId, purpose });
  if (open === undefined) return { left: 0n, events: [] };
  await closeIntent(ctx, open);
  return { left: open.amount, events: [] };
}

/** Takes an open intent back. A provider that has heard of it is told by a job, until it has answered. */
export async function closeIntent(ctx: Ctx, intent: Intent): Promise<Intent> {
  if (!isOpen(intent.status)) return intent;
  const nextCheckAt = isProviderRail(intent.rail) ? ctx.now : null;
  const closed = await updateIntent(ctx, intent, { status: 'cancelled', nextCheckAt });
  const paymentId = paymentIdOf(intent);
  if (nextCheckAt !== null) await enqueue(ctx, checkPayment, { paymentId }, { key: paymentId });
  return closed;
}
