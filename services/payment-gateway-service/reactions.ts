import { on, type Reaction, type ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { fromJson, money } from '@ghasi/domain-primitives/money';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { FolioChargePosted, FolioOpened, FolioRefundPosted } from '@melmastoon/billing-service/contract';
import { AllocationCommitted } from '@melmastoon/inventory-service/contract';
import {
  BookingCancelled,
  BookingConfirmed,
  BookingHeld,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { ShiftClosed, ShiftOpened } from '@melmastoon/staff-service/contract';
import { askForBooking, createIntent, supersede } from './commands/create-intent.ts';
import { endBooking } from './commands/end-booking.ts';
import { requestRefund } from './commands/refund.ts';
import type { Payments } from './payments.ts';
import { type Booking, type BookingName, lockBooking, updateBooking } from './queries/bookings.ts';
import { saveShift } from './queries/drawers.ts';
import { lockAsked, lockIntentsOf, setFolio } from './queries/intents.ts';
import { note } from './queries/ledger.ts';

/** Cancels that say: this booking never was. What came for it goes back whole (SAGA-24, SAGA-25, X-119). */
const compensating: readonly string[] = ['hold_expired', 'payment_failed'];

/** What payment does when others' events arrive. Each finds its booking locked and ignores what is older (X-088). */
export function paymentReactions(payments: Payments): Reaction[] {
  return [
    on(BookingHeld, async (ctx, held, { metadata: { aggregateVersion } }) => {
      const booking = await lockBooking(ctx, held);
      if (aggregateVersion <= booking.version) return 'noop';
      const isPromise = held.payment.rail === 'cash_pending';
      const due = fromJson(isPromise ? held.payment.outstanding : held.dueNow);
      const isWhole = isPromise || held.dueNow.amount === held.total.gross.amount;
      const now = updateBooking(ctx, booking, {
        version: aggregateVersion,
        heldVersion: aggregateVersion,
        rail: held.payment.rail,
        purpose: isWhole ? 'booking' : 'deposit',
        due: due.minor,
        currency: due.currency,
        expiresAt: new Date(held.expiresAt),
        ended: null,
      });
      return events(await askForBooking(ctx, payments, now));
    }),
    on(AllocationCommitted, async (ctx, { reservationVersion, ...of }) => {
      const booking = await lockBooking(ctx, of);
      if (reservationVersion <= (booking.allocatedVersion ?? 0)) return 'noop';
      const now = updateBooking(ctx, booking, { allocatedVersion: reservationVersion });
      return events(await askForBooking(ctx, payments, now));
    }),
    on(BookingConfirmed, async (ctx, confirmed, { metadata: { aggregateVersion: version } }) => {
      const booking = await lockBooking(ctx, confirmed);
      if (version <= booking.version) return 'noop';
      // Also after an undo: a booking that was given up lives again (R18).
      updateBooking(ctx, booking, { version, ended: null });
    }),
    on(BookingCancelled, async (ctx, cancelled, { metadata: { aggregateVersion: version } }) => {
      const booking = await lockBooking(ctx, cancelled);
      if (version <= booking.version) return 'noop';
      const neverWas = compensating.includes(cancelled.reason);
      const refund = neverWas ? null : fromJson(cancelled.refund);
      const reason = neverWas ? 'late_capture' : 'cancellation';
      await endBooking(ctx, booking, { how: 'cancelled', version, refund, reason });
    }),
    on(BookingNoShow, async (ctx, missed, { metadata: { aggregateVersion: version } }) => {
      const booking = await lockBooking(ctx, missed);
      if (version <= booking.version) return 'noop';
      const refund = fromJson(missed.refund);
      await endBooking(ctx, booking, { how: 'no_show', version, refund, reason: 'cancellation' });
    }),
    on(FolioOpened, async (ctx, opened, { metadata: { aggregateVersion } }) => {
      await rememberFolio(ctx, opened, aggregateVersion);
    }),
    on(FolioChargePosted, async (ctx, posted, { metadata: { aggregateVersion } }) => {
      const booking = await rememberFolio(ctx, posted, aggregateVersion);
      if (posted.source.kind !== 'date_change') return 'noop';
      return askForDelta(ctx, payments, { booking, posted });
    }),
    on(FolioRefundPosted, async (ctx, posted, { metadata: { aggregateVersion } }) => {
      const booking = await rememberFolio(ctx, posted, aggregateVersion);
      // Only billing decides that a shorter stay costs less; other refunds began here.
      if (posted.reason !== 'date_change') return 'noop';
      return giveBackDelta(ctx, { booking, posted });
    }),
    on(ShiftOpened, (ctx, shift) => rememberShift(ctx, { ...shift, closed: false })),
    on(ShiftClosed, (ctx, shift) => rememberShift(ctx, { ...shift, closed: true })),
  ] as Reaction[];
}

function events(made: readonly unknown[]): readonly PendingEvent[] {
  return made as readonly PendingEvent[];
}

type Folio = BookingName & { readonly folioId: Parameters<typeof idToUuid<'fol'>>[0] };

async function rememberFolio(ctx: Ctx, folio: Folio, version: number): Promise<Booking> {
  const booking = await lockBooking(ctx, folio);
  const folioId = idToUuid(folio.folioId);
  if (booking.folioId !== folioId) setFolio(ctx, booking.reservationId, folioId);
  const folioVersion = Math.max(version, booking.folioVersion);
  return updateBooking(ctx, booking, { folioId, folioVersion });
}

type ChargePosted = ReturnType<typeof FolioChargePosted.from>['payload'] & { lineId: string };
type Delta = { readonly booking: Booking; readonly posted: ChargePosted };

/** asks for what the new dates cost more, by the rail of the booking; a delta that is still open is added in. */
async function askForDelta(
  ctx: Ctx,
  payments: Payments,
  { booking, posted }: Delta,
): Promise<ReactionResult> {
  const { gross } = posted.amount;
  const owed = fromJson(posted.balance);
  const cost = fromJson(gross);
  const extra = owed.minor < cost.minor ? owed.minor : cost.minor;
  if (extra <= 0n || booking.ended !== null || booking.rail === null) return 'noop';
  const { reservationId } = booking;
  const purpose = 'date_change';
  const { same, open } = await lockAsked(ctx.tx, { reservationId, purpose, cause: posted.lineId });
  if (same !== undefined) return 'noop';
  await supersede(ctx, open);
  const rail = booking.rail === 'cash' ? 'cash_pending' : booking.rail;
  const made = await createIntent(ctx, payments, {
    booking,
    purpose,
    rail,
    amount: money(extra + (open?.amount ?? 0n), cost.currency),
    cause: posted.lineId,
    expiresAt: null,
  });
  return events(made.events);
}

type RefundPosted = ReturnType<typeof FolioRefundPosted.from>['payload'];

async function giveBackDelta(
  ctx: Ctx,
  { booking, posted }: { booking: Booking; posted: RefundPosted },
): Promise<ReactionResult> {
  const intents = await lockIntentsOf(ctx.tx, booking.reservationId);
  const paid = intents.find(one => one.id === idToUuid(posted.paymentId) && one.status === 'captured');
  const amount = fromJson(posted.amount);
  const free = paid === undefined || paid.currency !== amount.currency ? 0n : paid.captured - paid.refunded;
  if (paid === undefined || free < amount.minor) {
    note(ctx, {
      entry: 'refund.beyond_captures',
      reservationId: booking.reservationId,
      detail: { refundId: posted.refundId, amount: String(amount.minor), free: String(free) },
    });
    return;
  }
  const { refundId, reason } = posted;
  await requestRefund(ctx, paid, { amount: amount.minor, reason, refundId, cause: refundId });
}

type ShiftFacts = Omit<ReturnType<typeof ShiftOpened.from>['payload'], 'deviceId' | 'plannedUntil'>;

async function rememberShift(
  { tx, tenantId }: Ctx,
  { shiftId, propertyId, operatorId, businessDate, closed }: ShiftFacts & { closed: boolean },
): Promise<void> {
  await saveShift(tx, {
    tenantId,
    shiftId: idToUuid(shiftId),
    propertyId: idToUuid(propertyId),
    operatorId: idToUuid(operatorId),
    businessDate,
    closed,
  });
}
