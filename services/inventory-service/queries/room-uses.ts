import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { roomUseKinds, Slice } from '../model.ts';

/**
 * Puts stays into rooms. The exclusion constraint decides (R7): what overlaps another use of the room is left out, and
 * false says that something was.
 */
export async function insertStays(
  ctx: Ctx,
  stays: readonly (Slice & { bookedRoomId: Id<'brm'> })[],
): Promise<boolean> {
  if (stays.length === 0) return true;
  const inserted = await execute(
    ctx.tx,
    sql`insert into inventory.room_uses (tenant_id, id, room_id, kind, from_date, until_date, booked_room_id)
        select ${ctx.tenantId}, s.id, s.room_id, 'stay', s.from_date, s.until_date, s.booked_room_id
        from unnest(${sql.param(stays.map(() => uuid7()))}::uuid[],
                    ${sql.param(stays.map(({ roomId }) => idToUuid(roomId)))}::uuid[],
                    ${sql.param(stays.map(({ from }) => from))}::date[],
                    ${sql.param(stays.map(({ until }) => until))}::date[],
                    ${sql.param(stays.map(({ bookedRoomId }) => idToUuid(bookedRoomId)))}::uuid[])
             s (id, room_id, from_date, until_date, booked_room_id)
        on conflict do nothing`,
  );
  return inserted === stays.length;
}

/** Takes booked rooms out of the rooms they were in. */
export async function deleteStays(ctx: Ctx, bookedRoomIds: readonly Id<'brm'>[]): Promise<void> {
  await execute(
    ctx.tx,
    sql`delete from inventory.room_uses
        where tenant_id = ${ctx.tenantId}
          and booked_room_id = any (${sql.param(bookedRoomIds.map(idToUuid))}::uuid[])`,
  );
}

/** Takes a room out of the inventory; false when somebody has it on one of the nights. */
export async function insertOutOfOrder(
  ctx: Ctx,
  { blockId, roomId, from, until }: Slice & { blockId: Id<'rbl'> },
): Promise<boolean> {
  const inserted = await execute(
    ctx.tx,
    sql`insert into inventory.room_uses (tenant_id, id, room_id, kind, from_date, until_date, block_id)
        values (${ctx.tenantId}, ${uuid7()}, ${idToUuid(roomId)}, 'out_of_order', ${from}, ${until},
                ${idToUuid(blockId)})
        on conflict do nothing`,
  );
  return inserted === 1;
}

/** Gives a room back to the inventory. */
export async function deleteOutOfOrder(ctx: Ctx, blockId: Id<'rbl'>): Promise<void> {
  await execute(
    ctx.tx,
    sql`delete from inventory.room_uses
        where tenant_id = ${ctx.tenantId}
          and block_id = ${idToUuid(blockId)}`,
  );
}

/** Who or what has a room on some nights. */
export type RoomUse = Slice & {
  readonly kind: (typeof roomUseKinds)[number];
  readonly number: string | null;
  readonly bookedRoomId: Id<'brm'> | null;
  readonly reservationId: Id<'rsv'> | null;
  readonly blockId: Id<'rbl'> | null;
};

type UseRow = {
  roomId: string;
  number: string | null;
  kind: RoomUse['kind'];
  from: LocalDate;
  until: LocalDate;
  bookedRoomId: string | null;
  reservationId: string | null;
  blockId: string | null;
};

const useOf = (found: UseRow): RoomUse => ({
  ...found,
  roomId: idFromUuid('rom', found.roomId),
  bookedRoomId: found.bookedRoomId === null ? null : idFromUuid('brm', found.bookedRoomId),
  reservationId: found.reservationId === null ? null : idFromUuid('rsv', found.reservationId),
  blockId: found.blockId === null ? null : idFromUuid('rbl', found.blockId),
});

const fromUses = sql`
  select u.room_id as "roomId", r.number, u.kind, u.from_date as "from", u.until_date as "until",
         u.booked_room_id as "bookedRoomId", a.reservation_id as "reservationId", u.block_id as "blockId"
  from inventory.room_uses u
  left join inventory.rooms r on r.tenant_id = u.tenant_id and r.id = u.room_id
  left join inventory.allocation_rooms l on l.tenant_id = u.tenant_id and l.booked_room_id = u.booked_room_id
  left join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id`;

/** Everything that has a room on one of these nights; open-ended without `until`. */
export async function usesOfRoom(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  { roomId, from, until }: { roomId: Id<'rom'>; from: LocalDate; until: LocalDate | null },
): Promise<RoomUse[]> {
  const found = await rows<UseRow>(
    tx,
    sql`${fromUses}
        where u.tenant_id = ${tenantId}
          and u.room_id = ${idToUuid(roomId)}
          and u.until_date > ${from}
          and (${until}::date is null or u.from_date < ${until}::date)
        order by u.from_date`,
  );
  return found.map(useOf);
}

/** Who or what has which room of a property: the bars of the tape chart. */
export async function usesOfProperty(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  { propertyId, from, until }: { propertyId: Id<'pro'>; from: LocalDate; until: LocalDate },
): Promise<RoomUse[]> {
  const found = await rows<UseRow>(
    tx,
    sql`${fromUses}
        where u.tenant_id = ${tenantId}
          and r.property_id = ${idToUuid(propertyId)}
          and u.until_date > ${from}
          and u.from_date < ${until}
        order by r.number, u.from_date`,
  );
  return found.map(useOf);
}
