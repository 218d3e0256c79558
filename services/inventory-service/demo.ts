import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { eq } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Stay } from '@ghasi/domain-primitives/stay';
import type { Zone } from '@ghasi/domain-primitives/zone';
import { changeOf, horizon } from './model.ts';
import { changeSold, insertNights, recount } from './queries/nights.ts';
import { noteProperty } from './queries/properties.ts';
import { insertStays } from './queries/room-uses.ts';
import { lockType, saveRoomType } from './queries/rooms.ts';
import { isNewer } from './queries/seen-versions.ts';
import { allocationRooms, allocations, rooms } from './tables.ts';

/** A house with its rooms, as property-service tells of them. */
export type SeedHouse = {
  readonly tenantId: TenantId;
  readonly propertyId: Id<'pro'>;
  readonly zone: Zone;
  readonly sellableFrom: LocalDate;
  readonly rooms: readonly {
    readonly id: Id<'rom'>;
    readonly roomTypeId: Id<'rty'>;
    readonly number: string;
  }[];
};

/** The rooms of one booking. */
export type SeedAllocation = {
  readonly allocationId: Id<'alc'>;
  readonly reservationId: Id<'rsv'>;
  readonly reservationVersion: number;
  /** A booking that ended before its stay has given its rooms back. */
  readonly isReleased: boolean;
  readonly at: Date;
  readonly stay: Stay;
  readonly rooms: readonly {
    readonly bookedRoomId: Id<'brm'>;
    readonly roomTypeId: Id<'rty'>;
    readonly roomId: Id<'rom'>;
  }[];
};

const seeder: Actor = { type: 'system', id: 'seed' };

/**
 * Counts the nights of a house and sells those of its stays; leaves a house that has allocations as it is. Rooms are
 * noted as their events would have it, so that those find nothing to do when they arrive.
 */
export function seedAllocations(
  db: Database,
  house: SeedHouse,
  sold: () => readonly SeedAllocation[],
): Promise<void> {
  const { tenantId, propertyId } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'inventory.demo', id: propertyId });
    const [known] = await ctx.tx
      .select({ id: allocations.id })
      .from(allocations)
      .where(eq(allocations.propertyId, idToUuid(propertyId)))
      .limit(1);
    if (known !== undefined) return;
    await countNights(ctx, house);
    await sell(ctx, propertyId, sold());
  });
}

async function countNights(ctx: Ctx, house: SeedHouse): Promise<void> {
  const { tenantId, propertyId, zone, sellableFrom } = house;
  const { from: oldest, until } = horizon(ctx.now);
  await noteProperty(ctx, { id: propertyId, zone });
  const types = [...new Set(house.rooms.map(({ roomTypeId }) => roomTypeId))].sort();
  for (const roomTypeId of types) await lockType(ctx, roomTypeId);
  await ctx.tx
    .insert(rooms)
    .values(
      house.rooms.map(({ id, roomTypeId, number }) => ({
        ...{ tenantId, id: idToUuid(id), propertyId: idToUuid(propertyId) },
        ...{ roomTypeId: idToUuid(roomTypeId), number, sellableFrom },
      })),
    )
    .onConflictDoNothing();
  for (const { id } of house.rooms) await isNewer(ctx, id, 1);
  const from = sellableFrom > oldest ? sellableFrom : oldest;
  for (const roomTypeId of types) {
    await saveRoomType(ctx, { id: roomTypeId, propertyId, countedUntil: until });
    await insertNights(ctx, { roomTypeId, propertyId, from, until });
    await recount(ctx, { roomTypeId, from, until });
  }
}

async function sell(ctx: Ctx, propertyId: Id<'pro'>, sold: readonly SeedAllocation[]): Promise<void> {
  const { tenantId, tx } = ctx;
  await insertAll(
    tx,
    allocations,
    sold.map(({ allocationId, reservationId, reservationVersion, isReleased, at }) => ({
      ...{ tenantId, id: idToUuid(allocationId), reservationId: idToUuid(reservationId) },
      ...{ propertyId: idToUuid(propertyId), reservationVersion, updatedAt: at, version: 2 },
      status: isReleased ? 'released' : 'confirmed',
    })),
  );
  const lines = sold
    .filter(({ isReleased }) => !isReleased)
    .flatMap(({ allocationId, stay, rooms: booked }) =>
      booked.map((room, position) => ({ ...room, allocationId, stay, position })),
    );
  await insertAll(
    tx,
    allocationRooms,
    lines.map(({ bookedRoomId, allocationId, roomTypeId, stay, position }) => ({
      ...{ tenantId, bookedRoomId: idToUuid(bookedRoomId), allocationId: idToUuid(allocationId), position },
      ...{ roomTypeId: idToUuid(roomTypeId), arrival: stay.arrival, departure: stay.departure },
    })),
  );
  const fits = await insertStays(
    ctx,
    lines.map(({ bookedRoomId, roomId, stay: { arrival: from, departure: until } }) => {
      return { bookedRoomId, roomId, from, until };
    }),
  );
  if (!fits) throw new Error(`two stays of the demo share a room of ${propertyId}`);
  await changeSold(ctx, changeOf([], lines));
}
