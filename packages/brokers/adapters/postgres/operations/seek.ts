import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import type { Position } from '../log-reader.ts';
import {
  assertInLog,
  countFor,
  endOfLog,
  firstFrom,
  placeAt,
  type RoughCount,
  startOfLog,
} from './log-range.ts';
import { type Change, operate, record } from './operation.ts';
import { assertReadsLog, findSubscription } from './subscriptions.ts';

/** Where to: a moment, the oldest message that is kept, or after the newest. */
export type SeekTarget = Date | 'start' | 'end';

/** What a seek does. */
export type Sought = {
  readonly subscription: string;
  readonly position: number;
  /** When the first message from there on was published; null when there is none. */
  readonly firstAt: Date | null;
  /** Messages it has read and gets once more. The inbox makes those it has applied a no-op (DLQ-28). */
  readonly again: Pick<RoughCount, 'count' | 'isMore'>;
  /** Parked keys, dead ones among them, that are taken apart because all their messages come again. */
  readonly unparked: number;
  /** Messages it has not read and will never get. */
  readonly skipped: Pick<RoughCount, 'count' | 'isMore'>;
  readonly dryRun: boolean;
};

/**
 * Moves a subscription, in all its processes at once: every shard's fencing number rises, so whatever was in flight may
 * not acknowledge any more, and the owners start again from the new place within a heartbeat. A key that was parked
 * after that place starts afresh too: its messages come again from the log, in order with the others of the key.
 */
export function seek(
  db: Database,
  change: Change,
  target: { readonly subscription: string; readonly to: SeekTarget; readonly topics?: readonly string[] },
): Promise<Sought> {
  return operate(db, change, async tx => {
    const subscription = await findSubscription(tx, target.subscription);
    await assertReadsLog(tx, subscription);
    const place = await placeOf(tx, target.to);
    const again = await crossed(tx, { subscription, place, topics: target.topics, side: 'done' });
    const skipped = await crossed(tx, { subscription, place, topics: target.topics, side: 'ahead' });
    const sought: Sought = {
      subscription,
      position: place.off,
      firstAt: (await firstFrom(tx, place.off + 1))?.published_at ?? null,
      again,
      unparked: (await parkedAfter(tx, subscription, place.off)).length,
      skipped,
      dryRun: change.dryRun ?? false,
    };
    if (sought.dryRun) return sought;
    const before = await move(tx, subscription, place);
    const unparked = await unpark(tx, subscription, place.off);
    const to = target.to instanceof Date ? target.to.toISOString() : target.to;
    const detail = { subscription, to, position: place.off, before, again, unparked, skipped };
    await record(tx, change, { action: 'subscription.seek', detail, wake: 'log' });
    return { ...sought, unparked: unparked.length };
  });
}

/** Sets the cursors; returns where they were. In the order of the shards, as everybody who takes several. */
async function move(tx: Tx, subscription: string, place: Position): Promise<Record<number, number>> {
  const held = await rows<{ shard: number; off: number }>(
    tx,
    sql`select shard, off::float8 as off
        from brokers.cursor
        where subscription = ${subscription}
        order by shard
        for update`,
  );
  await rows(
    tx,
    sql`update brokers.cursor
        set off = ${place.off}, day = ${place.day}, epoch = epoch + 1, generation = generation + 1,
            moved_at = clock_timestamp()
        where subscription = ${subscription}`,
  );
  return Object.fromEntries(held.map(({ shard, off }) => [shard, off]));
}

type Key = { tenantId: string; parkKey: string };

/** Keys of which every message is in the log above a place. What is not there any more must stay where it is. */
function parkedAfter(tx: Tx, subscription: string, off: number): Promise<Key[]> {
  return rows<Key>(
    tx,
    sql`select k.tenant_id as "tenantId", k.park_key as "parkKey"
        from brokers.parked_key k
        where k.subscription = ${subscription}
          and exists (
            select from brokers.parked_message m
            where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key)
          and not exists (
            select from brokers.parked_message m
            where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key
              and (m.off <= ${off}
                   or not exists (select from brokers.log l where l.off = m.off and l.event_id = m.event_id)))`,
  );
}

/** After `move`: the cursors are locked and their fencing numbers have risen, so nobody parks or retries meanwhile. */
async function unpark(tx: Tx, subscription: string, off: number): Promise<Key[]> {
  const keys = await parkedAfter(tx, subscription, off);
  const given = sql`unnest(${sql.param(keys.map(({ tenantId }) => tenantId))}::uuid[],
                           ${sql.param(keys.map(({ parkKey }) => parkKey))}::text[]) as g (tenant_id, park_key)`;
  for (const table of [sql`brokers.parked_message`, sql`brokers.parked_key`])
    await execute(
      tx,
      sql`delete from ${table} k
          using ${given}
          where k.subscription = ${subscription} and k.tenant_id = g.tenant_id and k.park_key = g.park_key`,
    );
  return keys;
}

async function placeOf(tx: Tx, to: SeekTarget): Promise<Position> {
  if (to === 'start') return startOfLog(tx);
  if (to === 'end') return endOfLog(tx);
  const clock = await row<{ now: Date }>(tx, sql`select clock_timestamp() as now`);
  const now = clock?.now ?? to;
  if (to > now)
    throw brokerErrors.BAD_MOMENT({
      moment: to.toISOString(),
      reason: 'it is in the future; "end" means after the newest message',
    });
  await assertInLog(tx, to, now); // "start" means from its beginning
  return placeAt(tx, to);
}

/** Messages between the cursors and the new place. */
async function crossed(
  tx: Tx,
  given: {
    subscription: string;
    place: Position;
    topics: readonly string[] | undefined;
    side: 'done' | 'ahead';
  },
): Promise<Pick<RoughCount, 'count' | 'isMore'>> {
  const { subscription, place, topics, side } = given;
  const ends = await row<{ low: number; day: string; high: number }>(
    tx,
    sql`select min(off)::float8 as low, min(day) as day, max(off)::float8 as high
        from brokers.cursor
        where subscription = ${subscription}`,
  );
  const { low = 0, day = place.day, high = 0 } = ends ?? {};
  const range =
    side === 'done' ? { from: place, to: high, topics } : { from: { off: low, day }, to: place.off, topics };
  if (range.to <= range.from.off) return { count: 0, isMore: false };
  const { count, isMore } = await countFor(tx, subscription, { ...range, side });
  return { count, isMore };
}
