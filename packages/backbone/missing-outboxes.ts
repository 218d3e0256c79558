import type { Database } from '@ghasi/db/database';
import { backboneErrors } from './errors.ts';

/**
 * Throws when a schema has no outbox. One look serves all outboxes, so a single missing table would keep the safety net
 * of every service from working, and all gauges from being read.
 */
export async function assertOutboxes(db: Database, schemas: readonly string[]): Promise<void> {
  // From the catalogue: of a schema without messaging the relay may not even ask by name.
  const { rows } = await db.pool.query<{ schema: string }>(
    `select s.schema
     from unnest($1::text[]) with ordinality as s (schema, place)
     where not exists (
       select
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = s.schema and c.relname = 'outbox')
     order by s.place`,
    [schemas],
  );
  if (rows.length > 0) throw backboneErrors.NO_OUTBOX({ schemas: rows.map(({ schema }) => schema) });
}
