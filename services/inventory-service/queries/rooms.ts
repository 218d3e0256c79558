import { lockEntity } from '@ghasi/db/advisory-lock';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';

/** A room as property-service told of it. */
export type Room = {
  readonly id: Id<'rom'>;
  readonly propertyId: Id<'pro'>;
  readonly roomTypeId: Id<'rty'>;
  readonly number: string;
  readonly sellableFrom: LocalDate;
  readonly closedFrom: LocalDate | null;
};

type RoomRow = Omit<Room, 'id' | 'propertyId' | 'roomTypeId'> & {
  id: string;
  propertyId: string;
  roomTypeId: string;
};

/** One room. */
export async function findRoom({ tx, tenantId }: Ctx, id: Id<'rom'>): Promise<Room | undefined> {
  const found = await row<RoomRow>(
    tx,
    sql`select id, property_id as "propertyId", room_type_id as "roomTypeId", number,
               sellable_from as "sellableFrom", closed_from as "closedFrom"
        from inventory.rooms
        where tenant_id = ${tenantId}
          and id = ${idToUuid(id)}`,
  );
  return (
    found && {
      ...found,
      id,
      propertyId: idFromUuid('pro', found.propertyId),
      roomTypeId: idFromUuid('rty', found.roomTypeId),
    }
  );
}

/** Writes a new room down. */
export async function insertRoom(ctx: Ctx, room: Omit<Room, 'closedFrom'>): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.rooms (tenant_id, id, property_id, room_type_id, number, sellable_from)
        values (${ctx.tenantId}, ${idToUuid(room.id)}, ${idToUuid(room.propertyId)}, ${idToUuid(room.roomTypeId)},
                ${room.number}, ${room.sellableFrom})
        on conflict (tenant_id, id) do nothing`,
  );
}

/** A room is no room any more, from a night on. */
export async function closeRoom(ctx: Ctx, id: Id<'rom'>, closedFrom: LocalDate): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.rooms
        set closed_from = ${closedFrom}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}`,
  );
}

/** Changes of a type's rooms, limits and stop-sells come one after the other. Taken before the nights are locked. */
export async function lockType(ctx: Ctx, id: Id<'rty'>): Promise<void> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'inventory.room-type', id });
}

/** X-089, LOCK-09: whoever changes who has a room waits for the others; in the order of their ids, after the nights. */
export function lockRooms(ctx: Ctx, ids: Iterable<Id<'rom'>>): void {
  for (const id of [...new Set(ids)].sort())
    ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: 'inventory.room', id }));
}

/** A room type that has rooms. */
export type RoomType = {
  readonly id: Id<'rty'>;
  readonly propertyId: Id<'pro'>;
  readonly countedUntil: LocalDate;
};

type RoomTypeRow = { id: string; propertyId: string; countedUntil: LocalDate };
const roomType = (found: RoomTypeRow): RoomType => ({
  id: idFromUuid('rty', found.id),
  propertyId: idFromUuid('pro', found.propertyId),
  countedUntil: found.countedUntil,
});

/** One room type. */
export async function findRoomType({ tx, tenantId }: Ctx, id: Id<'rty'>): Promise<RoomType | undefined> {
  const found = await row<RoomTypeRow>(
    tx,
    sql`select id, property_id as "propertyId", counted_until as "countedUntil"
        from inventory.room_types
        where tenant_id = ${tenantId}
          and id = ${idToUuid(id)}`,
  );
  return found && roomType(found);
}

/** Types whose counters end before a night. */
export async function typesCountedBefore({ tx, tenantId }: Ctx, until: LocalDate): Promise<RoomType[]> {
  const found = await rows<RoomTypeRow>(
    tx,
    sql`select id, property_id as "propertyId", counted_until as "countedUntil"
        from inventory.room_types
        where tenant_id = ${tenantId}
          and counted_until < ${until}
        order by id`,
  );
  return found.map(roomType);
}

/** Makes a type known, or notes how far it is counted. */
export async function saveRoomType(ctx: Ctx, { id, propertyId, countedUntil }: RoomType): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.room_types as t (tenant_id, id, property_id, counted_until)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${idToUuid(propertyId)}, ${countedUntil})
        on conflict (tenant_id, id) do update
          set counted_until = greatest(t.counted_until, excluded.counted_until)`,
  );
}

/** The overbooking limit of nights that will be counted later. */
export async function saveDefaultLimit(ctx: Ctx, id: Id<'rty'>, limit: number): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.room_types
        set overbook_limit = ${limit}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}`,
  );
}
