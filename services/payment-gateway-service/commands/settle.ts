import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import { accounts } from '../cash.ts';
import { IntentCaptured } from '../contract.ts';
import { askAgainAt, assertNext, isProviderRail, type Standing, settle } from '../model.ts';
import { findBooking } from '../queries/bookings.ts';
import { amountOf, headOf, type Intent, lockIntent, updateIntent } from '../queries/intents.ts';
import { note, post } from '../queries/ledger.ts';
import { type Done, failedEvent } from './create-intent.ts';
import { requestRefund } from './refund.ts';

/**
 * Takes in what a provider says about a payment, from wherever it came: webhook, browser or inquiry. They meet at the
 * intent's lock and the ledger's unique keys; the first one books, the others find it done (R24). `lease`: until when
 * whoever asked had the intent.
 */
export async function applyStanding(
  ctx: Ctx,
  paymentId: Id<'pay'>,
  said: Standing,
  lease?: Date,
): Promise<Done> {
  const intent = await lockIntent(ctx.tx, paymentId);
  // After the lock: a cancellation that committed while we waited is seen.
  const booking = await findBooking(ctx.tx, intent.reservationId);
  const unwanted = (booking?.ended ?? null) !== null;
  const outcome = settle({ status: intent.status, amount: amountOf(intent), unwanted }, said);
  switch (outcome.kind) {
    case 'unchanged':
      return { intent: await askAgain(ctx, intent, lease), events: [] };
    case 'pending': {
      const status = 'pending' as const;
      const redirectUrl = outcome.redirectUrl ?? intent.redirectUrl;
      if (intent.status !== status) assertNext(intent.status, status);
      const nextCheckAt = askAgainAt(intent, { lease, now: ctx.now });
      return { intent: updateIntent(ctx, intent, { status, redirectUrl, nextCheckAt }), events: [] };
    }
    case 'closed':
      return { intent: updateIntent(ctx, intent, { nextCheckAt: null }), events: [] };
    case 'mismatch':
      note(ctx, {
        entry: 'capture.mismatch',
        reservationId: intent.reservationId,
        paymentId: intent.id,
        detail: {
          expected: toJson(amountOf(intent)),
          said: toJson(outcome.said),
          reference: outcome.reference,
        },
      });
      return { intent: updateIntent(ctx, intent, { nextCheckAt: null }), events: [] };
    case 'failed':
      return fail(ctx, intent, outcome);
    case 'captured':
      return capture(ctx, intent, outcome);
  }
}

/** Still open, and nothing new: the next question has a date. */
async function askAgain(ctx: Ctx, intent: Intent, lease: Date | undefined): Promise<Intent> {
  if (intent.nextCheckAt === null || intent.status === 'captured') return intent;
  return updateIntent(ctx, intent, { nextCheckAt: askAgainAt(intent, { lease, now: ctx.now }) });
}

async function fail(
  ctx: Ctx,
  intent: Intent,
  { reason, providerCode }: { reason: NonNullable<Intent['failureReason']>; providerCode: string | null },
): Promise<Done> {
  assertNext(intent.status, 'failed');
  const over = intent.expiresAt !== null && intent.expiresAt <= ctx.now;
  const failureReason = reason === 'abandoned' && over ? 'expired' : reason;
  const change = { status: 'failed', failureReason, providerCode, nextCheckAt: null } as const;
  const failed = updateIntent(ctx, intent, change);
  return { intent: failed, events: [failedEvent(failed)] };
}

async function capture(
  ctx: Ctx,
  intent: Intent,
  { reference, late }: { reference: string; late: boolean },
): Promise<Done> {
  if (!isProviderRail(intent.rail) || intent.provider === null)
    throw new Error(`payment ${intent.id} is paid by ${intent.rail}: no provider can have captured it`);
  assertNext(intent.status, 'captured');
  const booked = await post(ctx, {
    kind: 'capture',
    fromAccount: accounts.guest,
    toAccount: accounts.provider(intent.provider),
    amount: intent.amount,
    currency: intent.currency,
    propertyId: intent.propertyId,
    reservationId: intent.reservationId,
    paymentId: intent.id,
    provider: intent.provider,
    providerReference: reference,
  });
  // Another payment has this reference: the provider speaks of money that is booked already.
  if (!booked) return { intent, events: [] };
  const captured = updateIntent(ctx, intent, {
    status: 'captured',
    captured: intent.amount,
    providerReference: reference,
    failureReason: null,
    nextCheckAt: null,
  });
  const event = IntentCaptured.from(
    {
      ...headOf(captured),
      rail: intent.rail,
      amount: toJson(money(captured.captured, captured.currency)),
      provider: intent.provider,
      providerReference: reference,
    },
    { aggregateVersion: captured.version },
  );
  if (!late) return { intent: captured, events: [event] };
  note(ctx, {
    entry: 'capture.late',
    reservationId: intent.reservationId,
    paymentId: intent.id,
    detail: { was: intent.status, amount: toJson(amountOf(intent)) },
  });
  const refunded = await requestRefund(ctx, captured, {
    amount: captured.captured,
    reason: 'late_capture',
    cause: 'late_capture',
  });
  return { intent: refunded.intent, events: [event] };
}
