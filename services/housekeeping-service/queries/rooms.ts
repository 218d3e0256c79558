import { lockEntity } from '@ghasi/db/advisory-lock';
import { and, asc, eq, inArray, type SQL, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { RoomState } from '../contract/room-state.ts';
import type { View } from '../model/discrepancy.ts';
import type { Overlay } from '../model/room.ts';
import { overlays, rooms } from '../tables.ts';

/** What housekeeping saw last in a room. */
export type Observation = View & { readonly at: Date; readonly by: Id<'usr'> | null };

/** A room with its state. */
export type Room = {
  readonly id: Id<'rom'>;
  readonly propertyId: Id<'pro'>;
  readonly roomTypeId: Id<'rty'> | null;
  readonly number: string | null;
  readonly floor: string | null;
  readonly sellableFrom: LocalDate | null;
  readonly closedFrom: LocalDate | null;
  readonly statusId: Id<'rms'>;
  readonly statusVersion: number;
  readonly state: RoomState;
  readonly observed: Observation | null;
  readonly deepCleanedOn: LocalDate | null;
};

/**
 * whoever changes the state of a room waits for the others, whichever booking, ticket or task he comes from. In
 * the order of the ids, so that nobody waits in a circle. Whatever is sent after this is done under the locks.
 */
export function lockRooms(ctx: Ctx, ids: Iterable<Id<'rom'>>): void {
  for (const id of [...new Set(ids)].sort())
    ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: 'housekeeping.room', id }));
}

/** One room. */
export async function findRoom(ctx: Pick<Ctx, 'tx'>, id: Id<'rom'>): Promise<Room | undefined> {
  const [found] = await select(ctx, eq(rooms.id, idToUuid(id)));
  return found;
}

/** These rooms, those that are known. */
export function findRooms(ctx: Pick<Ctx, 'tx'>, ids: readonly Id<'rom'>[]): Promise<Room[]> {
  return select(ctx, inArray(rooms.id, ids.map(idToUuid)));
}

/** The rooms of a house, by their numbers; those that are closed on a day are left out. */
export function listRooms(
  ctx: Pick<Ctx, 'tx'>,
  { propertyId, day }: { propertyId: Id<'pro'>; day: LocalDate | null },
): Promise<Room[]> {
  const isOpen = sql`(${rooms.closedFrom} is null or ${rooms.closedFrom} > ${day}::date)`;
  const ofHouse = eq(rooms.propertyId, idToUuid(propertyId));
  return select(ctx, day === null ? ofHouse : (and(ofHouse, isOpen) as SQL));
}

/** A room, made up for now when property-service has not told of it yet. The caller has its lock. */
export async function roomOf(
  ctx: Ctx,
  { roomId, propertyId }: { roomId: Id<'rom'>; propertyId: Id<'pro'> },
): Promise<Room> {
  const values = { tenantId: ctx.tenantId, id: idToUuid(roomId), propertyId: idToUuid(propertyId) };
  ctx.write(
    ctx.tx
      .insert(rooms)
      .values({ ...values, statusId: uuid7() })
      .onConflictDoNothing(),
  );
  return (await findRoom(ctx, roomId)) as Room;
}

/** What property-service tells of a room. */
export type Door = Pick<Room, 'id' | 'propertyId' | 'floor' | 'sellableFrom' | 'closedFrom'> & {
  readonly roomTypeId: Id<'rty'>;
  readonly number: string;
};

/** Writes down what property-service told of a room; false when this or a newer version was heard before. */
export async function saveDoor(ctx: Ctx, door: Door, version: number): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`insert into housekeeping.rooms as r
          (tenant_id, id, property_id, room_type_id, number, floor, sellable_from, closed_from, room_version, status_id)
        values (${ctx.tenantId}, ${idToUuid(door.id)}, ${idToUuid(door.propertyId)}, ${idToUuid(door.roomTypeId)},
                ${door.number}, ${door.floor}, ${door.sellableFrom}::date, ${door.closedFrom}::date, ${version}, ${uuid7()})
        on conflict (tenant_id, id) do update
          set room_type_id = excluded.room_type_id,
              number = excluded.number,
              floor = coalesce(excluded.floor, r.floor),
              sellable_from = coalesce(excluded.sellable_from, r.sellable_from),
              closed_from = excluded.closed_from,
              room_version = excluded.room_version
          where r.room_version < excluded.room_version`,
  );
  return touched === 1;
}

/** Saves the state of a room, as the version after the one that was read. */
export function saveState(ctx: Ctx, room: Room, state: RoomState): void {
  const { occupancy, condition, overlay } = state;
  const ticketId = overlay?.ticketId ?? null;
  ctx.write(
    ctx.tx
      .update(rooms)
      .set({
        occupancy,
        condition,
        overlayTicketId: ticketId === null ? null : idToUuid(ticketId),
        statusVersion: room.statusVersion + 1,
      })
      .where(eq(rooms.id, idToUuid(room.id))),
  );
}

/** Notes what housekeeping saw. */
export function saveObservation(ctx: Ctx, id: Id<'rom'>, seen: Observation): void {
  ctx.write(
    ctx.tx
      .update(rooms)
      .set({
        observedOccupancy: seen.occupancy,
        observedPersons: seen.persons,
        observedAt: seen.at,
        observedBy: seen.by === null ? null : idToUuid(seen.by),
      })
      .where(eq(rooms.id, idToUuid(id))),
  );
}

/** Notes the day of a deep clean. */
export function saveDeepClean(ctx: Ctx, id: Id<'rom'>, day: LocalDate): void {
  ctx.write(
    ctx.tx
      .update(rooms)
      .set({ deepCleanedOn: day })
      .where(eq(rooms.id, idToUuid(id))),
  );
}

async function select({ tx }: Pick<Ctx, 'tx'>, which: SQL): Promise<Room[]> {
  const found = await tx
    .select()
    .from(rooms)
    .leftJoin(
      overlays,
      and(eq(overlays.tenantId, rooms.tenantId), eq(overlays.ticketId, rooms.overlayTicketId)),
    )
    .where(which)
    .orderBy(asc(rooms.number), asc(rooms.id));
  return found.map(({ rooms: room, overlays: overlay }) => roomFrom(room, overlay));
}

function roomFrom(row: typeof rooms.$inferSelect, overlay: typeof overlays.$inferSelect | null): Room {
  const { occupancy, condition } = row;
  const { observedOccupancy, observedPersons: persons, observedAt: at, observedBy } = row;
  const by = observedBy === null ? null : idFromUuid('usr', observedBy);
  return {
    id: idFromUuid('rom', row.id),
    propertyId: idFromUuid('pro', row.propertyId),
    roomTypeId: row.roomTypeId === null ? null : idFromUuid('rty', row.roomTypeId),
    number: row.number,
    floor: row.floor,
    sellableFrom: row.sellableFrom as LocalDate | null,
    closedFrom: row.closedFrom as LocalDate | null,
    statusId: idFromUuid('rms', row.statusId),
    statusVersion: row.statusVersion,
    state: { occupancy, condition, overlay: overlayFrom(overlay) },
    observed:
      observedOccupancy === null || at === null ? null : { occupancy: observedOccupancy, persons, at, by },
    deepCleanedOn: row.deepCleanedOn as LocalDate | null,
  };
}

function overlayFrom(row: typeof overlays.$inferSelect | null): Overlay | null {
  if (row === null || row.kind === 'none' || row.fromDate === null || row.untilDate === null) return null;
  return {
    kind: row.kind,
    days: { from: row.fromDate, until: row.untilDate },
    returnCondition: row.returnCondition,
    ticketId: idFromUuid('mtk', row.ticketId),
  };
}
