import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { newCode } from './booking-code.ts';
import { errors } from './errors.ts';
import * as events from './events.ts';
import { type Agreed, after, cancel, type Ending, hold, mayBecome, type Reservation } from './model.ts';
import {
  endSaga,
  findReservation,
  type Guest,
  insertGuest,
  insertReservation,
  saveReservation,
  startSaga,
} from './queries.ts';

/** What a booking is made of before anybody has paid or promised anything. */
export type NewReservation = Pick<
  Agreed,
  | 'channel'
  | 'bookingDraftId'
  | 'requests'
  | 'quoteId'
  | 'rooms'
  | 'total'
  | 'policies'
  | 'keyWindow'
  | 'dueNow'
  | 'noShowFee'
  | 'noShowKeptUntil'
  | 'arrivesOn'
> & {
  readonly propertyId: Id<'pro'>;
  readonly stay: Reservation['stay'];
  readonly rail: Agreed['payment']['rail'];
  readonly guest: Omit<Guest, 'id'>;
};

/** Writes a booking down. Nobody else hears of it until the guest pays. */
export async function draftReservation(
  ctx: Ctx,
  { guest, rail, ...sale }: NewReservation,
): Promise<Reservation> {
  const guestId = ctx.newId('gst');
  insertGuest(ctx, { ...guest, id: guestId });
  const nothing = { amount: '0', currency: sale.total.gross.currency };
  const draft: Reservation = {
    ...sale,
    id: ctx.newId('rsv'),
    code: newCode(),
    guestId,
    locale: guest.locale,
    status: 'draft',
    payment: { rail, paymentId: null, paid: nothing, outstanding: sale.total.gross },
    expiresAt: null,
    allocateBy: null,
    allocationId: null,
    early: null,
    keptUntil: null,
    folioId: null,
    keyCredentialIds: [],
    isWelcomed: false,
    wanted: null,
    version: 1,
  };
  insertReservation(ctx, draft);
  return draft;
}

/** SAGA-14, SAGA-15: the guest pays, so rooms are held. Asked twice, it answers the same twice. */
export async function confirmReservation(
  ctx: Ctx,
  id: Id<'rsv'>,
  holdMs?: number,
): Promise<Accepted<Reservation>> {
  const draft = await locked(ctx, id);
  if (draft.status !== 'draft') {
    if (draft.status === 'cancelled') throw errors.TRANSITION_REFUSED({ from: draft.status, to: 'held' });
    return accepted(draft, []);
  }
  return startHold(ctx, hold(draft, ctx.now, holdMs));
}

/** Begins the booking saga of a booking that has just become a hold. */
export async function startHold(ctx: Ctx, booking: Reservation): Promise<Accepted<Reservation>> {
  saveReservation(ctx, booking);
  await startSaga(ctx, {
    id: uuid7(),
    kind: 'booking',
    reservationId: booking.id,
    waitsFor: 'allocation',
    deadlineAt: new Date(booking.allocateBy as string),
  });
  return accepted(booking, [events.held(booking)]);
}

/** A guest or the house gives the booking up; `terms` are what the policy of its quote says at this moment. */
export async function cancelReservation(
  ctx: Ctx,
  { id, ...ending }: Ending & { id: Id<'rsv'> },
): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  if (!mayBecome(booking.status, 'cancelled'))
    throw errors.TRANSITION_REFUSED({ from: booking.status, to: 'cancelled' });
  return endBooking(ctx, booking, ending);
}

/** Cancels a booking that may be cancelled; whatever saga waited for it is compensated. */
export async function endBooking(
  ctx: Ctx,
  booking: Reservation,
  ending: Ending,
): Promise<Accepted<Reservation>> {
  const ended = cancel(booking, ending);
  saveReservation(ctx, ended);
  endSaga(ctx, { reservationId: booking.id }, 'compensated');
  return accepted(ended, [events.cancelled(ended, booking.status, ending)]);
}

/** Gives rooms their numbers, or other ones from a night on; inventory sees to it that no room is given twice (R16). */
export async function assignRooms(
  ctx: Ctx,
  { id, rooms, fromNight }: { id: Id<'rsv'>; rooms: Readonly<Record<string, Id<'rom'>>>; fromNight: string },
): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  assertAssignable(booking, rooms);
  const assigned = booking.rooms.map(room => ({ ...room, roomId: rooms[room.bookedRoomId] ?? room.roomId }));
  if (assigned.every((room, place) => room.roomId === booking.rooms[place]?.roomId))
    return accepted(booking, []);
  const moved = after(booking, { rooms: assigned });
  saveReservation(ctx, moved);
  return accepted(moved, [events.roomsAssigned(moved, booking, fromNight)]);
}

/** Refuses rooms that the booking does not have, and a booking whose guest does not come or has left. */
export function assertAssignable(
  { status, rooms }: Reservation,
  wanted: Readonly<Record<string, Id<'rom'>>>,
): void {
  if (!['confirmed', 'confirmed_cash_pending', 'checked_in'].includes(status))
    throw errors.NOT_CHANGEABLE({ status });
  const known = new Set(rooms.map(({ bookedRoomId }) => String(bookedRoomId)));
  if (Object.keys(wanted).some(bookedRoomId => !known.has(bookedRoomId))) throw errors.ROOM_UNKNOWN();
}

/** The booking, in the hands of this transaction alone. */
export async function locked(ctx: Ctx, id: Id<'rsv'>): Promise<Reservation> {
  const booking = await findReservation(ctx.tx, id, { forUpdate: true });
  if (booking === undefined) throw coreErrors.NOT_FOUND({ entity: 'Reservation' });
  return booking;
}
