import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import { escapeIdentifier } from 'pg';
import { INBOX_DAYS } from './inbox.ts';
import { inTurn, type Places, removeOldRows } from './old-rows.ts';

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

/** How a round is done. */
export type Round = {
  readonly keep?: Keep;
  readonly log?: Logger | undefined;
  /** Where the last one ended. Default: it begins anywhere. */
  readonly places?: Places;
  /** Ends it between two batches. */
  readonly signal?: AbortSignal;
};

/** A running upkeep. */
export type Upkeep = { stop(): Promise<void> };

const HOUR_MS = 3_600_000;

/** Does the rounds once an hour; each piece of work is done by whichever process comes to it first. */
export function startUpkeep(options: {
  db: Database;
  schemas: readonly string[];
  log: Logger | undefined;
}): Upkeep {
  const { db, schemas, log } = options;
  const places: Places = new Map();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = upkeep(db, schemas, { log, places, signal }).then(done =>
      log?.info(done, 'messages past their time were removed'),
    );
  }, HOUR_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/**
 * One round: partitions ahead, partitions behind, and rows past their time, in small batches. What another process is
 * at is left to it; several processes of one installation have different schemas. What fails is told, and the rest is done.
 */
export async function upkeep(
  db: Database,
  schemas: readonly string[],
  { keep = defaultKeep, log, places = new Map(), signal }: Round = {},
): Promise<Upkept> {
  const piece = async (name: string, work: () => Promise<number | undefined>) => {
    if (signal?.aborted) return 0;
    try {
      return (await work()) ?? 0;
    } catch (error) {
      log?.warn({ err: error, piece: name }, 'upkeep failed; trying again in an hour');
      return 0;
    }
  };
  const partitions = (text: string, days: number) =>
    piece('brokers.log', () => inTurn(db, 'brokers.log', { text, values: [days] }));
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
  const rows = (table: string, statement: string, days: number) =>
    piece(table, () => removeOldRows(db, { table, statement, days }, { places, signal }));
  for (const schema of schemas.map(name => escapeIdentifier(name))) {
    const { inbox, keys, published } = statementsFor(schema);
    done.inboxRows += await rows(`${schema}.inbox`, inbox, keep.inboxDays);
    done.keys += await rows(`${schema}.outbox_key`, keys, keep.keyDays);
    done.published += await rows(`${schema}.outbox_archive`, published, keep.publishedDays);
  }
  return done;
}

const statementsFor = (schema: string) => ({
  // Only processed rows: a failed message may still be replayed, and its row says that it was never applied.
  inbox: `
    with gone as (
      delete from ${schema}.inbox
      where ctid >= $2::tid and ctid < $3::tid
        and received_at < now() - make_interval(days => $1) and processed_at is not null
      returning tenant_id, consumer_name, ordering_key, aggregate_version
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
    with gone as (
      delete from ${schema}.outbox_key
      where ctid >= $2::tid and ctid < $3::tid and created_at < now() - make_interval(days => $1)
      returning 1
    )
    select count(*)::int as n from gone`,
  published: `
    with gone as (
      delete from ${schema}.outbox_archive
      where ctid >= $2::tid and ctid < $3::tid and published_at < now() - make_interval(days => $1)
      returning 1
    )
    select count(*)::int as n from gone`,
});
