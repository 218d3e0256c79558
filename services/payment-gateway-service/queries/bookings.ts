import { eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { bookings } from '../tables.ts';

/** What we remember of a booking. */
export type Booking = typeof bookings.$inferSelect;
type Tx = Ctx['tx'];

/** Who a booking is. */
export type BookingName = { readonly reservationId: Id<'rsv'>; readonly propertyId: Id<'pro'> };

/**
 * The booking, made if it is new, and locked. Whoever makes intents or ends them takes this lock first, so that events
 * of different keys that arrive at once come one after the other.
 */
export async function lockBooking(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  { reservationId, propertyId }: BookingName,
): Promise<Booking> {
  const id = idToUuid(reservationId);
  const [, [row]] = await Promise.all([
    tx
      .insert(bookings)
      .values({ tenantId, reservationId: id, propertyId: idToUuid(propertyId) })
      .onConflictDoNothing(),
    tx.select().from(bookings).where(eq(bookings.reservationId, id)).for('update'),
  ]);
  return row as Booking;
}

/** A booking we have heard of, locked; undefined when we have not. */
export async function lockKnownBooking(tx: Tx, reservationId: Id<'rsv'>): Promise<Booking | undefined> {
  const [row] = await tx
    .select()
    .from(bookings)
    .where(eq(bookings.reservationId, idToUuid(reservationId)))
    .for('update');
  return row;
}

/** A booking as it is now, without a lock. */
export async function findBooking(tx: Tx, reservationId: string): Promise<Booking | undefined> {
  const [row] = await tx.select().from(bookings).where(eq(bookings.reservationId, reservationId));
  return row;
}

/** Changes a booking that is locked; returns it as it is then. */
export function updateBooking({ tx, write }: Ctx, booking: Booking, change: Partial<Booking>): Booking {
  write(tx.update(bookings).set(change).where(eq(bookings.reservationId, booking.reservationId)));
  return { ...booking, ...change };
}
