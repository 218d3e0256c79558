import type { Database } from '@ghasi/db/database';
import { escapeIdentifier } from 'pg';
import { outboxColumns } from './outbox-columns.ts';

const BATCH = 2_000;

/**
 * Has everything published once more that was published since a moment: rows go back to their old places in the
 * outboxes, so each key comes in its old order under its old ids, and inboxes know what they have applied. For a broker
 * that lost its memory, and for consumers of one that cannot seek (DLQ-39, X-086). Returns how many rows. They are kept
 * 7 days; what is older than the oldest row is gone.
 */
export async function republishSince(db: Database, since: Date): Promise<number> {
  let count = 0;
  for (const schema of await archivedSchemas(db)) {
    await db.pool.query(voidClaims(escapeIdentifier(schema)));
    const statement = putBack(schema);
    count += await pageByPage(async above => {
      const { rows } = await db.pool.query<Page>(statement, [since, above, BATCH, null, null]);
      return rows[0] as Page;
    });
  }
  return count;
}

/** Every service of the installation: whoever recovers does it for all of them. */
export async function archivedSchemas(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ schema: string }>(
    `select n.nspname as schema
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relname = 'outbox_archive' and c.relkind = 'r' and has_table_privilege(c.oid, 'delete')
     order by 1`,
  );
  return rows.map(({ schema }) => schema);
}

// What another relay has published and not yet settled is in no archive: it would settle it afterwards, as published to a
// broker that has forgotten it. Without its claim it settles nothing, and the rows stay where they are.
const voidClaims = (schema: string) => `
  update ${schema}.outbox
  set lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1
  where lease_owner is not null`;

/** How many rows were found and the number of the last, and how many went back: somebody may have removed some meanwhile. */
export type Page = { readonly found: number; readonly last: bigint | null; readonly moved: number };

/** Has pages put back, each above the last number of the one before, until nothing is found. Returns how many rows. */
export async function pageByPage(putPage: (above: Page['last']) => Promise<Page>): Promise<number> {
  let count = 0;
  for (let page = await putPage(0n); page.found > 0; page = await putPage(page.last)) count += page.moved;
  return count;
}

/**
 * The statement that puts rows back: published from $1 on, with numbers above $2, $3 at once, published before $4, of the
 * tenant $5 (null: all). The oldest first, page by page along their numbers: rows of a key that are still behind keep waiting
 * in the archive until it is their turn. In a recovery none appears below a page that was done: whoever was publishing has
 * no claim any more.
 */
export const putBack = (schema: string) => `
  with chosen as (
    select b.tenant_id, b.id, b.seq
    from ${escapeIdentifier(schema)}.outbox_archive b
    where b.published_at >= $1 and b.seq > $2
      and ($4::timestamptz is null or b.published_at < $4)
      and ($5::uuid is null or b.tenant_id = $5)
    order by b.seq
    limit $3
  ), back as (
    delete from ${escapeIdentifier(schema)}.outbox_archive a
    using chosen c
    where a.tenant_id = c.tenant_id and a.id = c.id
    returning a.*
  ), again as (
    insert into ${escapeIdentifier(schema)}.outbox (${outboxColumns}, lease_epoch)
    overriding system value
    select ${outboxColumns}, lease_epoch
    from back
    order by seq
    returning seq
  )
  select count(*)::int as found, max(c.seq) as last, (select count(*)::int from again) as moved
  from chosen c`;

/** How many `putBack` would find in all, with $2 for its $4 and $3 for its $5. */
export const countBack = (schema: string) => `
  select count(*)::int as n
  from ${escapeIdentifier(schema)}.outbox_archive b
  where b.published_at >= $1 and b.published_at < $2 and ($3::uuid is null or b.tenant_id = $3)`;
