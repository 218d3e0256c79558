import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { dateChangeReasons } from './contract/booking-parts.ts';
import {
  BookingCancelled,
  BookingCheckedIn,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingCheckInUndone,
  BookingCheckOutStarted,
  BookingConfirmed,
  BookingDatesChanged,
  BookingHeld,
  BookingModified,
  BookingNoShow,
} from './contract.ts';
import { paymentOfNights } from './model/owed.ts';
import type { Ending, PricedRoom, Reservation, Status } from './model.ts';

/** The facts about a booking as others hear them; each carries the version it made. */
export function held(booking: Reservation): PendingEvent {
  const { dueNow, allocateBy, expiresAt } = booking;
  if (allocateBy === null || expiresAt === null) throw new TypeError(`${booking.id} is not held`);
  return BookingHeld.from(
    {
      ...head(booking),
      ...saleOf(booking),
      payment: paymentOfNights(booking),
      dueNow,
      allocateBy,
      expiresAt,
    },
    { aggregateVersion: booking.version },
  );
}

/** Paid, or promised as cash. */
export function confirmed(booking: Reservation): PendingEvent {
  const { status, allocationId, keptUntil } = booking;
  const payment = paymentOfNights(booking);
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

/** The desk began; folio, key and welcome are due. */
export function checkInStarted(booking: Reservation, businessDate: string, deadlineAt: Date): PendingEvent {
  const { stay, total, keyWindow } = booking;
  const payment = paymentOfNights(booking);
  return BookingCheckInStarted.from(
    {
      ...head(booking),
      businessDate,
      deadlineAt: deadlineAt.toISOString(),
      ...{ stay, rooms: occupied(booking), total, payment, keyWindow },
    },
    { aggregateVersion: booking.version },
  );
}

/** The guest is in the house. */
export function checkedIn(
  booking: Reservation,
  { businessDate, at, afterPartial }: { businessDate: string; at: Date; afterPartial: boolean },
): PendingEvent {
  const { stay, folioId, keyCredentialIds } = booking;
  return BookingCheckedIn.from(
    {
      ...head(booking),
      businessDate,
      checkedInAt: at.toISOString(),
      stay,
      rooms: occupied(booking),
      folioId: folioId as Id<'fol'>,
      keyCredentialIds: [...keyCredentialIds],
      afterPartial,
    },
    { aggregateVersion: booking.version },
  );
}

/** It was the wrong guest, or the wrong room: the booking waits for its guest again (R18). */
export function checkInUndone(booking: Reservation, businessDate: string): PendingEvent {
  const { stay } = booking;
  return BookingCheckInUndone.from(
    { ...head(booking), businessDate, stay, rooms: occupied(booking) },
    { aggregateVersion: booking.version },
  );
}

/** The desk began; final charges first, then the keys. */
export function checkOutStarted(booking: Reservation, businessDate: string, deadlineAt: Date): PendingEvent {
  const { stay, folioId } = booking;
  const timing = businessDate < stay.departure ? 'early' : businessDate > stay.departure ? 'late' : 'on_time';
  return BookingCheckOutStarted.from(
    {
      ...head(booking),
      businessDate,
      deadlineAt: deadlineAt.toISOString(),
      ...{ stay, rooms: occupied(booking), folioId: folioId as Id<'fol'>, timing },
    },
    { aggregateVersion: booking.version },
  );
}

/** The guest has left, with or without a balance. */
export function checkedOut(
  booking: Reservation,
  { businessDate, at, balance }: { businessDate: string; at: Date; balance: Reservation['dueNow'] },
): PendingEvent {
  const isSettled = balance.amount === '0';
  return BookingCheckedOut.from(
    {
      ...head(booking),
      businessDate,
      checkedOutAt: at.toISOString(),
      stay: booking.stay,
      rooms: occupied(booking),
      folioId: booking.folioId as Id<'fol'>,
      status: isSettled ? 'checked_out' : 'checked_out_balance_pending',
      balanceStatus: isSettled ? 'settled' : 'pending',
      balance,
    },
    { aggregateVersion: booking.version },
  );
}

/** The guest did not come. */
export function didNotCome(
  booking: Reservation,
  {
    businessDate,
    fee,
    refund,
  }: { businessDate: string; fee: Reservation['dueNow']; refund: Reservation['dueNow'] },
): PendingEvent {
  const { stay, policies } = booking;
  const payment = paymentOfNights(booking);
  return BookingNoShow.from(
    {
      ...head(booking),
      businessDate,
      keptUntil: booking.noShowKeptUntil ?? null,
      allocationId: booking.allocationId as Id<'alc'>,
      ...{ stay, rooms: booking.rooms.map(withoutNights), policies, payment, fee, refund },
    },
    { aggregateVersion: booking.version },
  );
}

/** Rooms got numbers, or other ones from a night on (R16). */
export function roomsAssigned(booking: Reservation, before: Reservation, fromNight: string): PendingEvent {
  const moves = booking.rooms.flatMap((room, place) => {
    const fromRoomId = before.rooms[place]?.roomId ?? null;
    const { bookedRoomId, roomId: toRoomId } = room;
    return fromRoomId === toRoomId ? [] : [{ bookedRoomId, fromRoomId, toRoomId, fromNight }];
  });
  const { status, guestId, stay, total, keyWindow } = booking;
  return BookingModified.from(
    {
      ...head(booking),
      status: status as Exclude<Status, 'draft'>,
      changes: ['room_assignment'],
      previousGuestId: guestId,
      ...{ stay, rooms: booking.rooms.map(withoutNights), moves, specialRequests: [], total, keyWindow },
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

function occupied({ id, rooms }: Reservation) {
  return rooms.map(room => {
    const { roomId, ...rest } = withoutNights(room);
    if (roomId === null) throw new TypeError(`${id} has a room without a number`);
    return { ...rest, roomId };
  });
}

function withoutNights({ nights: _, ...room }: PricedRoom): Omit<PricedRoom, 'nights'> {
  return room;
}
