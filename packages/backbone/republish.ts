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
    const statement = putBack(escapeIdentifier(schema));
    for (let moved = BATCH; moved === BATCH; count += moved)
      moved = (await db.pool.query(statement, [since, BATCH])).rowCount ?? 0;
  }
  return count;
}

/** Forgets what was published before a moment; returns how many rows. */
export async function pruneArchive(db: Database, before: Date): Promise<number> {
  let count = 0;
  for (const schema of await archivedSchemas(db)) {
    const statement = remove(escapeIdentifier(schema));
    for (let removed = BATCH; removed === BATCH; count += removed)
      removed = (await db.pool.query(statement, [before, BATCH])).rowCount ?? 0;
  }
  return count;
}

/** Every service of the installation: whoever recovers does it for all of them. */
async function archivedSchemas(db: Database): Promise<string[]> {
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

// The oldest first: rows of a key that are still behind keep waiting in the archive until it is their turn.
const putBack = (schema: string) => `
  with back as (
    delete from ${schema}.outbox_archive a
    using (
      select b.tenant_id, b.id
      from ${schema}.outbox_archive b
      where b.published_at >= $1
      order by b.seq
      limit $2
    ) chosen
    where a.tenant_id = chosen.tenant_id and a.id = chosen.id
    returning a.*
  )
  insert into ${schema}.outbox (${outboxColumns}, lease_epoch)
  overriding system value
  select ${outboxColumns}, lease_epoch
  from back
  order by seq`;

const remove = (schema: string) => `
  delete from ${schema}.outbox_archive a
  using (
    select b.tenant_id, b.id
    from ${schema}.outbox_archive b
    where b.published_at < $1
    limit $2
  ) chosen
  where a.tenant_id = chosen.tenant_id and a.id = chosen.id`;
