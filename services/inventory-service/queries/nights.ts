import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Night, NightChange } from '../model.ts';

type NightRow = Omit<Night, 'roomTypeId'> & { roomTypeId: string };
const night = (row: NightRow): Night => ({ ...row, roomTypeId: idFromUuid('rty', row.roomTypeId) });

const columns = sql`n.room_type_id as "roomTypeId", n.date, n.rooms, n.capacity, n.overbook_limit as "overbookLimit",
                    n.sold, n.stop_sell as "stopSell", n.version`;

const asTable = (changes: readonly NightChange[]) => sql`
  unnest(${sql.param(changes.map(({ roomTypeId }) => idToUuid(roomTypeId)))}::uuid[],
         ${sql.param(changes.map(({ date }) => date))}::date[],
         ${sql.param(changes.map(({ by }) => by))}::int[]) as asked (room_type_id, date, by)`;

/**
 * Locks the counters of these nights and reads what they say now. One statement in the order (room type, date) that all
 * of this service follows: whoever comes second waits at the first common night, and nobody waits in a circle (R7).
 */
export async function lockNights(ctx: Ctx, changes: readonly NightChange[]): Promise<Night[]> {
  const found = await rows<NightRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.nights n
        join ${asTable(changes)} on asked.room_type_id = n.room_type_id and asked.date = n.date
        where n.tenant_id = ${ctx.tenantId}
        order by n.room_type_id, n.date
        for update of n`,
  );
  return found.map(night);
}

/**
 * Sells and gives back. Capacity goes down, towards the rooms there are, but never up: beyond it the CHECK refuses the
 * whole transaction, whatever the caller thought.
 */
export async function changeSold(ctx: Ctx, changes: readonly NightChange[]): Promise<Night[]> {
  if (changes.length === 0) return [];
  const found = await rows<NightRow>(
    ctx.tx,
    sql`update inventory.nights n
        set sold = n.sold + asked.by,
            capacity = least(n.capacity, greatest(n.rooms, n.sold + asked.by - n.overbook_limit)),
            version = n.version + 1
        from ${asTable(changes)}
        where n.tenant_id = ${ctx.tenantId}
          and n.room_type_id = asked.room_type_id
          and n.date = asked.date
        returning ${columns}`,
  );
  return found.map(night).sort(inOrder);
}

const inOrder = (a: Night, b: Night) => (`${a.roomTypeId} ${a.date}` < `${b.roomTypeId} ${b.date}` ? -1 : 1);

/** A room type and some of its nights `[from, until)`. */
export type TypeNights = { roomTypeId: Id<'rty'>; from: LocalDate; until: LocalDate };

/** Locks and reads the counters of a type for a range of nights, in their order. */
export async function lockTypeNights(ctx: Ctx, { roomTypeId, from, until }: TypeNights): Promise<Night[]> {
  const found = await rows<NightRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.nights n
        where n.tenant_id = ${ctx.tenantId}
          and n.room_type_id = ${idToUuid(roomTypeId)}
          and n.date >= ${from}
          and n.date < ${until}
        order by n.room_type_id, n.date
        for update of n`,
  );
  return found.map(night);
}

/** Makes the counters that are missing. Rooms are counted by {@link recount}. */
export async function insertNights(
  ctx: Ctx,
  { roomTypeId, from, until, propertyId }: TypeNights & { propertyId: Id<'pro'> },
): Promise<number> {
  return execute(
    ctx.tx,
    sql`insert into inventory.nights (tenant_id, room_type_id, date, property_id, rooms, capacity, overbook_limit, stop_sell)
        select t.tenant_id, t.id, day::date, ${idToUuid(propertyId)}, 0, 0, t.overbook_limit,
               exists (select from inventory.stop_sells s
                       where s.tenant_id = t.tenant_id and s.room_type_id = t.id and s.ending is null
                         and s.from_date <= day::date and day::date < s.until_date)
        from inventory.room_types t,
             generate_series(${from}::date::timestamp, ${until}::date::timestamp - interval '1 day', interval '1 day') day
        where t.tenant_id = ${ctx.tenantId}
          and t.id = ${idToUuid(roomTypeId)}
        on conflict (tenant_id, room_type_id, date) do nothing`,
  );
}

const isSold = sql`r.room_type_id = n.room_type_id
                   and r.sellable_from <= n.date
                   and (r.closed_from is null or n.date < r.closed_from)`;

/**
 * Counts the rooms of a type that we can sell on each night: those that are out of order or that a portal sold are not
 * among them. Where a room was archived under a portal's booking there are none, not fewer than none. The caller holds
 * the type's lock, so that two changes of its rooms do not overlook each other. Nights that are sold beyond it keep the
 * capacity they need.
 *
 * Night by night and without a join: a planner that has no statistics yet counts all nights anew for each of them.
 */
export async function recount(ctx: Ctx, { roomTypeId, from, until }: TypeNights): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.nights n
        set (rooms, capacity, version) = (
          select counted.rooms,
                 greatest(counted.rooms, n.sold - n.overbook_limit),
                 n.version + 1
          from (
            select greatest(0,
                   (select count(*)::int
                    from inventory.rooms r
                    where r.tenant_id = n.tenant_id
                      and ${isSold})
                 - (select count(*)::int
                    from inventory.room_uses u
                    join inventory.rooms r on r.tenant_id = u.tenant_id and r.id = u.room_id
                    where u.tenant_id = n.tenant_id
                      and u.kind <> 'stay'
                      and u.from_date <= n.date
                      and n.date < u.until_date
                      and ${isSold})
                 - (select count(*)::int
                    from inventory.type_uses t
                    where t.tenant_id = n.tenant_id
                      and t.room_type_id = n.room_type_id
                      and t.from_date <= n.date
                      and n.date < t.until_date)) as rooms
          ) counted)
        where n.tenant_id = ${ctx.tenantId}
          and n.room_type_id = ${idToUuid(roomTypeId)}
          and n.date >= ${from}
          and n.date < ${until}`,
  );
}

/** Sets the overbooking limit of nights; the CHECK refuses one below what is sold. */
export async function setOverbookLimit(
  ctx: Ctx,
  { roomTypeId, from, until, limit }: TypeNights & { limit: number },
): Promise<Night[]> {
  const found = await rows<NightRow>(
    ctx.tx,
    sql`update inventory.nights n
        set overbook_limit = ${limit}::int,
            capacity = least(n.capacity, greatest(n.rooms, n.sold - ${limit}::int)),
            version = n.version + 1
        where n.tenant_id = ${ctx.tenantId}
          and n.room_type_id = ${idToUuid(roomTypeId)}
          and n.date >= ${from}
          and n.date < ${until}
        returning ${columns}`,
  );
  return found.map(night);
}

/** Marks the nights that a stop-sell in force covers, and unmarks the others. */
export async function remarkStopSells(ctx: Ctx, { roomTypeId, from, until }: TypeNights): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.nights n
        set stop_sell = not n.stop_sell,
            version = n.version + 1
        where n.tenant_id = ${ctx.tenantId}
          and n.room_type_id = ${idToUuid(roomTypeId)}
          and n.date >= ${from}
          and n.date < ${until}
          and n.stop_sell <> exists (
            select from inventory.stop_sells s
            where s.tenant_id = n.tenant_id
              and s.room_type_id = n.room_type_id
              and s.ending is null
              and s.from_date <= n.date
              and n.date < s.until_date)`,
  );
}

/** The counters of a property, or of one of its types, by type and night. */
export async function readNights(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  asked: { propertyId: Id<'pro'>; from: LocalDate; until: LocalDate; roomTypeId?: Id<'rty'> | undefined },
): Promise<Night[]> {
  const one = asked.roomTypeId === undefined ? null : idToUuid(asked.roomTypeId);
  const found = await rows<NightRow>(
    tx,
    sql`select ${columns}
        from inventory.nights n
        where n.tenant_id = ${tenantId}
          and n.property_id = ${idToUuid(asked.propertyId)}
          and n.date >= ${asked.from}
          and n.date < ${asked.until}
          and (${one}::uuid is null or n.room_type_id = ${one}::uuid)
        order by n.room_type_id, n.date`,
  );
  return found.map(night);
}
