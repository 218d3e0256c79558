import { randomUUID } from 'node:crypto';
import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { assertInLog, endOfLog, originalsIn, placeAt, type Range } from './log-range.ts';
import { BATCH, type Change, look, type OnProgress, operate, record } from './operation.ts';
import { assertReadsLog, findSubscription } from './subscriptions.ts';

/** Which events once more, and for whom. Times are of publication: from `since` on, before `until` (default: all). */
export type ReplayRange = {
  readonly subscription: string;
  readonly topics?: readonly string[];
  readonly since: Date;
  readonly until?: Date;
  readonly tenantId?: string;
  /** The consumer rebuilds from nothing, so events its inbox no longer knows may come again. */
  readonly rebuildable?: boolean;
};

/** What was replayed. `run` names it in the audit trail. */
export type Replayed = {
  readonly subscription: string;
  readonly run: string;
  readonly events: number;
  readonly dryRun: boolean;
};

/** Inbox rows are kept this long (INBOX-05). */
const INBOX_DAYS = 30;
const DAY_MS = 86_400_000;
/** Offsets one statement looks at, so that a rare topic in a large range stays below the statement's time limit. */
const WINDOW = 100_000;

/**
 * Publishes a range of the log once more for one subscription: the same envelopes with the same ids in the same order,
 * at the end of the log, marked with `replayTarget` so that everybody else passes over them (DLQ-15, X-068). The inbox
 * of the target knows what it has applied; beyond its memory a replay is refused (X-061, DLQ-30).
 */
export async function replayRange(
  db: Database,
  change: Change,
  wanted: ReplayRange,
  onProgress?: OnProgress,
): Promise<Replayed> {
  const { subscription, range } = await look(db, async tx => {
    const name = await findSubscription(tx, wanted.subscription);
    await assertReadsLog(tx, name);
    const clock = await row<{ now: Date }>(tx, sql`select clock_timestamp() as now`);
    const now = clock?.now ?? new Date();
    assertUsable({ ...wanted, subscription: name }, now);
    await assertInLog(tx, wanted.since, now);
    const from = await placeAt(tx, wanted.since);
    const to = (wanted.until === undefined ? await endOfLog(tx) : await placeAt(tx, wanted.until)).off;
    return { subscription: name, range: { from, to, topics: wanted.topics, tenantId: wanted.tenantId } };
  });
  const replayed = { subscription, run: randomUUID(), dryRun: change.dryRun ?? false };
  const total = await count(db, range);
  if (replayed.dryRun) return { ...replayed, events: total };

  let events = 0;
  for (let after = range.from.off; after < range.to; ) {
    const { copied, upTo } = await copyBatch(db, change, { range, after, total, ...replayed });
    after = upTo;
    events += copied;
    if (copied > 0) onProgress?.(events, total);
  }
  return { ...replayed, events };
}

function assertUsable({ subscription, since, until, rebuildable }: ReplayRange, now: Date): void {
  const refuse = (moment: Date, reason: string) =>
    brokerErrors.BAD_MOMENT({ moment: moment.toISOString(), reason });
  if (since > now) throw refuse(since, 'it is in the future');
  if (until !== undefined && until <= since) throw refuse(until, 'the range would end before it begins');
  if (now.getTime() - since.getTime() > INBOX_DAYS * DAY_MS && rebuildable !== true)
    throw brokerErrors.BEYOND_INBOX({ since: since.toISOString(), days: INBOX_DAYS, subscription });
}

async function count(db: Database, range: Range): Promise<number> {
  let total = 0;
  for (let after = range.from.off; after < range.to; after += WINDOW) {
    const part = { ...range, from: { ...range.from, off: after }, to: Math.min(after + WINDOW, range.to) };
    const found = await look(db, tx =>
      row<{ n: number }>(tx, sql`select count(*)::int as n from brokers.log l where ${originalsIn(part)}`),
    );
    total += found?.n ?? 0;
  }
  return total;
}

type Batch = { range: Range; after: number; total: number; subscription: string; run: string };

/** Up to 500 events in one transaction; says how far it looked. */
async function copyBatch(
  db: Database,
  change: Change,
  { range, after, total, subscription, run }: Batch,
): Promise<{ copied: number; upTo: number }> {
  const windowEnd = Math.min(after + WINDOW, range.to);
  const part = { ...range, from: { ...range.from, off: after }, to: windowEnd };
  return operate(db, change, async (tx, write) => {
    // Looked up before the lock is taken: rows of the log never change, and nobody who appends should wait for a search.
    const picked = await rows<{ off: number }>(
      tx,
      sql`select l.off::float8 as off
          from brokers.log l
          where ${originalsIn(part)}
          order by l.off
          limit ${BATCH}`,
    );
    const [first, last] = [picked[0]?.off, picked.at(-1)?.off];
    if (first === undefined || last === undefined) return { copied: 0, upTo: windowEnd };
    const { topics, tenantId } = range;
    const detail = { run, subscription, topics, tenantId, first, last, count: picked.length, total };
    await record(tx, change, { action: 'log.replay', detail, wake: 'log' });
    write(execute(tx, sql`select pg_advisory_xact_lock(brokers.append_lock())`));
    write(
      execute(
        tx,
        sql`insert into brokers.log
            (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
          select (select brokers.log_today()), nextval('brokers.log_off'), o.shard, o.topic, o.ordering_key, o.event_id, o.tenant_id, o.envelope,
                 (case when json_typeof(o.attributes) = 'object' then brokers.readable(o.attributes)::jsonb else '{}' end
                  || jsonb_build_object('replayTarget', ${subscription}::text, 'replayOf', o.off::text))::json,
                 o.source, clock_timestamp()
          from (
            select l.*
            from brokers.log l
            where l.day >= ${range.from.day} and l.off = any(${sql.param(picked.map(({ off }) => off))}::bigint[])
            order by l.off
          ) o`,
      ),
    );
    return { copied: picked.length, upTo: picked.length < BATCH ? windowEnd : last };
  });
}
