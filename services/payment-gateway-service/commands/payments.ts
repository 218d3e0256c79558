import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { fromJson, type Money } from '@ghasi/domain-primitives/money';
import { errors } from '../errors.ts';
import { assertNext, found, isOpen, type Purpose, type Rail, type RefundReason } from '../model.ts';
import type { Payments } from '../payments.ts';
import { type Booking, lockKnownBooking } from '../queries/bookings.ts';
import { type Intent, lockAsked, lockIntent, lockOpen, paymentIdOf } from '../queries/intents.ts';
import type { Refund } from '../queries/refunds.ts';
import { closeIntent, createIntent, supersede } from './create-intent.ts';
import { requestRefund } from './refund.ts';

/** What somebody asks for. */
export type Asked = {
  readonly reservationId: Id<'rsv'>;
  readonly purpose: Purpose;
  readonly rail: Rail;
  readonly amount: { readonly amount: string; readonly currency: string };
};

/** Asks a guest for money by hand. One that is open for the same purpose is named, not doubled (R24). */
export async function startPayment(ctx: Ctx, payments: Payments, asked: Asked): Promise<Accepted<Intent>> {
  const booking = await lockKnownBooking(ctx.tx, asked.reservationId);
  if (booking === undefined) throw errors.BOOKING_UNKNOWN();
  if (booking.ended !== null) throw errors.BOOKING_ENDED();
  if (payments.gatewayOf(asked.rail) === undefined) throw errors.RAIL_NOT_OFFERED({ rail: asked.rail });
  const open = await lockOpen(ctx.tx, { ...asked, reservationId: booking.reservationId });
  if (open !== undefined) throw errors.INTENT_OPEN({ paymentId: paymentIdOf(open) });
  const made = await createIntent(ctx, payments, wantedOf(booking, asked, null));
  return accepted(made.intent, made.events);
}

/** The same for another service: the same key asks once, and another amount takes the place of what is open. */
export async function collectPayment(
  ctx: Ctx,
  payments: Payments,
  { key, ...asked }: Asked & { key: string },
): Promise<Accepted<Intent | undefined>> {
  const booking = await lockKnownBooking(ctx.tx, asked.reservationId);
  if (booking === undefined || booking.ended !== null) return accepted(undefined, []);
  if (payments.gatewayOf(asked.rail) === undefined) return accepted(undefined, []);
  const cause = `collect:${key}`;
  const { reservationId } = booking;
  const { same, open } = await lockAsked(ctx.tx, { reservationId, purpose: asked.purpose, cause });
  if (same !== undefined) return accepted(same, []);
  await supersede(ctx, open);
  const made = await createIntent(ctx, payments, wantedOf(booking, asked, cause));
  return accepted(made.intent, made.events);
}

function wantedOf(booking: Booking, { purpose, rail, amount }: Asked, cause: string | null) {
  return { booking, purpose, rail, amount: fromJson(amount), cause, expiresAt: null };
}

/** Takes a payment back that nobody has made. */
export async function cancelPayment(ctx: Ctx, paymentId: Id<'pay'>): Promise<Intent> {
  const intent = await lockIntent(ctx.tx, paymentId);
  if (intent.status === 'cancelled') return intent;
  if (!isOpen(intent.status)) assertNext(intent.status, 'cancelled');
  return closeIntent(ctx, intent);
}

/** Gives money back by hand; a repetition is caught by the request's own key, so every call is a refund of its own. */
export async function refundPayment(
  ctx: Ctx,
  { paymentId, amount, reason }: { paymentId: Id<'pay'>; amount: Money; reason: RefundReason },
): Promise<Refund> {
  const intent = await lockIntent(ctx.tx, paymentId);
  if (amount.currency !== intent.currency) throw errors.CURRENCY_DIFFERS({ currency: intent.currency });
  const refundId = ctx.newId('rfd');
  const cause = `by_hand:${idToUuid(refundId)}`;
  const { refund } = await requestRefund(ctx, intent, { amount: amount.minor, reason, cause, refundId });
  return found(refund, 'Refund');
}
