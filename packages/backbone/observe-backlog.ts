import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import { type RetentionClass, retentionClasses } from '@ghasi/event-envelope/retention';
import type { Metrics } from '@ghasi/telemetry/metrics';
import {
  type BacklogRow,
  type BacklogShape,
  backlogStatement,
  LOOKED_AT,
} from './observe-backlog-statement.ts';

/** What to look at, and how. */
export type BacklogOptions = BacklogShape & {
  /** Signed in as `relay`. */
  readonly db: Database;
  readonly metrics: Metrics;
  /** How far the relay has looked into an outbox, and what it may have passed. */
  seen(schema: string): { readonly after: number; readonly holes: string };
  retentionOf(topic: string): RetentionClass | undefined;
  /** By subscription, how much of what another broker carries is not dealt with. Default: the log is looked at. */
  unread?(): Promise<ReadonlyMap<string, number>>;
  /** Called before each look; a place for writing down what is only known in memory. */
  prepare?(): Promise<unknown>;
};

/** How a subscription is doing; undefined what another broker does not say. */
export type SubscriptionBacklog = {
  readonly lag: number | undefined;
  readonly lagSeconds: number | undefined;
  readonly undelivered: number | undefined;
  readonly parkedKeys: number;
  /** By topic. */
  readonly deadLetters: ReadonlyMap<string, number>;
};

/** What waits, of all services, at one moment. */
export type Backlog = {
  /** By service. */
  readonly outboxes: ReadonlyMap<string, { readonly count: number; readonly oldestSeconds: number }>;
  readonly subscriptions: ReadonlyMap<string, SubscriptionBacklog>;
  /** Age of the oldest event that waits anywhere. */
  readonly ageOf: Readonly<Record<RetentionClass, number>>;
};

// An outbox that an old snapshot keeps full of moved rows looks to the planner like a small table in a large file, and it
// would read the whole file; the index goes straight to what waits. Less than the time a reader of metrics has.
const beginLook = `
  begin read only;
  set local enable_seqscan = off;
  set local statement_timeout = '4s'`;

/** Reads what waits: one statement for all services, whose cost has a limit whatever waits. */
export async function readBacklog(options: BacklogOptions): Promise<Backlog> {
  await options.prepare?.();
  // While that broker is away the rest is still to be seen: parked keys and dead letters are in PostgreSQL.
  const unread = await options.unread?.().catch(() => new Map<string, number>());
  const client = await options.db.pool.connect();
  let broken = true;
  try {
    const { text, values } = backlogStatement(options, options.seen);
    const [, { rows }] = await Promise.all([
      client.query(beginLook),
      sendPrepared(client, text, values),
      client.query('commit'),
    ]);
    broken = false;
    return backlogOf(rows as BacklogRow[], options, unread);
  } finally {
    client.release(broken);
  }
}

/** Shows what waits as gauges (OBS-09, OBS-10, OBS-15, OBS-24, OBS-25), read when the metrics are; the answer ends it. */
export function observeBacklog(options: BacklogOptions): () => void {
  const { metrics } = options;
  let reading: Promise<Backlog> | undefined;
  // Eight gauges are read at one moment and share one statement.
  const read = () => {
    reading ??= readBacklog(options).finally(() => {
      reading = undefined;
    });
    return reading;
  };

  type OfSubscription =
    | 'melmastoon_event_consumer_lag_count'
    | 'melmastoon_event_consumer_lag_seconds'
    | 'melmastoon_event_undelivered_count'
    | 'melmastoon_parked_keys_count';
  const bySubscription = (name: OfSubscription, of: (one: SubscriptionBacklog) => number | undefined) =>
    metrics.watch(name, async () =>
      [...(await read()).subscriptions].flatMap(([service, one]) => {
        const value = of(one);
        return value === undefined ? [] : [{ labels: { service, subscription: service }, value }];
      }),
    );

  const ends = [
    metrics.watch('melmastoon_outbox_unpublished_count', async () =>
      [...(await read()).outboxes].map(([service, { count }]) => ({ labels: { service }, value: count })),
    ),
    metrics.watch('melmastoon_outbox_oldest_unpublished_seconds', async () =>
      [...(await read()).outboxes].map(([service, one]) => ({
        labels: { service },
        value: one.oldestSeconds,
      })),
    ),
    bySubscription('melmastoon_event_consumer_lag_count', ({ lag }) => lag),
    bySubscription('melmastoon_event_consumer_lag_seconds', ({ lagSeconds }) => lagSeconds),
    bySubscription('melmastoon_event_undelivered_count', ({ undelivered }) => undelivered),
    bySubscription('melmastoon_parked_keys_count', ({ parkedKeys }) => parkedKeys),
    metrics.watch('melmastoon_dlq_depth_count', async () =>
      [...(await read()).subscriptions].flatMap(([service, { deadLetters }]) =>
        [...deadLetters].map(([topic, value]) => ({
          labels: { service, topic, subscription: service },
          value,
        })),
      ),
    ),
    metrics.watch('melmastoon_event_backlog_age_seconds', async () => {
      const { ageOf } = await read();
      return retentionClasses.map(one => ({ labels: { retention_class: one }, value: ageOf[one] }));
    }),
    metrics.watch('melmastoon_db_reachable_count', async () => {
      // A question of its own: what waits may be unreadable for reasons that are not the database's.
      const isThere = await options.db.pool.query('select 1').then(
        () => 1,
        () => 0,
      );
      return [{ labels: { service: options.db.service }, value: isThere }];
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function backlogOf(
  rows: readonly BacklogRow[],
  options: BacklogOptions,
  unread: ReadonlyMap<string, number> | undefined,
): Backlog {
  const outboxes = new Map(options.services.map(({ name }) => [name, { count: 0, oldestSeconds: 0 }]));
  const ageOf: Record<RetentionClass, number> = { hot: 0, warm: 0, cold: 0 };
  for (const { kind, name, topic, n, seconds } of rows) {
    if (kind !== 'outbox' && kind !== 'unread') continue;
    const retention = topic === null ? undefined : options.retentionOf(topic);
    if (retention !== undefined) ageOf[retention] = Math.max(ageOf[retention], seconds);
    const outbox = kind === 'outbox' ? outboxes.get(name) : undefined;
    if (outbox === undefined) continue;
    outbox.count += n;
    outbox.oldestSeconds = Math.max(outbox.oldestSeconds, seconds);
  }
  const byName = Map.groupBy(rows, ({ name }) => name);
  const subscriptions = new Map(
    options.subscriptions.map(({ name }) => {
      const own = byName.get(name) ?? [];
      const lag = unread === undefined ? lagIn(own) : { lag: unread.get(name), lagSeconds: undefined };
      return [name, subscriptionOf(own, lag)];
    }),
  );
  return { outboxes, subscriptions, ageOf };
}

type Lag = Pick<SubscriptionBacklog, 'lag' | 'lagSeconds'>;

function subscriptionOf(rows: readonly BacklogRow[], { lag, lagSeconds }: Lag): SubscriptionBacklog {
  return {
    lag,
    lagSeconds,
    undelivered: lag === undefined ? undefined : lag + Math.max(0, sum(rows, 'waiting') - sum(rows, 'dead')),
    parkedKeys: sum(rows, 'parked'),
    deadLetters: new Map(of(rows, 'dead').map(({ topic, n }) => [topic ?? '', n])),
  };
}

/** Exact while no more waits than was looked at; beyond that, what waits is taken to be like what was looked at. */
function lagIn(rows: readonly BacklogRow[]): Lag {
  const unread = of(rows, 'unread');
  const [looked] = of(rows, 'looked');
  const found = sum(rows, 'unread');
  const beyond = looked !== undefined && looked.n >= LOOKED_AT ? looked.beyond : 0;
  // Nothing of its own among what was looked at: its next message is at most as old as the last of that.
  const unknown = beyond > 0 && found === 0 ? (looked?.seconds ?? 0) : 0;
  return {
    lag: found + Math.round((beyond * found) / LOOKED_AT),
    lagSeconds: Math.max(unknown, ...unread.map(({ seconds }) => seconds)),
  };
}

const of = (rows: readonly BacklogRow[], kind: BacklogRow['kind']) => rows.filter(row => row.kind === kind);
const sum = (rows: readonly BacklogRow[], kind: BacklogRow['kind']) =>
  of(rows, kind).reduce((total, { n }) => total + n, 0);
