import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { eq } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { pairLock } from './commands/pair-lock.ts';
import type { LockVendor, Reach } from './lock-vendor.ts';
import { openLocks } from './locks.ts';
import { aheadMs } from './model/room-keys.ts';
import type { Booking } from './queries/bookings.ts';
import { rememberHouse, rememberRoom } from './queries/houses.ts';
import { insertKey } from './queries/keys.ts';
import { insertLock, lockOfRoom } from './queries/locks.ts';
import { bookedRooms, bookings } from './tables.ts';

/** A house of the demo whose doors get locks. */
export type SeedHouse = {
  readonly tenantId: TenantId;
  readonly property: { readonly id: Id<'pro'>; readonly zone: string };
  readonly rooms: readonly { readonly id: Id<'rom'>; readonly number: string }[];
  /** Who pairs them: in events a person does. */
  readonly pairedBy: Id<'usr'>;
};

/**
 * Pairs a lock of the simulator with each room that has none; safe to run at every start. What property-service tells of
 * house and rooms may arrive before or after.
 */
export async function seedLocks(
  db: Database,
  house: SeedHouse,
  { vendors, reach = 'gateway' }: { vendors: readonly LockVendor[]; reach?: Reach },
): Promise<void> {
  const [vendor] = vendors;
  if (vendor === undefined) return;
  const locks = openLocks({ vendors: [vendor], secret: 'nothing is sealed while seeding' });
  const { tenantId, property, rooms, pairedBy } = house;
  const actor: Actor = { type: 'user', id: pairedBy };
  await tenantTransaction(db, { tenantId, actor }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'seed locks', id: property.id });
    await rememberHouse(ctx, { propertyId: property.id, zone: property.zone });
    const events: unknown[] = [];
    for (const { id: roomId, number } of rooms) {
      await rememberRoom(ctx, { roomId, propertyId: property.id, number });
      const there = await lockOfRoom(ctx.tx, idToUuid(roomId));
      if (there !== undefined && there.vendor !== 'mechanical') continue;
      const paired = await pairLock(ctx, locks, {
        propertyId: property.id,
        roomId,
        vendor: vendor.vendor,
        vendorReference: lockNumber(roomId),
        reach,
      });
      events.push(...paired.events);
    }
    return accepted(undefined, events);
  });
}

/** A number as vendors have them, the same for the same room at every start. */
function lockNumber(roomId: Id<'rom'>): string {
  return String(
    (Number.parseInt(idToUuid(roomId).replaceAll('-', '').slice(-12), 16) % 10_000_000) + 1_000_000,
  );
}

/** A booking of the demo whose guest has a key, or will need one. */
export type SeedBooking = {
  readonly reservationId: Id<'rsv'>;
  readonly guestId: Id<'gst'>;
  readonly version: number;
  /** He is in the house, since then. */
  readonly inAt: Date | null;
  /** False: he brings cash (SAGA-27). */
  readonly isPaid: boolean;
  readonly validFrom: Date;
  readonly validUntil: Date;
  readonly rooms: readonly {
    readonly bookedRoomId: Id<'brm'>;
    readonly roomId: Id<'rom'>;
    /** What his key is called while he is here. */
    readonly keyId: Id<'key'>;
  }[];
};

type KeyHouse = Pick<SeedHouse, 'tenantId'> & { readonly propertyId: Id<'pro'> };

/**
 * Tells of a house's guests: those in it have keys that a person gave them, codes of those to come are fetched ahead.
 * Leaves a house that knows of bookings as it is.
 */
export function seedKeys(
  db: Database,
  { tenantId, propertyId }: KeyHouse,
  known: () => readonly SeedBooking[],
): Promise<void> {
  const actor: Actor = { type: 'system', id: 'seed' };
  return tenantTransaction(db, { tenantId, actor }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'seed keys', id: propertyId });
    const property = idToUuid(propertyId);
    const [found] = await ctx.tx
      .select({ id: bookings.reservationId })
      .from(bookings)
      .where(eq(bookings.propertyId, property))
      .limit(1);
    if (found !== undefined) return;
    const all = known();
    const rows = all.map(one => bookingRow(ctx, property, one));
    const rooms = all.flatMap(one => roomRows(ctx, one));
    await insertAll(ctx.tx, bookings, rows);
    await insertAll(ctx.tx, bookedRooms, rooms);
    for (const booking of all.filter(({ inAt }) => inAt !== null))
      for (const room of booking.rooms) await handOver(ctx, property, { booking, room });
  });
}

function bookingRow({ tenantId, now }: Ctx, propertyId: string, booking: SeedBooking): Booking {
  const { reservationId, guestId, version, inAt, isPaid, validFrom, validUntil } = booking;
  return {
    ...{ tenantId, reservationId: idToUuid(reservationId), propertyId, guestId: idToUuid(guestId) },
    ...{ version, windowVersion: version, isPaid, validFrom, validUntil },
    phase: inAt === null ? 'expected' : 'here',
    endReason: null,
    lookAt: inAt === null ? new Date(Math.max(now.getTime(), validFrom.getTime() - aheadMs)) : null,
  };
}

function roomRows({ tenantId }: Ctx, { reservationId, rooms }: SeedBooking) {
  return rooms.map(({ bookedRoomId, roomId }) => ({
    ...{ tenantId, reservationId: idToUuid(reservationId) },
    ...{ bookedRoomId: idToUuid(bookedRoomId), roomId: idToUuid(roomId) },
  }));
}

type InHand = { readonly booking: SeedBooking; readonly room: SeedBooking['rooms'][number] };

/** A key that is in the guest's hand and that no vendor knows of. */
async function handOver(ctx: Ctx, propertyId: string, { booking, room }: InHand): Promise<void> {
  const { tenantId, tx } = ctx;
  const { reservationId, guestId, validFrom, validUntil } = booking;
  const at = booking.inAt ?? ctx.now;
  const roomId = idToUuid(room.roomId);
  const brass = ctx.newId('lck');
  const lock =
    (await lockOfRoom(tx, roomId)) ??
    (await insertLock(tx, {
      ...{ tenantId, id: idToUuid(brass), propertyId, roomId, vendor: 'mechanical', reach: 'offline' },
      ...{ vendorReference: `metal:${brass}`, status: 'paired', pairedAt: at },
    }));
  const isMetal = lock.vendor === 'mechanical';
  await insertKey(tx, {
    ...{ tenantId, id: idToUuid(room.keyId), reservationId: idToUuid(reservationId), propertyId, roomId },
    ...{ bookedRoomId: idToUuid(room.bookedRoomId), guestId: idToUuid(guestId) },
    ...{ lockId: lock.id, vendor: lock.vendor, medium: isMetal ? 'metal_key' : 'passcode' },
    ...{ status: 'issued', wish: 'live', atVendor: 'by_hand', announce: true, reason: 'check_in' },
    ...{ stayFrom: validFrom, stayUntil: validUntil, windowFrom: validFrom, windowUntil: validUntil },
    ...{ heldFrom: validFrom, heldUntil: validUntil, toldFrom: validFrom, toldUntil: validUntil },
    vendorReference: `${isMetal ? 'metal' : 'by_hand'}:${idFromUuid('lck', lock.id)}`,
    ...{ givenAt: at, version: 2, createdAt: at, updatedAt: at },
  });
}
