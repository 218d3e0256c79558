import { asc, eq, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { houses, rooms } from '../tables.ts';

/** A house as far as repairs care. */
export type House = { readonly businessDate: LocalDate; readonly currency: CurrencyCode | null };

/** A room as property-service told of it. */
export type Room = {
  readonly id: Id<'rom'>;
  readonly propertyId: Id<'pro'>;
  readonly roomTypeId: Id<'rty'>;
  readonly number: string;
  readonly closedFrom: LocalDate | null;
};

/** A house, if it is known. */
export async function findHouse({ tx }: Pick<Ctx, 'tx'>, id: Id<'pro'>): Promise<House | undefined> {
  const [found] = await tx
    .select()
    .from(houses)
    .where(eq(houses.id, idToUuid(id)));
  return (
    found && {
      businessDate: found.businessDate as LocalDate,
      currency: found.currency as CurrencyCode | null,
    }
  );
}

/** Notes what a version of the property says; false when this or a newer one was heard before. */
export async function saveHouse(
  ctx: Ctx,
  house: { id: Id<'pro'>; businessDate: string; currency: string | null; version: number },
): Promise<boolean> {
  const { id, businessDate, currency, version } = house;
  // The currency of a house is for good and told once: a day that was heard of before it must not hide it.
  const touched = await execute(
    ctx.tx,
    sql`insert into maintenance.houses as h (tenant_id, id, business_date, currency, version)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${businessDate}, ${currency}, ${version})
        on conflict (tenant_id, id) do update
          set business_date = case when h.version < excluded.version then excluded.business_date else h.business_date end,
              currency = coalesce(h.currency, excluded.currency),
              version = greatest(h.version, excluded.version)
          where h.version < excluded.version
             or (h.currency is null and excluded.currency is not null)`,
  );
  return touched === 1;
}

/** One room. */
export async function findRoom({ tx }: Pick<Ctx, 'tx'>, id: Id<'rom'>): Promise<Room | undefined> {
  const [found] = await tx
    .select()
    .from(rooms)
    .where(eq(rooms.id, idToUuid(id)));
  return found && roomFrom(found);
}

/** The rooms of a house, by their numbers. */
export async function listRooms({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<Room[]> {
  const found = await tx
    .select()
    .from(rooms)
    .where(eq(rooms.propertyId, idToUuid(propertyId)))
    .orderBy(asc(rooms.number), asc(rooms.id));
  return found.map(roomFrom);
}

/** Notes what a version of a room says; false when this or a newer one was heard before. */
export async function saveRoom(ctx: Ctx, room: Room, version: number): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`insert into maintenance.rooms as r (tenant_id, id, property_id, room_type_id, number, closed_from, version)
        values (${ctx.tenantId}, ${idToUuid(room.id)}, ${idToUuid(room.propertyId)}, ${idToUuid(room.roomTypeId)},
                ${room.number}, ${room.closedFrom}::date, ${version})
        on conflict (tenant_id, id) do update
          set number = excluded.number,
              closed_from = excluded.closed_from,
              version = excluded.version
          where r.version < excluded.version`,
  );
  return touched === 1;
}

function roomFrom(row: typeof rooms.$inferSelect): Room {
  return {
    id: idFromUuid('rom', row.id),
    propertyId: idFromUuid('pro', row.propertyId),
    roomTypeId: idFromUuid('rty', row.roomTypeId),
    number: row.number,
    closedFrom: row.closedFrom as LocalDate | null,
  };
}
