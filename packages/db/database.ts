import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { Client, Pool, types } from 'pg';
import type { Ctx } from './ctx.ts';
import { JoiningSocket } from './joining-socket.ts';

/** One service's way into PostgreSQL: a pool that signs in as the service's own role. */
export type Database = {
  readonly pool: Pool;
  readonly service: string;
  readonly url: string;
  readonly log: Logger | undefined;
  readonly metrics: Metrics | undefined;
  readonly outbox: Outbox | undefined;
  /** How long anything may take to be answered; 0 for as long as it likes. */
  readonly answerMs: number;
  close(): Promise<void>;
};

/** Where `accepted` events of a transaction go; the backbone gives one to each service that publishes. */
export type Outbox = {
  /** Whether something is an event. */
  isEvent(value: unknown): boolean;
  /** What is written for these events; throws when one of them is bad. */
  rowsOf(ctx: Ctx, events: readonly unknown[]): OutboxRow[];
  /** Writes rows in the running transaction, in their order. */
  insert(ctx: Ctx, rows: readonly OutboxRow[]): Promise<void>;
  /** A transaction with events of this tenant has committed. */
  committed(tenantId: string): void;
};

/** An event as its outbox keeps it; only the outbox knows what is in it. */
export type OutboxRow = readonly unknown[];

/** What a database needs: an address, the name it shows in `pg_stat_activity`, and the size of its pool (default 1 to 10). */
export type DatabaseOptions = {
  url: string;
  service: string;
  max?: number;
  /**
   * Connections that are kept however long nobody needs them. Default 1: where half a minute passes between two events, one
   * reaches its handler after 5 ms instead of 25 (measured), and so does the answer to whoever caused it.
   */
  min?: number;
  /** How long somebody waits for a connection; default 5 s, less than a person waits for a page. */
  waitMs?: number;
  /**
   * How long anything may take to be answered; 0 for as long as it likes. Default 20 s: the server itself ends a statement of our
   * roles after 15 s, so one that is still not answered never will be. Its connection is cut.
   */
  answerMs?: number;
  log?: Logger;
  metrics?: Metrics;
  outbox?: Outbox;
};

const DATE = 1082;
const INT8 = 20;

/**
 * `date` stays the text it is: a hotel day has no zone, and pg's own parser would shift it into the server's.
 * `int8` becomes bigint: money and counters must not pass through a float.
 */
const parsers: Record<number, (text: string) => unknown> = { [DATE]: text => text, [INT8]: BigInt };

export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || types.getTypeParser(oid as never, format as never),
};

/** pg's own parsers, for a library that expects them. */
export const plainTypes = types;

const ANSWER_MS = 20_000;

/** A connection that waits for nothing notices after 20 s that its server is gone without a word: Node asks ten times more, once a second. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Opens the pool; connections are made when first needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const { log, metrics, answerMs = ANSWER_MS } = options;
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.service,
    max: options.max ?? 10,
    min: options.min ?? 1,
    connectionTimeoutMillis: options.waitMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    query_timeout: answerMs,
    ...keepAlive,
    // Statements go out without waiting for the answer to the one before: BEGIN and the first statement of a
    // transaction share a round trip (docs/decisions/0003).
    pipeline: true,
    stream: () => new JoiningSocket(),
    types: typeParsers,
  } as ConstructorParameters<typeof Pool>[0]);
  // A connection that dies emits an error, and an error nobody listens to ends the process. Idle: the pool replaces
  // it. In use: the statement in flight fails and reports it.
  // Of a pool that ends, nobody misses one: the server may be stopped before the last has said goodbye.
  pool.on('error', ({ message }) => {
    if (!pool.ending) log?.warn({ reason: message }, 'an idle database connection was lost');
  });
  pool.on('connect', client => client.on('error', () => {}));
  const stopWatching = metrics === undefined ? undefined : watchPool(pool, options.service, metrics);
  return {
    pool,
    service: options.service,
    url: options.url,
    log,
    metrics,
    outbox: options.outbox,
    answerMs,
    close() {
      stopWatching?.();
      return pool.end();
    },
  };
}

/** OBS-18: how much of a pool is used, read when the metrics are; the answer ends it. */
function watchPool(pool: Pool, service: string, metrics: Metrics): () => void {
  const read = (value: () => number) => () => [{ labels: { service }, value: value() }];
  const stops = [
    metrics.watch(
      'melmastoon_db_pool_in_use_count',
      read(() => pool.totalCount - pool.idleCount),
    ),
    metrics.watch(
      'melmastoon_db_pool_idle_count',
      read(() => pool.idleCount),
    ),
    metrics.watch(
      'melmastoon_db_pool_waiting_count',
      read(() => pool.waitingCount),
    ),
    metrics.watch(
      'melmastoon_db_pool_max_count',
      read(() => pool.options.max),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Cuts the connection under a transaction: nothing it started can commit any more, and the pool drops it. */
export function cutConnection(tx: Ctx['tx']): void {
  lineOf(tx.$client).destroy();
}

const GOODBYE_MS = 2_000;

/** Its goodbye has an end: a server that is gone without a word answers none, and a process that stops would wait for ever. */
class OwnClient extends Client {
  override async end(): Promise<void> {
    const cut = setTimeout(() => lineOf(this).destroy(), GOODBYE_MS);
    await super.end().finally(() => clearTimeout(cut));
  }
}

/** pg does not say that it has one. */
function lineOf(client: unknown): { destroy(): void } {
  return (client as { connection: { stream: { destroy(): void } } }).connection.stream;
}

/**
 * A single connection with our type parsers, for tools, listeners and settlement; the caller ends it. `answerMs`: how long a
 * statement may take to be answered. Default: as long as it likes.
 */
export async function openClient(url: string, name: string, answerMs = 0): Promise<Client> {
  const client = new OwnClient({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs,
    ...keepAlive,
    types: typeParsers as never,
  });
  client.on('error', () => {}); // the statement in flight reports it
  await client.connect();
  return client;
}
