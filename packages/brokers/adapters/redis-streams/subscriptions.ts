import type { Database } from '@ghasi/db/database';
import { ensureCursors } from '../postgres/leases.ts';
import type { StreamGroup } from './stream-group.ts';
import type { Streams } from './streams.ts';

/**
 * Makes the groups of subscriptions. One that PostgreSQL knows and Redis does not was forgotten by Redis, so it begins
 * with everything there is, and the era ends; a new one begins with what is published from now on. The groups come
 * first: whoever sees that PostgreSQL knows a subscription can rely on it that its group was made.
 */
export async function ensureGroups(
  db: Database,
  streams: Streams,
  subscriptions: readonly string[],
): Promise<void> {
  const known = new Set(await knownSubscriptions(db));
  const make = async (name: string): Promise<boolean> => {
    const made = await streams.makeGroup(name, known.has(name) ? 'start' : 'end');
    return known.has(name) && made > 0;
  };
  const forgotten = await Promise.all(subscriptions.map(make));
  if (forgotten.includes(true)) await streams.endEra();
  await ensureCursors(db, subscriptions, 'redis-streams');
}

/** Every subscription of the installation. */
export async function knownSubscriptions(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ subscription: string }>(
    'select subscription from brokers.cursor where shard = 0',
  );
  return rows.map(({ subscription }) => subscription);
}

/** Notes up to which moment everything is done. What Redis forgets later than that moment can be given again. */
export async function noteProgress(db: Database, group: StreamGroup): Promise<void> {
  const { doneUntil, held } = group;
  if (doneUntil === undefined || held.length === 0) return;
  await db.pool.query(
    `update brokers.cursor c
     set moved_at = greatest(c.moved_at, to_timestamp($2::float8 / 1000000))
     from unnest($3::smallint[], $4::bigint[]) as h (shard, epoch)
     where c.subscription = $1 and c.shard = h.shard and c.epoch = h.epoch`,
    [group.name, doneUntil, held.map(({ shard }) => shard), held.map(({ epoch }) => epoch)],
  );
}

/** Since when messages may be missing if Redis forgot everything; undefined when nobody consumes. */
export async function missingSince(db: Database, skewMs: number): Promise<Date | undefined> {
  const { rows } = await db.pool.query<{ since: Date | null }>(
    `select min(moved_at) - $1 * interval '1 millisecond' as since from brokers.cursor`,
    [skewMs],
  );
  return rows[0]?.since ?? undefined;
}
