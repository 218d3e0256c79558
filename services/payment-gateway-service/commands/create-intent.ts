import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type Money, money, toJson } from '@ghasi/domain-primitives/money';
import { enqueue } from '@ghasi/jobs/enqueue';
import { IntentCaptured, IntentCreated, IntentFailed } from '../contract.ts';
import { assertNext, isOpen, isPayable, isProviderRail, type Purpose, type Rail } from '../model.ts';
import type { Payments } from '../payments.ts';
import type { Booking } from '../queries/bookings.ts';
import {
  headOf,
  type Intent,
  insertIntent,
  lockAsked,
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
  const created: Intent = {
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
    ...{ providerReference: null, redirectUrl: null, failureReason: null, providerCode: null },
    ...{ captured: 0n, refunded: 0n },
    expiresAt,
    nextCheckAt: isRemote ? ctx.now : null,
    ...{ checks: 0, version: 1, createdAt: ctx.now, updatedAt: ctx.now },
  };
  const event = IntentCreated.from(
    { ...headOf(created), rail, amount: toJson(amount), expiresAt: expiresAt?.toISOString() ?? null },
    { aggregateVersion: created.version },
  );
  const { intent, events } = isRemote || rail === 'cash' ? { intent: created, events: [] } : settled(created);
  insertIntent(ctx, intent);
  if (isRemote) {
    const paymentId = paymentIdOf(intent);
    await enqueue(ctx, checkPayment, { paymentId }, { key: paymentId, isNewKey: true });
  }
  return { intent, events: [event, ...events] };
}

/** Nobody has to be asked: it is settled before it is written down for the first time. */
function settled(created: Intent): Done {
  return created.rail === 'cash_pending' ? promise(created) : notOffered(created);
}

/** settled as a promise; `due` instead of `amount`, so that nobody books it. */
function promise(created: Intent): Done {
  assertNext(created.status, 'promised');
  const promised: Intent = { ...created, status: 'promised', version: created.version + 1 };
  const due = toJson(money(promised.amount, promised.currency));
  const event = IntentCaptured.from(
    { ...headOf(promised), rail: 'cash_pending', due, holdUntil: null },
    { aggregateVersion: promised.version },
  );
  return { intent: promised, events: [event] };
}

/** Nobody here takes this rail: it fails at once, so that the saga does not wait for its deadline. */
function notOffered(created: Intent): Done {
  const why = { failureReason: 'gateway_error', providerCode: 'RAIL_NOT_OFFERED' } as const;
  const failed: Intent = { ...created, ...why, status: 'failed', version: created.version + 1 };
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
export async function askForBooking(
  ctx: Ctx,
  payments: Payments,
  booking: Booking,
): Promise<readonly unknown[]> {
  if (!isPayable(booking)) return [];
  const { rail, purpose, due, currency, heldVersion, expiresAt } = booking;
  if (rail === null || purpose === null || due === null || currency === null) return [];
  const cause = `${booking.reservationId}:held:${heldVersion}`;
  const { same, open } = await lockAsked(ctx.tx, { reservationId: booking.reservationId, purpose, cause });
  if (same !== undefined) return [];
  if (due === 0n) {
    note(ctx, { entry: 'nothing.due', reservationId: booking.reservationId, detail: { cause } });
    return [];
  }
  await supersede(ctx, open);
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
  return made.events;
}

/**
 * Closes the open intent of a purpose, if there is one, so that another can take its place (R24). If the guest pays the
 * old one all the same, the money goes back.
 */
export async function supersede(ctx: Ctx, open: Intent | undefined): Promise<void> {
  if (open !== undefined) await closeIntent(ctx, open);
}

/** Takes an open intent back. A provider that has heard of it is told by a job, until it has answered. */
export async function closeIntent(ctx: Ctx, intent: Intent): Promise<Intent> {
  if (!isOpen(intent.status)) return intent;
  const nextCheckAt = isProviderRail(intent.rail) ? ctx.now : null;
  const closed = updateIntent(ctx, intent, { status: 'cancelled', nextCheckAt });
  const paymentId = paymentIdOf(intent);
  if (nextCheckAt !== null) await enqueue(ctx, checkPayment, { paymentId }, { key: paymentId });
  return closed;
}
