import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { dateChangeReasons } from './contract/booking-parts.ts';
import { BookingCancelled, BookingConfirmed, BookingDatesChanged, BookingHeld } from './contract.ts';
import type { Ending, PricedRoom, Reservation, Status } from './model.ts';

/** The facts about a booking as others hear them; each carries the version it made. */
export function held(booking: Reservation): PendingEvent {
  const { payment, dueNow, allocateBy, expiresAt } = booking;
  if (allocateBy === null || expiresAt === null) throw new TypeError(`${booking.id} is not held`);
  return BookingHeld.from(
    { ...head(booking), ...saleOf(booking), payment, dueNow, allocateBy, expiresAt },
    { aggregateVersion: booking.version },
  );
}

/** Paid, or promised as cash. */
export function confirmed(booking: Reservation): PendingEvent {
  const { status, allocationId, payment, keptUntil } = booking;
  if ((status !== 'confirmed' && status !== 'confirmed_cash_pending') || allocationId === null)
    throw new TypeError(`${booking.id} is not confirmed`);
  return BookingConfirmed.from(
    { ...head(booking), ...saleOf(booking), status, allocationId, payment, keptUntil },
    { aggregateVersion: booking.version },
  );
}

/** Over before it began. */
export function cancelled(booking: Reservation, before: Status, ending: Ending): PendingEvent {
  const nothing = { amount: '0', currency: booking.total.gross.currency };
  return BookingCancelled.from(
    {
      ...head(booking),
      reason: ending.reason,
      deadlineKind: ending.deadlineKind,
      previousStatus: before === 'draft' ? 'held' : before,
      allocationId: booking.allocationId,
      stay: booking.stay,
      rooms: booking.rooms.map(withoutNights),
      policies: booking.policies,
      paymentId: booking.payment.paymentId,
      refund: ending.terms?.refund ?? nothing,
      fee: ending.terms?.fee ?? nothing,
    },
    { aggregateVersion: booking.version },
  );
}

/** Other dates are asked for, or the old ones put back; only inventory acts on it. */
export function datesChanged(
  booking: Reservation,
  change: { from: Reservation['stay']; to: Reservation['stay']; keyWindow: Reservation['keyWindow'] },
  reason: (typeof dateChangeReasons)[number],
): PendingEvent {
  const { allocationId, quoteId } = booking;
  if (allocationId === null) throw new TypeError(`${booking.id} has no allocation`);
  const stays = { previousStay: change.from, newStay: change.to };
  return BookingDatesChanged.from(
    {
      ...head(booking),
      reason,
      allocationId,
      quoteId,
      ...stays,
      rooms: booking.rooms.map(({ nights: _, stay: __, ...room }) => ({ ...room, ...stays })),
      keyWindow: change.keyWindow,
    },
    { aggregateVersion: booking.version },
  );
}

function head({ id, propertyId, guestId, locale }: Reservation) {
  return { reservationId: id, propertyId, guestId, locale };
}

function saleOf(booking: Reservation) {
  const { channel, bookingDraftId, quoteId, stay, total, policies, keyWindow } = booking;
  return { channel, bookingDraftId, quoteId, stay, rooms: [...booking.rooms], total, policies, keyWindow };
}

function withoutNights({ nights: _, ...room }: PricedRoom): Omit<PricedRoom, 'nights'> {
  return room;
}
