import { on, type Reaction } from '@ghasi/backbone/reaction';
import { isAccepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { AllocationCommitted, OversellBlocked } from '@melmastoon/inventory-service/contract';
import { CashReconciled, IntentCaptured, IntentFailed } from '@melmastoon/payment-gateway-service/contract';
import { endBooking, locked } from '../commands.ts';
import * as events from '../events.ts';
import {
  after,
  allocated,
  type Capture,
  cashArrived,
  confirm,
  mayBecome,
  type Reservation,
} from '../model.ts';
import { endSaga, type OpenSaga, saveReservation, stepSaga } from '../queries.ts';
import { startCheckIn } from './check-in.ts';
import { datesRefused } from './date-change.ts';

/**
 * SAGA-09: held → allocated → paid → confirmed. Every step locks the booking and looks at its state, so that a signal
 * that comes twice, late or out of turn changes nothing; deadlines are rows that `sweepDeadlines` works off.
 */
export const bookingSaga: readonly Reaction[] = [
  on(AllocationCommitted, async (ctx, { reservationId, allocationId }) => {
    const booking = await locked(ctx, reservationId);
    // late. Inventory hears of the cancellation after this and lets the rooms go.
    if (booking.status !== 'held' || booking.allocationId !== null) return 'noop';
    const withRooms = allocated(booking, allocationId);
    saveReservation(ctx, withRooms);
    const capture = withRooms.early ?? nothingDue(withRooms);
    if (capture !== undefined) return settle(ctx, withRooms, capture);
    const deadlineAt = new Date(withRooms.expiresAt as string);
    await stepSaga(ctx, sagaOf(booking), { waitsFor: 'payment', deadlineAt });
    return undefined;
  }),

  on(OversellBlocked, async (ctx, { reservationId, step }) => {
    const booking = await locked(ctx, reservationId);
    if (step === 'date_change') return datesRefused(ctx, booking);
    if (step === 'confirm' && mayBecome(booking.status, 'cancelled')) return roomsWereGone(ctx, booking);
    if (booking.status !== 'held') return 'noop';
    return eventsOf(await endBooking(ctx, booking, { reason: 'hold_expired', deadlineKind: null }));
  }),

  on(IntentCaptured, async (ctx, payload) => {
    const booking = await locked(ctx, payload.reservationId);
    if (payload.purpose !== 'booking' && payload.purpose !== 'deposit') {
      if (payload.rail === 'cash_pending') return 'noop'; // a promise
      saveReservation(ctx, cashArrived(booking, payload.amount as Reservation['dueNow']));
      return undefined;
    }
    // a capture after the end is refunded by payment, which heard of the end as well.
    if (booking.status !== 'held') return 'noop';
    const capture: Capture =
      payload.rail === 'cash_pending'
        ? { rail: payload.rail, paymentId: payload.paymentId, keptUntil: payload.holdUntil }
        : {
            rail: payload.rail,
            paymentId: payload.paymentId,
            amount: payload.amount as Reservation['dueNow'],
          };
    if (booking.allocationId !== null) return settle(ctx, booking, capture);
    saveReservation(ctx, after(booking, { early: capture }));
    return undefined;
  }),

  on(IntentFailed, async (ctx, { reservationId, purpose }) => {
    if (purpose !== 'booking' && purpose !== 'deposit') return 'noop';
    const booking = await locked(ctx, reservationId);
    if (booking.status !== 'held') return 'noop';
    return eventsOf(await endBooking(ctx, booking, { reason: 'payment_failed', deadlineKind: null }));
  }),

  on(CashReconciled, async (ctx, { reservationId, received }) => {
    const booking = await locked(ctx, reservationId);
    saveReservation(ctx, cashArrived(booking, received as Reservation['dueNow']));
    return undefined;
  }),
] as readonly Reaction[];

/** What happens to a booking saga whose time is over: the hold ends, and says which of its two deadlines it was. */
export async function endOverdueHold(ctx: Ctx, saga: OpenSaga): Promise<readonly PendingEvent[]> {
  const booking = await locked(ctx, saga.reservationId);
  if (booking.status !== 'held') return []; // decided meanwhile, by whoever had the lock before us
  const deadlineKind = booking.allocationId === null ? 'allocation' : 'payment';
  return eventsOf(await endBooking(ctx, booking, { reason: 'hold_expired', deadlineKind }));
}

/** R10: paid at the last moment, when inventory had already let the rooms go and sold them: everything is given back. */
async function roomsWereGone(ctx: Ctx, booking: Reservation): Promise<readonly PendingEvent[]> {
  const { paid } = booking.payment;
  const terms = { fee: { ...paid, amount: '0' }, refund: paid };
  return eventsOf(await endBooking(ctx, booking, { reason: 'hold_expired', deadlineKind: 'payment', terms }));
}

/** Where nothing is due now, payment is not asked: the rooms are enough. */
function nothingDue({ payment, dueNow }: Reservation): Capture | undefined {
  const { rail } = payment;
  return rail === 'cash_pending' || dueNow.amount !== '0'
    ? undefined
    : { rail, paymentId: null, amount: dueNow };
}

/** Rooms and money are there. */
async function settle(ctx: Ctx, booking: Reservation, capture: Capture): Promise<PendingEvent[]> {
  const settled = confirm(booking, capture);
  saveReservation(ctx, settled);
  endSaga(ctx, sagaOf(booking), 'success');
  const { id, arrivesOn: businessDate } = settled;
  if (businessDate == null) return [events.confirmed(settled)];
  const desk = await startCheckIn(ctx, { id, businessDate }); // a walk-in stands there
  return [events.confirmed(settled), ...eventsOf(desk)];
}

function sagaOf({ id }: Reservation) {
  return { reservationId: id, kind: 'booking' } as const;
}

function eventsOf(result: unknown): readonly PendingEvent[] {
  return isAccepted(result) ? (result.events as readonly PendingEvent[]) : [];
}
