import { lockEntity } from '@ghasi/db/advisory-lock';
import { and, asc, eq, notInArray } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { bookedRooms, bookings } from '../tables.ts';

/** What we remember of a booking. */
export type Booking = typeof bookings.$inferSelect;
export type BookedRoom = typeof bookedRooms.$inferSelect;
type Tx = Ctx['tx'];

/**
 * A booking, in the hands of this transaction alone until it ends; also one that nobody has heard of yet. Whoever
 * changes its keys takes this lock first (ORD-08).
 */
export async function lockBooking(
  { tx, tenantId, write }: Pick<Ctx, 'tx' | 'tenantId' | 'write'>,
  reservationId: string,
): Promise<Booking | undefined> {
  write(lockEntity(tx, tenantId, { type: 'lock booking', id: reservationId }));
  const [row] = await tx.select().from(bookings).where(eq(bookings.reservationId, reservationId));
  return row;
}

/** A booking as it is now, without a lock. */
export async function findBooking(tx: Tx, reservationId: Id<'rsv'>): Promise<Booking | undefined> {
  const [row] = await tx
    .select()
    .from(bookings)
    .where(eq(bookings.reservationId, idToUuid(reservationId)));
  return row;
}

/** Writes a booking that is locked. */
export function saveBooking({ tx, write }: Pick<Ctx, 'tx' | 'write'>, booking: Booking): void {
  const { tenantId: _, reservationId: __, ...changed } = booking;
  write(
    tx
      .insert(bookings)
      .values(booking)
      .onConflictDoUpdate({ target: [bookings.tenantId, bookings.reservationId], set: changed }),
  );
}

/** The rooms of a booking as somebody tells them; those he does not name are no longer booked. */
export function saveRooms(
  { tx, tenantId, write }: Pick<Ctx, 'tx' | 'tenantId' | 'write'>,
  reservationId: string,
  rooms: readonly { bookedRoomId: Id<'brm'>; roomId: Id<'rom'> | null }[],
): void {
  const named = rooms.map(({ bookedRoomId }) => idToUuid(bookedRoomId));
  write(
    tx
      .update(bookedRooms)
      .set({ roomId: null })
      .where(and(eq(bookedRooms.reservationId, reservationId), notInArray(bookedRooms.bookedRoomId, named))),
  );
  for (const room of rooms) {
    const bookedRoomId = idToUuid(room.bookedRoomId);
    const roomId = room.roomId === null ? null : idToUuid(room.roomId);
    write(
      tx
        .insert(bookedRooms)
        .values({ tenantId, reservationId, bookedRoomId, roomId })
        .onConflictDoUpdate({ target: [bookedRooms.tenantId, bookedRooms.bookedRoomId], set: { roomId } }),
    );
  }
}

/** The rooms of a booking, always in the same order: two transactions lock doors in the same order. */
export function roomsOf(tx: Tx, reservationId: string): Promise<BookedRoom[]> {
  return tx
    .select()
    .from(bookedRooms)
    .where(eq(bookedRooms.reservationId, reservationId))
    .orderBy(asc(bookedRooms.roomId), asc(bookedRooms.bookedRoomId));
}

/** Holds a door until the transaction ends: what two bookings do to one room comes one after the other. */
export function lockRoom(
  { tx, tenantId, write }: Pick<Ctx, 'tx' | 'tenantId' | 'write'>,
  roomId: string,
): void {
  write(lockEntity(tx, tenantId, { type: 'lock room', id: roomId }));
}
