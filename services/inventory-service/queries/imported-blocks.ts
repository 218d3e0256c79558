import { type SQL, sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { KnownBlock } from '../calendar/follow-feed.ts';
import type { Nights } from '../calendar/nights.ts';
import type { BlockEnding } from '../model.ts';
import type { Place } from './places.ts';
import { orNull } from './places.ts';

type KnownRow = Omit<KnownBlock, 'id' | 'taken'> & { id: string; taken: Nights[] | null };

/** Imported blocks, locked, with the nights they have from today on. */
async function lockKnown(ctx: Ctx, which: SQL, today: LocalDate): Promise<KnownBlock[]> {
  const found = await rows<KnownRow>(
    ctx.tx,
    sql`select b.id, b.event_uid as uid, b.from_date as "from", b.until_date as "until", b.status, b.ending,
               (select jsonb_agg(jsonb_build_object('from', greatest(u.from_date, ${today}::date), 'until', u.until_date))
                from (${usesOfBlock}) u
                where u.until_date > ${today}::date) as taken,
               (select min(u.from_date) from (${usesOfBlock}) u
                where u.from_date < ${today}::date and u.until_date > ${today}::date) as begun
        from inventory.blocks b
        where b.tenant_id = ${ctx.tenantId}
          and b.kind = 'imported'
          and ${which}
        order by b.id
        for update of b`,
  );
  return found.map(one => ({ ...one, id: idFromUuid('rbl', one.id), taken: one.taken ?? [] }));
}

const usesOfBlock = sql`
  select r.from_date, r.until_date from inventory.room_uses r where r.tenant_id = b.tenant_id and r.block_id = b.id
  union all
  select t.from_date, t.until_date from inventory.type_uses t where t.tenant_id = b.tenant_id and t.block_id = b.id`;

/** The blocks of a feed that are not over, or whose event is told of again. */
export function lockBlocksOfFeed(
  ctx: Ctx,
  { feedId, uids, today }: { feedId: Id<'cfd'>; uids: readonly string[]; today: LocalDate },
): Promise<KnownBlock[]> {
  const which = sql`b.feed_id = ${idToUuid(feedId)}
                    and (b.until_date > ${today}::date or b.event_uid = any (${sql.param([...uids])}::text[]))`;
  return lockKnown(ctx, which, today);
}

/** One imported block. */
export async function lockImported(
  ctx: Ctx,
  id: Id<'rbl'>,
  today: LocalDate,
): Promise<KnownBlock | undefined> {
  return (await lockKnown(ctx, sql`b.id = ${idToUuid(id)}`, today))[0];
}

/** A block of a feed as it shall be. */
export type SavedBlock = Nights & { id: Id<'rbl'>; uid: string; status: 'active' | 'waiting' };

/** Writes blocks of a feed down: new ones, and the dates of those that are known. */
export async function saveImported(
  ctx: Ctx,
  blocks: readonly SavedBlock[],
  of: Place & { feedId: Id<'cfd'>; propertyId: Id<'pro'> },
): Promise<void> {
  if (blocks.length === 0) return;
  await execute(
    ctx.tx,
    sql`insert into inventory.blocks
          (tenant_id, id, property_id, room_id, room_type_id, kind, from_date, until_date, feed_id, event_uid, status, created_at)
        select ${ctx.tenantId}, s.id, ${idToUuid(of.propertyId)}, ${orNull(of.roomId)}::uuid, ${orNull(of.roomTypeId)}::uuid,
               'imported', s.from_date, s.until_date, ${idToUuid(of.feedId)}, s.uid, s.status, ${ctx.now}
        from unnest(${sql.param(blocks.map(({ id }) => idToUuid(id)))}::uuid[],
                    ${sql.param(blocks.map(({ from }) => from))}::date[],
                    ${sql.param(blocks.map(({ until }) => until))}::date[],
                    ${sql.param(blocks.map(({ uid }) => uid))}::text[],
                    ${sql.param(blocks.map(({ status }) => status))}::text[])
             s (id, from_date, until_date, uid, status)
        on conflict (tenant_id, id) do update
          set from_date = excluded.from_date,
              until_date = excluded.until_date,
              status = excluded.status,
              ending = null`,
  );
}

/** Blocks that are over before their time. */
export async function endBlocks(ctx: Ctx, ids: readonly Id<'rbl'>[], ending: BlockEnding): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.blocks
        set status = 'ended',
            ending = ${ending}
        where tenant_id = ${ctx.tenantId}
          and id = any (${sql.param(ids.map(idToUuid))}::uuid[])`,
  );
}

/** Nights of a block. */
export type BlockNights = Nights & { blockId: Id<'rbl'> };

/**
 * Gives blocks other nights than they have. Of what they have, everything that is not over goes; the caller says again
 * what stays. False when a room is taken on one of them: the exclusion constraint decides (R7).
 */
export async function replaceUses(
  ctx: Ctx,
  place: { roomId: Id<'rom'> | null; roomTypeId: Id<'rty'> },
  {
    blockIds,
    nights,
    today,
  }: { blockIds: readonly Id<'rbl'>[]; nights: readonly BlockNights[]; today: LocalDate },
): Promise<boolean> {
  const [table, column, id] =
    place.roomId === null
      ? [sql`inventory.type_uses`, sql`room_type_id`, idToUuid(place.roomTypeId)]
      : [sql`inventory.room_uses`, sql`room_id`, idToUuid(place.roomId)];
  const kind =
    place.roomId === null
      ? { column: sql``, value: sql`` }
      : { column: sql`, kind`, value: sql`, 'imported'` };
  await execute(
    ctx.tx,
    sql`delete from ${table}
        where tenant_id = ${ctx.tenantId}
          and block_id = any (${sql.param(blockIds.map(idToUuid))}::uuid[])
          and until_date > ${today}::date`,
  );
  if (nights.length === 0) return true;
  const inserted = await execute(
    ctx.tx,
    sql`insert into ${table} (tenant_id, id, ${column}, block_id, from_date, until_date${kind.column})
        select ${ctx.tenantId}, s.id, ${id}::uuid, s.block_id, s.from_date, s.until_date${kind.value}
        from unnest(${sql.param(nights.map(() => uuid7()))}::uuid[],
                    ${sql.param(nights.map(({ blockId }) => idToUuid(blockId)))}::uuid[],
                    ${sql.param(nights.map(({ from }) => from))}::date[],
                    ${sql.param(nights.map(({ until }) => until))}::date[])
             s (id, block_id, from_date, until_date)
        on conflict do nothing`,
  );
  return inserted === nights.length;
}
