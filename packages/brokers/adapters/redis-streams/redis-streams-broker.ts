import { randomUUID } from 'node:crypto';
import {
  type Broker,
  defaultRetry,
  type Outgoing,
  type Published,
  type Subscriber,
  type Subscription,
} from '../../broker.ts';
import { repeat } from '../../repeat.ts';
import { Membership } from '../postgres/leases.ts';
import { dueKeys } from '../postgres/parked.ts';
import { ShardKeeper } from '../postgres/shard-keeper.ts';
import { Connection } from './connection.ts';
import { redisStreamsFeatures } from './features.ts';
import { defaultTimes, type RedisStreamsOptions, type StreamTimes } from './redis-streams-options.ts';
import { StreamGroup } from './stream-group.ts';
import { GroupMissing, Streams } from './streams.ts';
import { ensureGroups, knownSubscriptions, missingSince, noteProgress } from './subscriptions.ts';

/** Any fixed number: one relay of an installation recovers at a time. */
const RECOVERY_LOCK = 7_310_024;
/** It only holds the lock, as long as that takes. The second of them is unknown before PostgreSQL 17. */
const WAIT_WITHOUT_END = `
  select set_config(name, '0', true)
  from pg_catalog.pg_settings
  where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Connects, or throws with the address and the cause. */
export async function openRedisStreamsBroker(options: RedisStreamsOptions): Promise<RedisStreamsBroker> {
  const { url, log, commandTimeoutMs } = options;
  const connection = new Connection({ url, log, commandTimeoutMs });
  await connection.open();
  const broker = new RedisStreamsBroker(connection, options);
  try {
    await broker.streams.joinEra(); // whoever comes new has claimed nothing yet
  } catch (error) {
    connection.close();
    throw error;
  }
  return broker;
}

/**
 * Redis Streams as a broker: messages in 16 streams, a consumer group per service. What must not be lost with Redis is
 * in PostgreSQL: who holds which shard, parked keys, dead letters, and the outboxes from which messages come again.
 */
export class RedisStreamsBroker implements Broker {
  readonly name = 'redis-streams';
  readonly features = redisStreamsFeatures;
  readonly streams: Streams;
  readonly #connection: Connection;
  readonly #options: RedisStreamsOptions;
  readonly #times: StreamTimes;
  readonly #member: string;
  readonly #membership: Membership;
  readonly #groups = new Map<string, StreamGroup>();
  readonly #keeper: ShardKeeper<StreamGroup>;
  readonly #running: { stop(): void }[] = [];
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #moreDue = false;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, options: RedisStreamsOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#member = options.member ?? randomUUID();
    this.streams = new Streams(connection, options.namespace ?? 'melm');
    this.#membership = new Membership(options.db, {
      id: this.#member,
      leaseMs: this.#times.leaseMs,
      ...(options.hasSession === undefined ? {} : { hasSession: options.hasSession }),
    });
    this.#keeper = new ShardKeeper({
      membership: this.#membership,
      holders: this.#groups,
      reset: (group, held) => group.reset(held),
      onChanged: () => this.wake(),
      onFailed: (group, error) => this.#mend(group, error),
    });
  }

  prepare(subscriptions: readonly string[]): Promise<void> {
    return ensureGroups(this.#options.db, this.streams, subscriptions);
  }

  publish(messages: readonly Outgoing[]): Promise<readonly Published[]> {
    return this.streams.add(messages);
  }

  /**
   * Has the outboxes publish again what somebody may not have read, and only then takes new messages: order is kept. All
   * subscriptions get their groups back first, also those that do not run now: what waits for them must not be trimmed.
   */
  async recover(republishSince: (since: Date | undefined) => Promise<unknown>): Promise<void> {
    const { db } = this.#options;
    // One at a time: otherwise an era of another relay could begin and be lost between our republishing and our beginning.
    const client = await db.pool.connect();
    try {
      // The lock is a transaction's: a pooler would give a session that still holds one to somebody else (TEN-18).
      await client.query('begin');
      await client.query(WAIT_WITHOUT_END);
      await client.query('select pg_advisory_xact_lock($1)', [RECOVERY_LOCK]);
      if (await this.streams.joinEra()) return;
      await this.prepare(await knownSubscriptions(db));
      await republishSince(await missingSince(db, this.#times.skewMs));
      await this.streams.beginEra();
    } finally {
      client.release(true); // its end frees the lock, whatever happened; a pooler rolls back what was left open
    }
  }

  async subscribe(subscribers: readonly Subscriber[]): Promise<Subscription> {
    await this.prepare(subscribers.map(({ name }) => name));
    for (const subscriber of subscribers) this.#groups.set(subscriber.name, this.#group(subscriber));
    await this.#keeper.balance();
    const { heartbeatMs, pollMs, markMs, trimMs } = this.#times;
    this.#every(heartbeatMs, () => this.#keeper.balance());
    this.#every(heartbeatMs, () => this.retryParked());
    this.#every(heartbeatMs, () => this.#acknowledge());
    this.#every(pollMs, async () => this.wake());
    this.#every(markMs, () => this.#note());
    this.#every(trimMs, () => this.streams.trim());
    const listener = this.#connection.listen(this.streams.wakeChannel, () => this.wake());
    this.#running.push({ stop: () => listener.close() });
    this.wake();
    return { stop: () => this.#stop() };
  }

  /** There may be something new. Cheap: calls while a look runs become one more look. */
  wake(): void {
    this.#wanted = true;
    if (this.#closing !== undefined || this.#pumping !== undefined) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#wanted && this.#closing === undefined) setImmediate(() => this.wake());
    });
  }

  /** Tries the parked keys that are due. */
  async retryParked(): Promise<void> {
    const groups = [...this.#groups.values()].filter(({ pauses }) => !pauses.ofAll);
    const held = groups.flatMap(group =>
      group.held.map(({ shard }) => ({ subscription: group.name, shard })),
    );
    const paused = groups.flatMap(({ name, pauses }) =>
      pauses.tenants.map(tenantId => ({ subscription: name, tenantId })),
    );
    const due = await dueKeys(this.#options.db, held, paused);
    for (const key of due) if (key.dueInMs <= 0) this.#groups.get(key.subscription)?.retry(key);
    this.#moreDue = groups.some(group => group.retriesAreFull);
    const next = due.find(key => key.dueInMs > 0);
    clearTimeout(this.#retryTimer);
    if (next === undefined || next.dueInMs >= this.#times.heartbeatMs || this.#closing !== undefined) return;
    this.#retryTimer = setTimeout(() => this.#retrySoon(), next.dueInMs + 1);
  }

  #retrySoon(): void {
    this.#moreDue = false;
    if (this.#closing === undefined) void this.retryParked().catch(() => {}); // the next heartbeat tries again
  }

  async flush(): Promise<void> {
    await this.#acknowledge();
    await this.#note();
  }

  /** Also without being asked: after a batch it happens by itself, but what did not get through waits, and so does trimming. */
  async #acknowledge(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(group => group.flush()));
  }

  async backlog(others: readonly string[] = []): Promise<ReadonlyMap<string, number>> {
    const names = [...new Set([...this.#groups.keys(), ...others])];
    return new Map(
      await Promise.all(names.map(async name => [name, await this.streams.unread(name)] as const)),
    );
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#connection.close();
  }

  #group(subscriber: Subscriber): StreamGroup {
    const { db, log, metrics, retry = defaultRetry } = this.#options;
    const { name } = subscriber;
    return new StreamGroup({
      streams: this.streams,
      db,
      log,
      retry,
      subscriber,
      member: this.#member,
      onRoom: () => this.wake(),
      onRetried: isDue => {
        if (isDue || this.#moreDue) this.#retrySoon(); // others had to wait for its place, or it goes on behind them
      },
      onFenced: () => void this.#keeper.balance().catch(() => {}),
      onDead: topic =>
        metrics?.inc('melmastoon_events_dlq_total', { service: name, topic, subscription: name }),
    });
  }

  async #pump(): Promise<void> {
    while (this.#wanted && this.#closing === undefined) {
      this.#wanted = false;
      const looks = [...this.#groups.values()].map(group => {
        group.dispatch();
        return this.#look(group);
      });
      if ((await Promise.all(looks)).includes(true)) this.#wanted = true;
    }
  }

  /** True when there may be more. */
  async #look(group: StreamGroup): Promise<boolean> {
    try {
      return await group.read();
    } catch (error) {
      await this.#mend(group, error);
      return false;
    }
  }

  /** A group that Redis forgot begins again with everything there is. What is missing comes from the outboxes. */
  async #mend(group: StreamGroup, error: unknown): Promise<void> {
    const { log } = this.#options;
    const { name } = group;
    if (!(error instanceof GroupMissing)) {
      log?.warn({ err: error, subscription: name }, 'the streams could not be read; trying again');
      return;
    }
    try {
      if ((await this.streams.makeGroup(name, 'start')) === 0) return; // whoever recovers was faster
      await this.streams.endEra();
      log?.error({ subscription: name }, 'Redis forgot this subscription: it lost its memory');
    } catch {
      // Redis is away again: the next look says so
    }
  }

  async #note(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(group => noteProgress(this.#options.db, group)));
  }

  #every(ms: number, work: () => Promise<unknown>): void {
    const { log } = this.#options;
    const onError = (error: unknown) =>
      log?.warn({ err: error }, 'the broker could not reach Redis or its database; trying again');
    this.#running.push(repeat(ms, work, onError));
  }

  #stop(): Promise<void> {
    this.#closing ??= this.#doStop();
    return this.#closing;
  }

  async #doStop(): Promise<void> {
    for (const running of this.#running) running.stop();
    clearTimeout(this.#retryTimer);
    await this.#pumping;
    await this.#keeper.settled();
    await Promise.allSettled([...this.#groups.values()].map(group => group.stop()));
    await this.#note().catch(() => {});
    if (this.#groups.size > 0) await this.#membership.leave().catch(() => {});
  }
}
