import { randomUUID } from 'node:crypto';
import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import {
  type Broker,
  defaultRetry,
  type Outgoing,
  type Published,
  type RetryPolicy,
  type Subscriber,
  type Subscription,
} from '../../broker.ts';
import { type Repeated, repeat } from '../../repeat.ts';
import { append, unread } from './append.ts';
import { postgresFeatures } from './features.ts';
import { Group } from './group.ts';
import { ensureCursors, Membership, rewindCursors } from './leases.ts';
import { dueKeys } from './parked.ts';
import { Reading } from './reading.ts';
import { Refilling } from './refilling.ts';
import { ShardKeeper } from './shard-keeper.ts';

/** Times of the broker, in milliseconds. */
export type BrokerTimes = {
  /** A process without a heartbeat this long has lost its shards. Default 10 s. */
  readonly leaseMs: number;
  /** Between heartbeats; also how soon a crashed process's shards move. Default 1 s. */
  readonly heartbeatMs: number;
  /** Between looks at the log when nobody wakes us. Default 1 s. */
  readonly pollMs: number;
  /** Between writes of the cursors. Default 500 ms. */
  readonly ackMs: number;
};

const defaultTimes: BrokerTimes = { leaseMs: 10_000, heartbeatMs: 1_000, pollMs: 1_000, ackMs: 500 };
const PASSIVE_ACK_MS = 5_000;

/** How to open the broker. */
export type PostgresBrokerOptions = {
  /** Signed in as `relay`. The broker does not close it. */
  readonly db: Database;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly retry?: RetryPolicy;
  readonly times?: Partial<BrokerTimes>;
  /** Name of this process among the consumers. Default: random. */
  readonly member?: string;
  /** False while connections do not keep their session (a transaction-mode pooler). Default: always true. */
  readonly hasSession?: () => boolean;
};

/** The log in PostgreSQL as a broker: reads it once for all services of this process. */
export class PostgresBroker implements Broker {
  readonly name = 'postgres';
  readonly features = postgresFeatures;
  readonly #db: Database;
  readonly #options: PostgresBrokerOptions;
  readonly #times: BrokerTimes;
  readonly #membership: Membership;
  readonly #groups = new Map<string, Group>();
  readonly #refilling: Refilling;
  readonly #reading: Reading;
  readonly #running: Repeated[] = [];
  #beats: Repeated | undefined;
  readonly #keeper: ShardKeeper<Group>;
  #retryTimer: NodeJS.Timeout | undefined;
  #moreDue = false;
  #lastPassiveAck = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresBrokerOptions) {
    this.#options = options;
    this.#db = options.db;
    const groups = () => [...this.#groups.values()];
    this.#refilling = new Refilling({ ...options, groups });
    this.#reading = new Reading({
      ...options,
      groups,
      refilling: this.#refilling,
      onPastEnd: behind => void this.#beginAgain(behind).catch(() => {}), // the next look at the log tries again
    });
    this.#times = { ...defaultTimes, ...options.times };
    this.#membership = new Membership(options.db, {
      id: options.member ?? randomUUID(),
      leaseMs: this.#times.leaseMs,
      ...(options.hasSession === undefined ? {} : { hasSession: options.hasSession }),
    });
    this.#keeper = new ShardKeeper({
      membership: this.#membership,
      holders: this.#groups,
      reset: async (group, held, gives) => {
        if (gives) await group.flush(true);
        await group.reset(held);
        this.#refilling.forget();
      },
      onChanged: () => this.wake(),
      onFailed: (_, error) =>
        options.log?.warn({ err: error }, 'shards could not change hands; trying again'),
    });
  }

  /** Makes the cursors of subscriptions, at the end of the log. */
  prepare(subscriptions: readonly string[]): Promise<void> {
    return ensureCursors(this.#db, subscriptions);
  }

  /** Appends messages to the log; outboxes do not need it, they are moved on the server. */
  publish(messages: readonly Outgoing[]): Promise<readonly Published[]> {
    return append(this.#db, messages);
  }

  /** Starts to consume. All subscribers of a process are given at once: one reader serves them all. */
  async subscribe(subscribers: readonly Subscriber[]): Promise<Subscription> {
    await ensureCursors(
      this.#db,
      subscribers.map(({ name }) => name),
    );
    for (const subscriber of subscribers) this.#groups.set(subscriber.name, this.#groupOf(subscriber));
    await this.#keeper.balance();
    await this.#keeper.settled();
    this.#beats = this.#every(this.#times.heartbeatMs, () => this.#membership.beat([...this.#groups.keys()]));
    this.#running.push(
      this.#every(this.#times.heartbeatMs, () => this.#keeper.balance()),
      this.#every(this.#times.pollMs, async () => this.wake()),
      this.#every(this.#times.ackMs, () => this.#ack()),
      this.#every(this.#times.heartbeatMs, () => this.retryParked()),
    );
    this.wake();
    return { stop: () => this.close() };
  }

  /** There may be something new in the log. Cheap: calls while a read runs become one more read. */
  wake(): void {
    this.#reading.wake();
  }

  /** Tries the parked keys that are due. */
  async retryParked(): Promise<void> {
    const groups = [...this.#groups.values()].filter(({ pauses }) => !pauses.ofAll);
    const due = await dueKeys(
      this.#db,
      groups.flatMap(({ name, shards }) => shards.map(shard => ({ subscription: name, shard }))),
      groups.flatMap(({ name, pauses }) =>
        pauses.tenants.map(tenantId => ({ subscription: name, tenantId })),
      ),
    );
    const now = due.filter(key => key.dueInMs <= 0);
    const begun = now.filter(key => this.#groups.get(key.subscription)?.retry(key));
    this.#moreDue = begun.length < now.length;
    const next = due.find(key => key.dueInMs > 0);
    clearTimeout(this.#retryTimer);
    if (next !== undefined && next.dueInMs < this.#times.heartbeatMs && !this.#stopped)
      this.#retryTimer = setTimeout(() => void this.retryParked().catch(() => {}), next.dueInMs + 1);
  }

  /** A retry ended, and others had to wait for its place, or the key goes on behind them. */
  #retryMore(isDue: boolean): void {
    if (!(this.#moreDue || isDue) || this.#stopped) return;
    this.#moreDue = false;
    void this.retryParked().catch(() => {}); // the next heartbeat tries again
  }

  /** Writes down how far every subscription of this process is done, now instead of at the next tick. */
  async flush(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(group => group.flush(true)));
  }

  async backlog(): Promise<ReadonlyMap<string, number>> {
    const subscribers = [...this.#groups.values()].map(({ subscriber }) => subscriber);
    return new Map(
      await Promise.all(
        subscribers.map(async ({ name, topics }) => [name, await unread(this.#db, name, topics)] as const),
      ),
    );
  }

  /** Stops consuming; the database stays open. */
  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  #groupOf(subscriber: Subscriber): Group {
    const { name } = subscriber;
    const { retry = defaultRetry, log, metrics } = this.#options;
    const group: Group = new Group({
      ...{ db: this.#db, subscriber, retry, log },
      onRoom: wasFull => (wasFull ? this.wake() : this.#refilling.start(group)),
      onRetried: isDue => this.#retryMore(isDue),
      onFenced: () => void this.#keeper.balance().catch(() => {}), // the next heartbeat tries again
      onDead: topic =>
        metrics?.inc('melmastoon_events_dlq_total', { service: name, topic, subscription: name }),
    });
    return group;
  }

  /** From where the cursors of this log stand. */
  async #beginAgain(groups: readonly Group[]): Promise<void> {
    const subscriptions = groups.map(({ name }) => name);
    this.#options.log?.error(
      { subscriptions },
      'the log is shorter than it was; beginning again from the cursors',
    );
    await rewindCursors(this.#db, subscriptions);
    this.#membership.takeAnew();
    await this.#keeper.balance();
  }

  async #ack(): Promise<void> {
    const passive = performance.now() - this.#lastPassiveAck >= PASSIVE_ACK_MS;
    if (passive) this.#lastPassiveAck = performance.now();
    await Promise.all([...this.#groups.values()].map(group => group.flush(passive)));
  }

  #every(ms: number, work: () => Promise<unknown>): Repeated {
    const { log } = this.#options;
    const onError = (error: unknown) =>
      log?.warn({ err: error }, 'the broker could not reach its database; trying again');
    return repeat(ms, work, onError);
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    for (const running of this.#running) void running.stop();
    clearTimeout(this.#retryTimer);
    await this.#reading.stop();
    await this.#refilling.stop();
    await this.#keeper.settled();
    await Promise.allSettled([...this.#groups.values()].map(group => group.stop()));
    void this.#beats?.stop(); // not before: what runs may outlast a lease, and nobody else may have its shards meanwhile
    await this.#membership.leave().catch(() => {});
  }
}
