import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import type { MigrationSet } from '@ghasi/db/migrate';
import { execute } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import type { CacheUse, FlushUses } from './cache-counters.ts';
import { tenantOfKey } from './cache-key.ts';

/** The schema of `cache_metadata`. */
export const hotMigrations: MigrationSet = {
  schema: 'hot',
  folder: new URL('./migrations/', import.meta.url),
};

// A tag may hold a guest's text; one that PostgreSQL refuses would keep the batch of all keys waiting for ever.
const MOST_OF_A_TAG = 512;

const actor = { type: 'system', id: 'cache-metadata' } as const;

/** Writes batches of one cache's use to PostgreSQL; `db` must sign in as `maintenance`. Pass it to `openCache` as `flush`. */
export function cacheMetadata(db: Database, cacheName: string): FlushUses {
  return async uses => {
    await systemTransaction(db, { actor }, ({ tx }) => execute(tx, upsert(cacheName, uses)));
  };
}

/** One statement for the whole batch. Keys in order: two processes that write the same ones cannot deadlock. */
function upsert(cacheName: string, uses: readonly CacheUse[]) {
  const rows = uses
    .map(({ key, hits, lastAccessedAt, ttlMs, tags }) => {
      const tenant = tenantOfKey(key);
      return {
        tenant_id: tenant === 'global' ? PLATFORM_TENANT_ID : tenant,
        key: `${cacheName}:${key}`,
        hits,
        at: new Date(lastAccessedAt).toISOString(),
        ttl: Math.ceil(ttlMs / 1000),
        tags: tags.map(tag => safeReason(tag, MOST_OF_A_TAG)),
      };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return sql`
    insert into hot.cache_metadata as known (tenant_id, key, ttl_seconds, expires_at, hit_count, last_accessed_at, tags)
    select tenant_id, key, ttl, at + make_interval(secs => ttl), hits, at,
           array(select jsonb_array_elements_text(tags))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as batch (tenant_id uuid, key text, hits bigint, at timestamptz, ttl integer, tags jsonb)
    on conflict (tenant_id, key) do update
    set hit_count = known.hit_count + excluded.hit_count,
        last_accessed_at = greatest(known.last_accessed_at, excluded.last_accessed_at),
        expires_at = greatest(known.expires_at, excluded.expires_at),
        ttl_seconds = excluded.ttl_seconds,
        tags = excluded.tags,
        updated_at = now()`;
}
