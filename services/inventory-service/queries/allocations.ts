import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { AllocationState, Line, Slice } from '../model.ts';

/** A booked room with the rooms it sleeps in. */
export type BookedLine = Line & {
  readonly slices: readonly Slice[];
  readonly wantedRoomId: Id<'rom'> | null;
};

/** The rooms of one booking. */
export type Allocation = {
  readonly id: Id<'alc'>;
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  readonly reservationVersion: number;
  readonly status: AllocationState;
  readonly expiresAt: Date | null;
  readonly version: number;
};

type AllocationRow = Omit<Allocation, 'id' | 'reservationId' | 'propertyId'> & {
  id: string;
  reservationId: string;
  propertyId: string;
};

const allocation = (found: AllocationRow): Allocation => ({
  ...found,
  id: idFromUuid('alc', found.id),
  reservationId: idFromUuid('rsv', found.reservationId),
  propertyId: idFromUuid('pro', found.propertyId),
});

const columns = sql`a.id, a.reservation_id as "reservationId", a.property_id as "propertyId",
                    a.reservation_version as "reservationVersion", a.status, a.expires_at as "expiresAt", a.version`;

/** The allocation of a booking, locked. Locks are taken in the order allocation, nights, rooms. */
export async function lockAllocation(ctx: Ctx, reservationId: Id<'rsv'>): Promise<Allocation | undefined> {
  const found = await row<AllocationRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.allocations a
        where a.tenant_id = ${ctx.tenantId}
          and a.reservation_id = ${idToUuid(reservationId)}
        for update`,
  );
  return found && allocation(found);
}

/** Makes an allocation, or writes its new state. */
export function saveAllocation(ctx: Ctx, one: Allocation): void {
  const statement = sql`insert into inventory.allocations as a
          (tenant_id, id, reservation_id, property_id, reservation_version, status, expires_at, version, updated_at)
        values (${ctx.tenantId}, ${idToUuid(one.id)}, ${idToUuid(one.reservationId)}, ${idToUuid(one.propertyId)},
                ${one.reservationVersion}, ${one.status}, ${one.expiresAt}, ${one.version}, ${ctx.now})
        on conflict (tenant_id, id) do update
          set reservation_version = excluded.reservation_version,
              status = excluded.status,
              expires_at = excluded.expires_at,
              version = excluded.version,
              updated_at = excluded.updated_at`;
  ctx.write(execute(ctx.tx, statement));
}

/** R10: the hold becomes the guest's, unless it has lapsed; whoever of this and {@link expireHolds} is first, wins. */
export async function confirmHold(
  ctx: Ctx,
  { reservationId, version }: { reservationId: Id<'rsv'>; version: number },
): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`update inventory.allocations
        set status = 'confirmed',
            expires_at = null,
            reservation_version = ${version},
            version = version + 1,
            updated_at = ${ctx.now}
        where tenant_id = ${ctx.tenantId}
          and reservation_id = ${idToUuid(reservationId)}
          and status in ('held', 'kept')`,
  );
  return touched === 1;
}

/** R10: holds whose time is over and that nobody confirmed, and rooms kept for a no-show; `was` says which. */
export async function expireHolds(
  ctx: Ctx,
  most: number,
): Promise<(Allocation & { was: 'held' | 'kept' })[]> {
  const found = await rows<AllocationRow & { was: 'held' | 'kept' }>(
    ctx.tx,
    sql`with due as (
          select id, status
          from inventory.allocations
          where tenant_id = ${ctx.tenantId}
            and expires_at is not null
            and expires_at <= ${ctx.now}
          order by id
          limit ${most}
          for update skip locked
        )
        update inventory.allocations a
        set status = 'released',
            expires_at = null,
            version = a.version + 1,
            updated_at = ${ctx.now}
        from due
        where a.tenant_id = ${ctx.tenantId}
          and a.id = due.id
        returning ${columns}, due.status as was`,
  );
  return found.map(one => ({ ...allocation(one), was: one.was }));
}

type LineRow = {
  allocationId: string;
  bookedRoomId: string;
  roomTypeId: string;
  arrival: LocalDate;
  departure: LocalDate;
  wantedRoomId: string | null;
  slices: { room: string; from: LocalDate; until: LocalDate }[] | null;
};

/** The booked rooms of some allocations, by allocation, in the booking's order. */
export async function readLines(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  allocationIds: readonly Id<'alc'>[],
): Promise<Map<Id<'alc'>, BookedLine[]>> {
  const found = await rows<LineRow>(
    tx,
    sql`select l.allocation_id as "allocationId", l.booked_room_id as "bookedRoomId", l.room_type_id as "roomTypeId",
               l.arrival, l.departure, l.wanted_room_id as "wantedRoomId",
               (select jsonb_agg(jsonb_build_object('room', u.room_id, 'from', u.from_date, 'until', u.until_date)
                                 order by u.from_date)
                from inventory.room_uses u
                where u.tenant_id = l.tenant_id and u.booked_room_id = l.booked_room_id) as slices
        from inventory.allocation_rooms l
        where l.tenant_id = ${tenantId}
          and l.allocation_id = any (${sql.param(allocationIds.map(idToUuid))}::uuid[])
        order by l.allocation_id, l.position`,
  );
  const lines = new Map<Id<'alc'>, BookedLine[]>(allocationIds.map(id => [id, []]));
  for (const one of found) lines.get(idFromUuid('alc', one.allocationId))?.push(lineOf(one));
  return lines;
}

function lineOf(found: LineRow): BookedLine {
  return {
    bookedRoomId: idFromUuid('brm', found.bookedRoomId),
    roomTypeId: idFromUuid('rty', found.roomTypeId),
    stay: { arrival: found.arrival, departure: found.departure },
    wantedRoomId: found.wantedRoomId === null ? null : idFromUuid('rom', found.wantedRoomId),
    slices: (found.slices ?? []).map(({ room, from, until }) => ({
      roomId: idFromUuid('rom', room),
      from,
      until,
    })),
  };
}

/** Adds booked rooms to an allocation that has none. */
export function insertLines(ctx: Ctx, id: Id<'alc'>, lines: readonly Line[]): void {
  const statement = sql`insert into inventory.allocation_rooms
          (tenant_id, booked_room_id, allocation_id, room_type_id, arrival, departure, position)
        select ${ctx.tenantId}, l.*
        from unnest(${sql.param(lines.map(line => idToUuid(line.bookedRoomId)))}::uuid[],
                    ${sql.param(lines.map(() => idToUuid(id)))}::uuid[],
                    ${sql.param(lines.map(line => idToUuid(line.roomTypeId)))}::uuid[],
                    ${sql.param(lines.map(line => line.stay.arrival))}::date[],
                    ${sql.param(lines.map(line => line.stay.departure))}::date[],
                    ${sql.param(lines.map((_, at) => at))}::smallint[]) l`;
  ctx.write(execute(ctx.tx, statement));
}

/** Removes the booked rooms of allocations, and their assignments. */
export function deleteLines(ctx: Ctx, ids: readonly Id<'alc'>[]): void {
  const these = sql`${sql.param(ids.map(idToUuid))}::uuid[]`;
  const uses = sql`
        delete from inventory.room_uses u
        using inventory.allocation_rooms l
        where u.tenant_id = ${ctx.tenantId}
          and l.tenant_id = u.tenant_id
          and l.booked_room_id = u.booked_room_id
          and l.allocation_id = any (${these})`;
  const lines = sql`
        delete from inventory.allocation_rooms
        where tenant_id = ${ctx.tenantId}
          and allocation_id = any (${these})`;
  ctx.write(execute(ctx.tx, uses));
  ctx.write(execute(ctx.tx, lines));
}

/** The live allocation that a booked room belongs to, locked. */
export async function lockAllocationOf(ctx: Ctx, bookedRoomId: Id<'brm'>): Promise<Allocation | undefined> {
  const found = await row<AllocationRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.allocations a
        where a.tenant_id = ${ctx.tenantId}
          and a.id = (select l.allocation_id
                      from inventory.allocation_rooms l
                      where l.tenant_id = ${ctx.tenantId}
                        and l.booked_room_id = ${idToUuid(bookedRoomId)})
        for update`,
  );
  return found && allocation(found);
}

/** Notes, or forgets, the room that a booking names and cannot have. */
export async function setWantedRoom(
  ctx: Ctx,
  { bookedRoomId, roomId }: { bookedRoomId: Id<'brm'>; roomId: Id<'rom'> | null },
): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.allocation_rooms
        set wanted_room_id = ${roomId === null ? null : idToUuid(roomId)}::uuid
        where tenant_id = ${ctx.tenantId}
          and booked_room_id = ${idToUuid(bookedRoomId)}`,
  );
}
