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
import { append, unread } from './append.ts';
import { postgresFeatures } from './features.ts';
import { Group } from './group.ts';
import { ensureCursors, Membership } from './leases.ts';
import { readPage } from './log-reader.ts';
import { dueKeys } from './parked.ts';
import { Refilling, topicsOf } from './refilling.ts';

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
const PAGE = 500;
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
  readonly #timers: NodeJS.Timeout[] = [];
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #balancing: Promise<void> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #moreDue = false;
  #lastPassiveAck = 0;
  #stopped = false;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresBrokerOptions) {
    this.#options = options;
    this.#db = options.db;
    this.#refilling = new Refilling({ ...options, groups: () => [...this.#groups.values()] });
    this.#times = { ...defaultTimes, ...options.times };
    this.#membership = new Membership(options.db, {
      id: options.member ?? randomUUID(),
      leaseMs: this.#times.leaseMs,
      ...(options.hasSession === undefined ? {} : { hasSession: options.hasSession }),
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
    await this.#balance();
    this.#every(this.#times.heartbeatMs, () => this.#membership.beat([...this.#groups.keys()]));
    this.#every(this.#times.heartbeatMs, () => this.#balance());
    this.#every(this.#times.pollMs, () => Promise.resolve(this.wake()));
    this.#every(this.#times.ackMs, () => this.#ack());
    this.#every(this.#times.heartbeatMs, () => this.retryParked());
    this.wake();
    return { stop: () => this.close() };
  }

  /** There may be something new in the log. Cheap: calls while a read runs become one more read. */
  wake(): void {
    this.#wanted = true;
    if (this.#stopped || this.#pumping !== undefined) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#wanted && !this.#stopped) setImmediate(() => this.wake());
    });
  }

  /** Tries the parked keys that are due. */
  async retryParked(): Promise<void> {
    const groups = [...this.#groups.values()];
    const due = await dueKeys(
      this.#db,
      groups.flatMap(({ name, shards }) => shards.map(shard => ({ subscription: name, shard }))),
    );
    const now = due.filter(key => key.dueInMs <= 0);
    const begun = now.filter(key => this.#groups.get(key.subscription)?.retry(key));
    this.#moreDue = begun.length < now.length && groups.some(group => group.isRetrying);
    const next = due.find(key => key.dueInMs > 0);
    clearTimeout(this.#retryTimer);
    if (next !== undefined && next.dueInMs < this.#times.heartbeatMs && !this.#stopped)
      this.#retryTimer = setTimeout(() => void this.retryParked().catch(() => {}), next.dueInMs + 1);
  }

  /** A retry ended, and others had to wait for its place. */
  #retryMore(): void {
    if (!this.#moreDue || this.#stopped) return;
    this.#moreDue = false;
    void this.retryParked().catch(() => {}); // the next heartbeat tries again
  }

  /** Writes down how far every subscription of this process is done, now instead of at the next tick. */
  async flush(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(group => group.flush(true)));
  }

  /** How far every subscription of this process is done. */
  low(): ReadonlyMap<string, number> {
    return new Map([...this.#groups].map(([name, group]) => [name, group.low]));
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
      onRetried: () => this.#retryMore(),
      onFenced: () => void this.#balance().catch(() => {}), // the next heartbeat tries again
      onDead: topic =>
        metrics?.inc('melmastoon_events_dlq_total', { service: name, topic, subscription: name }),
    });
    return group;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#wanted && !this.#stopped) {
        this.#wanted = false;
        for (const group of this.#groups.values()) group.dispatch();
        const hungry = [...this.#groups.values()].filter(group => group.wantsMore);
        // Groups that stand at the same place share one read; in quiet times that is all of them.
        const places = Map.groupBy(hungry, group => group.position.off);
        await Promise.all([...places.values()].map(groups => this.#readFor(groups)));
        for (const group of hungry) this.#refilling.start(group);
      }
    } catch (error) {
      this.#options.log?.warn({ err: error }, 'the log could not be read; trying again');
    }
  }

  async #readFor(groups: readonly Group[]): Promise<void> {
    const [first] = groups;
    if (first === undefined) return;
    const from = first.position;
    const topics = [...topicsOf(groups)];
    const without = first.spilled().filter(tenant => groups.every(group => group.spilled().includes(tenant)));
    const page = await readPage(this.#db, from, { limit: PAGE, topics, without });
    for (const group of groups) {
      if (group.position !== from && group.position.off !== from.off) continue; // reset meanwhile
      group.accept(page);
      group.dispatch();
    }
    if (page.rows.length === PAGE) this.#wanted = true;
  }

  #balance(): Promise<void> {
    this.#balancing ??= this.#doBalance().finally(() => {
      this.#balancing = undefined;
    });
    return this.#balancing;
  }

  async #doBalance(): Promise<void> {
    const { held, tooMany } = await this.#membership.balance([...this.#groups.keys()]);
    for (const [name, group] of this.#groups) {
      const mine = held.get(name) ?? [];
      const extra = tooMany.get(name) ?? [];
      const keep = mine.filter(one => !extra.some(({ shard }) => shard === one.shard));
      if (group.holdsExactly(keep)) continue;
      if (extra.length > 0) await group.flush(true);
      await group.reset(keep);
      if (extra.length > 0) await this.#membership.release(name, extra);
      this.wake();
    }
  }

  async #ack(): Promise<void> {
    const passive = Date.now() - this.#lastPassiveAck >= PASSIVE_ACK_MS;
    if (passive) this.#lastPassiveAck = Date.now();
    await Promise.all([...this.#groups.values()].map(group => group.flush(passive)));
  }

  #every(ms: number, work: () => Promise<void>): void {
    let running = false;
    const timer = setInterval(() => {
      if (running || this.#stopped) return;
      running = true;
      work()
        .catch(error =>
          this.#options.log?.warn({ err: error }, 'the broker could not reach its database; trying again'),
        )
        .finally(() => (running = false));
    }, ms);
    this.#timers.push(timer);
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#retryTimer);
    await this.#pumping;
    await this.#refilling.stop();
    await this.#balancing?.catch(() => {});
    await Promise.allSettled([...this.#groups.values()].map(group => group.stop()));
    await this.#membership.leave().catch(() => {});
  }
}
