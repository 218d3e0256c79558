import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Zone } from '@ghasi/domain-primitives/zone';
import type { feedStatuses } from '../model.ts';
import { orNull, type Place, placeOf } from './places.ts';

/** A calendar of a portal that we read. */
export type Feed = Place & {
  readonly id: Id<'cfd'>;
  readonly propertyId: Id<'pro'>;
  readonly name: string;
  readonly url: string | null;
  readonly ignored: readonly string[];
  readonly status: (typeof feedStatuses)[number];
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly checkedAt: Date | null;
  readonly importedAt: Date | null;
  readonly lastError: string | null;
  readonly failures: number;
  readonly nextFetchAt: Date | null;
  /** Of its property. */
  readonly zone: Zone;
};

type FeedRow = Omit<Feed, 'id' | 'propertyId' | 'roomId' | 'roomTypeId'> & {
  id: string;
  propertyId: string;
  roomId: string | null;
  roomTypeId: string | null;
};

const feed = (found: FeedRow): Feed => ({
  ...found,
  ...placeOf(found),
  id: idFromUuid('cfd', found.id),
  propertyId: idFromUuid('pro', found.propertyId),
});

const selectFeeds = sql`
  select f.id, f.property_id as "propertyId", f.room_id as "roomId", f.room_type_id as "roomTypeId", f.name, f.url, f.ignored,
         f.status, f.etag, f.last_modified as "lastModified", f.checked_at as "checkedAt", f.imported_at as "importedAt",
         f.last_error as "lastError", f.failures, f.next_fetch_at as "nextFetchAt", p.zone
  from inventory.feeds f
  join inventory.properties p on p.tenant_id = f.tenant_id and p.id = f.property_id`;

/** Writes a new feed down. */
export async function insertFeed(ctx: Ctx, one: Feed): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.feeds
          (tenant_id, id, property_id, room_id, room_type_id, name, url, ignored, status, next_fetch_at, created_at)
        values (${ctx.tenantId}, ${idToUuid(one.id)}, ${idToUuid(one.propertyId)}, ${orNull(one.roomId)}::uuid,
                ${orNull(one.roomTypeId)}::uuid, ${one.name}, ${one.url}, ${sql.param([...one.ignored])}::text[],
                ${one.status}, ${one.nextFetchAt}, ${ctx.now})`,
  );
}

/** One feed that is not removed. */
export async function findFeed(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  id: Id<'cfd'>,
): Promise<Feed | undefined> {
  const found = await row<FeedRow>(
    tx,
    sql`${selectFeeds}
        where f.tenant_id = ${tenantId}
          and f.id = ${idToUuid(id)}
          and f.status <> 'removed'`,
  );
  return found && feed(found);
}

/** The same, locked: imports of a feed come one after the other. Taken before its blocks, the type and the nights. */
export async function lockFeed(ctx: Ctx, id: Id<'cfd'>): Promise<Feed | undefined> {
  const found = await row<FeedRow>(
    ctx.tx,
    sql`${selectFeeds}
        where f.tenant_id = ${ctx.tenantId}
          and f.id = ${idToUuid(id)}
          and f.status <> 'removed'
        for update of f`,
  );
  return found && feed(found);
}

/** The feeds of a property. */
export async function listFeeds({ tx, tenantId }: Ctx, propertyId: Id<'pro'>): Promise<Feed[]> {
  const found = await rows<FeedRow>(
    tx,
    sql`${selectFeeds}
        where f.tenant_id = ${tenantId}
          and f.property_id = ${idToUuid(propertyId)}
          and f.status <> 'removed'
        order by f.id`,
  );
  return found.map(feed);
}

/** How many feeds a room or type has. */
export async function countFeeds({ tx, tenantId }: Ctx, { roomId, roomTypeId }: Place): Promise<number> {
  const found = await row<{ n: number }>(
    tx,
    sql`select count(*)::int as n
        from inventory.feeds
        where tenant_id = ${tenantId}
          and room_id is not distinct from ${orNull(roomId)}::uuid
          and room_type_id is not distinct from ${orNull(roomTypeId)}::uuid
          and status <> 'removed'`,
  );
  return found?.n ?? 0;
}

/** Writes down everything of a feed that can change. */
export async function saveFeed(ctx: Ctx, one: Feed): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.feeds
        set name = ${one.name},
            url = ${one.url},
            ignored = ${sql.param([...one.ignored])}::text[],
            status = ${one.status},
            etag = ${one.etag},
            last_modified = ${one.lastModified},
            checked_at = ${one.checkedAt},
            imported_at = ${one.importedAt},
            last_error = ${one.lastError},
            failures = ${one.failures},
            next_fetch_at = ${one.nextFetchAt}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(one.id)}`,
  );
}

/** Takes a feed's turn: true for the one who got it. It comes round again at `next` if nothing else is heard of it. */
export async function takeTurn(ctx: Ctx, id: Id<'cfd'>, next: Date): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`update inventory.feeds
        set next_fetch_at = ${next}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}
          and next_fetch_at <= ${ctx.now}`,
  );
  return touched === 1;
}
