import type { Database } from '@ghasi/db/database';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import type { Logger } from '@ghasi/telemetry/logger';
import { escapeIdentifier } from 'pg';
import { INBOX_DAYS } from './inbox.ts';

/** How long things are kept, in days. */
export type Keep = {
  /** The log, once every subscription has read it (DLQ-03). */
  readonly logDays: number;
  /** Processed inbox rows (INBOX-05); afterwards a key's version is remembered. */
  readonly inboxDays: number;
  /** Used idempotency keys of the outbox. */
  readonly keyDays: number;
  /** Published rows, which are kept for a network broker that loses its memory (OUTBOX-36, X-051). */
  readonly publishedDays: number;
};

export const defaultKeep: Keep = { logDays: 7, inboxDays: INBOX_DAYS, keyDays: 30, publishedDays: 7 };

/** What one round removed. */
export type Upkept = {
  partitionsMade: number;
  partitionsDropped: number;
  inboxRows: number;
  keys: number;
  published: number;
};

/** A running upkeep. */
export type Upkeep = { stop(): Promise<void> };

const HOUR_MS = 3_600_000;
const BATCH = 5_000;
const UPKEEP_LOCK = 7_310_023;

/** Does the rounds once an hour; each piece of work is done by whichever process comes to it first. */
export function startUpkeep(options: {
  db: Database;
  schemas: readonly string[];
  log: Logger | undefined;
}): Upkeep {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = upkeep(options.db, options.schemas)
      .then(done => options.log?.info(done, 'messages past their time were removed'))
      .catch(error => options.log?.warn({ err: error }, 'upkeep failed; trying again in an hour'));
  }, HOUR_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * One round: partitions ahead, partitions behind, and rows past their time, in small batches. What another process is
 * at is left to it; several processes of one installation have different schemas.
 */
export async function upkeep(
  db: Database,
  schemas: readonly string[],
  keep: Keep = defaultKeep,
): Promise<Upkept> {
  const whole = async (piece: string, text: string, days: number) => {
    let removed = 0;
    for (let batch = BATCH; batch === BATCH; removed += batch)
      batch = await inTurn(db, piece, { text, values: [days, BATCH] });
    return removed;
  };
  const partitions = (text: string, days: number) => inTurn(db, 'brokers.log', { text, values: [days] });
  const done = {
    partitionsMade: await partitions('select brokers.make_partitions($1) as n', 3),
    partitionsDropped: await partitions(
      'select brokers.drop_partitions(make_interval(days => $1)) as n',
      keep.logDays,
    ),
    inboxRows: 0,
    keys: 0,
    published: 0,
  };
  for (const schema of schemas) {
    const { inbox, keys, published } = statementsFor(escapeIdentifier(schema));
    done.inboxRows += await whole(`${schema}.inbox`, inbox, keep.inboxDays);
    done.keys += await whole(`${schema}.outbox_key`, keys, keep.keyDays);
    done.published += await whole(`${schema}.outbox_archive`, published, keep.publishedDays);
  }
  return done;
}

/** Runs one batch of a piece of work; 0 while another process is at it. The lock is the transaction's: a pooler may give the session to somebody else after it (TEN-18). */
function inTurn(
  db: Database,
  piece: string,
  statement: { text: string; values: unknown[] },
): Promise<number> {
  return systemTransaction(db, { actor: { type: 'system', id: 'upkeep' } }, async ({ tx }) => {
    const lock = 'select pg_try_advisory_xact_lock($1, hashtext($2)) as got';
    const { rows } = await tx.$client.query(lock, [UPKEEP_LOCK, piece]);
    if (rows[0]?.got !== true) return 0;
    const { rows: counted } = await tx.$client.query(statement.text, statement.values);
    return Number(counted[0]?.n ?? 0);
  });
}

const statementsFor = (schema: string) => ({
  // Only processed rows: a failed message may still be replayed, and its row says that it was never applied.
  inbox: `
    with old as (
      select tenant_id, consumer_name, event_id
      from ${schema}.inbox
      where received_at < now() - make_interval(days => $1) and processed_at is not null
      limit $2
    ), gone as (
      delete from ${schema}.inbox i
      using old o
      where i.tenant_id = o.tenant_id and i.consumer_name = o.consumer_name and i.event_id = o.event_id
      returning i.tenant_id, i.consumer_name, i.ordering_key, i.aggregate_version
    ), floors as (
      insert into ${schema}.inbox_floor (tenant_id, consumer_name, ordering_key, aggregate_version)
      select tenant_id, consumer_name, ordering_key, max(aggregate_version)
      from gone
      group by 1, 2, 3
      on conflict (tenant_id, consumer_name, ordering_key) do update
      set aggregate_version = greatest(inbox_floor.aggregate_version, excluded.aggregate_version)
    )
    select count(*)::int as n from gone`,
  keys: `
    with old as (
      select tenant_id, topic, idempotency_key
      from ${schema}.outbox_key
      where created_at < now() - make_interval(days => $1)
      limit $2
    ), gone as (
      delete from ${schema}.outbox_key k
      using old o
      where k.tenant_id = o.tenant_id and k.topic = o.topic and k.idempotency_key = o.idempotency_key
      returning 1
    )
    select count(*)::int as n from gone`,
  published: `
    with old as (
      select tenant_id, id
      from ${schema}.outbox_archive
      where published_at < now() - make_interval(days => $1)
      limit $2
    ), gone as (
      delete from ${schema}.outbox_archive a
      using old o
      where a.tenant_id = o.tenant_id and a.id = o.id
      returning 1
    )
    select count(*)::int as n from gone`,
});
