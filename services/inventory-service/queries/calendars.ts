import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Zone } from '@ghasi/domain-primitives/zone';
import { joined, type Nights } from '../calendar/nights.ts';
import { orNull, type Place, placeOf } from './places.ts';

/** A calendar that we publish. */
export type Calendar = Place & {
  readonly id: Id<'cal'>;
  readonly propertyId: Id<'pro'>;
  readonly exceptFeedId: Id<'cfd'> | null;
  readonly createdAt: Date;
};

type CalendarRow = {
  id: string;
  propertyId: string;
  roomId: string | null;
  roomTypeId: string | null;
  exceptFeedId: string | null;
  createdAt: Date;
};

const calendar = (found: CalendarRow): Calendar => ({
  ...placeOf(found),
  id: idFromUuid('cal', found.id),
  propertyId: idFromUuid('pro', found.propertyId),
  exceptFeedId: found.exceptFeedId === null ? null : idFromUuid('cfd', found.exceptFeedId),
  createdAt: found.createdAt,
});

const columns = sql`c.id, c.property_id as "propertyId", c.room_id as "roomId", c.room_type_id as "roomTypeId",
                    c.except_feed_id as "exceptFeedId", c.created_at as "createdAt"`;

/** Writes a calendar down; of its token only the hash is kept. */
export async function insertCalendar(ctx: Ctx, one: Calendar, tokenHash: Buffer): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.calendars
          (tenant_id, id, property_id, room_id, room_type_id, except_feed_id, token_hash, created_at)
        values (${ctx.tenantId}, ${idToUuid(one.id)}, ${idToUuid(one.propertyId)}, ${orNull(one.roomId)}::uuid,
                ${orNull(one.roomTypeId)}::uuid, ${orNull(one.exceptFeedId)}::uuid, ${sql.param(tokenHash)}, ${one.createdAt})`,
  );
}

/** The calendars of a property that can be read. */
export async function listCalendars({ tx, tenantId }: Ctx, propertyId: Id<'pro'>): Promise<Calendar[]> {
  const found = await rows<CalendarRow>(
    tx,
    sql`select ${columns}
        from inventory.calendars c
        where c.tenant_id = ${tenantId}
          and c.property_id = ${idToUuid(propertyId)}
          and c.revoked_at is null
        order by c.id`,
  );
  return found.map(calendar);
}

/** Nobody can read a calendar any more; false when there is none. */
export async function revokeCalendar(ctx: Ctx, id: Id<'cal'>): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`update inventory.calendars
        set revoked_at = coalesce(revoked_at, ${ctx.now})
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}`,
  );
  return touched === 1;
}

/** Whose token this is; without a tenant, by a function that gives ids and nothing else. */
export async function calendarOfToken(
  { tx }: Pick<Ctx, 'tx'>,
  tokenHash: Buffer,
): Promise<{ tenantId: TenantId; id: Id<'cal'> } | undefined> {
  const found = await row<{ tenantId: TenantId; id: string }>(
    tx,
    sql`select tenant_id as "tenantId", id
        from inventory.calendar_of_token(${sql.param(tokenHash)})`,
  );
  return found && { tenantId: found.tenantId, id: idFromUuid('cal', found.id) };
}

/** One calendar that can be read, with the zone and the type it is about. */
export async function findCalendar(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  id: Id<'cal'>,
): Promise<(Calendar & { zone: Zone; ofTypeId: Id<'rty'> }) | undefined> {
  const found = await row<CalendarRow & { zone: Zone; ofTypeId: string }>(
    tx,
    sql`select ${columns}, p.zone, coalesce(c.room_type_id, r.room_type_id) as "ofTypeId"
        from inventory.calendars c
        join inventory.properties p on p.tenant_id = c.tenant_id and p.id = c.property_id
        left join inventory.rooms r on r.tenant_id = c.tenant_id and r.id = c.room_id
        where c.tenant_id = ${tenantId}
          and c.id = ${idToUuid(id)}
          and c.revoked_at is null`,
  );
  return found && { ...calendar(found), zone: found.zone, ofTypeId: idFromUuid('rty', found.ofTypeId) };
}

/**
 * When a room or type cannot be sold, from a night on, as far as nights are counted: somebody has the room, or no room
 * of the type is left or it is off sale. A portal may not use our overbooking limit: it would not know that it did.
 */
export async function busyNights(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  asked: { roomId: Id<'rom'> | null; ofTypeId: Id<'rty'>; exceptFeedId: Id<'cfd'> | null; from: LocalDate },
): Promise<Nights[]> {
  const [room, except] = [orNull(asked.roomId), orNull(asked.exceptFeedId)];
  const found = await rows<{ date: LocalDate }>(
    tx,
    sql`with own as (
          select u.from_date, u.until_date
          from inventory.blocks b
          join inventory.room_uses u on u.tenant_id = b.tenant_id and u.block_id = b.id
          join inventory.rooms r on r.tenant_id = u.tenant_id and r.id = u.room_id and r.room_type_id = ${idToUuid(asked.ofTypeId)}
          where b.tenant_id = ${tenantId} and b.feed_id = ${except}::uuid
          union all
          select t.from_date, t.until_date
          from inventory.blocks b
          join inventory.type_uses t on t.tenant_id = b.tenant_id and t.block_id = b.id
          where b.tenant_id = ${tenantId} and b.feed_id = ${except}::uuid and t.room_type_id = ${idToUuid(asked.ofTypeId)}
        )
        select n.date
        from inventory.nights n
        left join inventory.rooms r on r.tenant_id = n.tenant_id and r.id = ${room}::uuid
        where n.tenant_id = ${tenantId}
          and n.room_type_id = ${idToUuid(asked.ofTypeId)}
          and n.date >= ${asked.from}
          and (n.stop_sell
               or n.rooms + (select count(*) from own where own.from_date <= n.date and n.date < own.until_date) <= n.sold
               or (r.id is not null and (n.date < r.sellable_from or n.date >= r.closed_from))
               or exists (select from inventory.room_uses u
                          left join inventory.blocks b on b.tenant_id = u.tenant_id and b.id = u.block_id
                          where u.tenant_id = n.tenant_id
                            and u.room_id = ${room}::uuid
                            and u.from_date <= n.date
                            and n.date < u.until_date
                            and (${except}::uuid is null or b.feed_id is distinct from ${except}::uuid)))
        order by n.date`,
  );
  return joined(found.map(({ date }) => ({ from: date, until: addDays(date, 1) })));
}
