import { randomUUID } from 'node:crypto';
import { type Broker, BrokerForgot } from '@ghasi/brokers/broker';
import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import { escapeIdentifier } from 'pg';
import { createClaims } from './claims.ts';
import type { PublishObserver } from './observe-published.ts';
import { OutboxPublisher, type Pass } from './outbox-publisher.ts';
import { defaultPublishPolicy, type PublishPolicy, publishWaitMs } from './publish-policy.ts';
import type { Relay } from './relay.ts';
import { republishSince } from './republish.ts';

/** How to run a relay to a broker across a network. */
export type NetworkRelayOptions = {
  /** Signed in as `relay`. */
  readonly db: Database;
  readonly schemas: readonly string[];
  readonly broker: Pick<Broker, 'name' | 'publish' | 'recover'>;
  readonly log?: Logger | undefined;
  readonly policy?: PublishPolicy;
  /** How often to look without being nudged. Default 1 s. */
  readonly pollMs?: number;
  /** How long a claim holds: after a crash its keys wait that long. Default 30 s. */
  readonly leaseMs?: number;
  /** How long the broker may take to answer. Default 10 s. */
  readonly publishMs?: number;
  /** Name of this process among the relays. Default: random. */
  readonly owner?: string;
  /** Hears what is published from an outbox, or put aside. */
  readonly observe?: (schema: string) => PublishObserver;
  /** Rows of this outbox are with the broker now. */
  onPublished?(schema: string, count: number): void;
};

/** Starts a relay. Any number of them may run, in any number of processes; a key is published by one at a time. */
export function startNetworkRelay(options: NetworkRelayOptions): Relay {
  const relay = new NetworkRelay(options);
  relay.start();
  return relay;
}

class NetworkRelay implements Relay {
  readonly #options: NetworkRelayOptions;
  readonly #policy: PublishPolicy;
  readonly #publishers: ReadonlyMap<string, OutboxPublisher>;
  readonly #wanted = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #passes = new Set<Promise<Pass>>();
  /** How often in a row it was waited for the broker; while it is away, one row at a time is tried. */
  #outages = 0;
  #awayUntil = 0;
  #pollFailed = false;
  #recovering: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: NetworkRelayOptions) {
    this.#options = options;
    this.#policy = options.policy ?? defaultPublishPolicy;
    const owner = options.owner ?? randomUUID();
    this.#publishers = new Map(options.schemas.map(schema => [schema, this.#publisher(schema, owner)]));
  }

  start(): void {
    for (const schema of this.#publishers.keys()) this.nudge(schema);
    this.#tick();
  }

  nudge(schema: string): void {
    const publisher = this.#publishers.get(schema);
    if (publisher === undefined || this.#stopped) return;
    this.#wanted.add(schema);
    if (this.#running.has(schema) || performance.now() < this.#awayUntil) return;
    const drain = this.#drain(schema, publisher).finally(() => {
      this.#running.delete(schema);
      if (this.#wanted.has(schema)) setImmediate(() => this.nudge(schema));
    });
    this.#running.set(schema, drain);
  }

  /** Looks at every outbox at once, and whether the broker still has what it took. */
  async poll(): Promise<void> {
    await this.#ask();
    const schemas = [...this.#publishers.keys()];
    if (schemas.length === 0) return;
    const { rows } = await this.#options.db.pool.query<{ i: number }>(
      schemas
        .map((schema, i) => `select ${i} as i where exists (select from ${escapeIdentifier(schema)}.outbox)`)
        .join(' union all '),
    );
    for (const { i } of rows) this.nudge(schemas[i] as string);
  }

  /** An outbox holds what is not published, so nothing below any number needs to be remembered. */
  seen(): { readonly after: number; readonly holes: string } {
    return { after: 0, holes: '{}' };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#running.values());
  }

  /** Some brokers answer without asking anybody: only an answer after none says that it is there again. */
  async #ask(): Promise<void> {
    try {
      await this.#options.broker.publish([]);
      if (this.#pollFailed) this.#endWait();
      this.#pollFailed = false;
    } catch (error) {
      if (error instanceof BrokerForgot) await this.#recover();
      else this.#pollFailed = true;
    }
  }

  #publisher(schema: string, owner: string): OutboxPublisher {
    const { db, broker, log, observe, onPublished, leaseMs = 30_000, publishMs = 10_000 } = this.#options;
    const observer = observe?.(schema);
    return new OutboxPublisher({
      claims: createClaims(db, schema, owner),
      broker,
      policy: this.#policy,
      leaseMs,
      publishMs,
      onPublished(publication, count) {
        if (observer !== undefined) {
          const { groups, events } = publication();
          observer.published({ groups, events: observer.wantsEvents ? events : [] });
        }
        onPublished?.(schema, count);
      },
      onFailed: ({ row: { topic, eventId, attempts }, error, waitMs }) =>
        log?.warn(
          { schema, topic, eventId, attempts: attempts + 1, reason: error, waitMs },
          `${broker.name} did not take a message; its key waits`,
        ),
      onQuarantined({ topic, eventId, attempts, error }) {
        observer?.quarantined(topic);
        log?.error(
          { schema, topic, eventId, attempts, reason: error },
          'a message is in quarantine and its key waits; see: melm outbox quarantine',
        );
      },
    });
  }

  async #drain(schema: string, publisher: OutboxPublisher): Promise<void> {
    try {
      while (this.#wanted.delete(schema) && !this.#stopped) {
        // A pass begins in the same go as this was looked at: whoever recovers waits for those that have begun.
        while (this.#recovering !== undefined) await this.#recovering;
        const beganAt = performance.now();
        const pass = await this.#tracked(publisher.pass(this.#outages > 0 ? 1 : undefined));
        await this.#note(pass, beganAt);
        if (pass.unreachable !== undefined) return;
        if (pass.published > 0 || pass.forgot) this.#wanted.add(schema); // until a pass finds nothing
      }
    } catch (error) {
      this.#options.log?.warn({ err: error, schema }, 'an outbox could not be published; trying again');
    }
  }

  #tracked(pass: Promise<Pass>): Promise<Pass> {
    this.#passes.add(pass);
    const forget = () => this.#passes.delete(pass);
    pass.then(forget, forget);
    return pass;
  }

  async #note(pass: Pass, beganAt: number): Promise<void> {
    if (pass.published > 0) this.#outages = 0;
    if (pass.forgot) await this.#recover();
    if (pass.unreachable === undefined) return;
    // All outboxes meet the same outage: who had begun before this wait was over learned nothing new.
    if (beganAt < this.#awayUntil) return;
    this.#outages++;
    const waitMs = publishWaitMs(this.#outages, this.#policy);
    this.#awayUntil = performance.now() + waitMs;
    const { broker, log } = this.#options;
    log?.warn({ reason: pass.unreachable, waitMs }, `${broker.name} cannot be reached; outboxes hold`);
  }

  #endWait(): void {
    this.#awayUntil = Math.min(this.#awayUntil, performance.now());
  }

  /** Once for all outboxes: whoever finds out first does it, the others wait for it. */
  #recover(): Promise<void> {
    this.#recovering ??= this.#doRecover().finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  async #doRecover(): Promise<void> {
    const { broker, db, log } = this.#options;
    // A key that was claimed before the older rows come back must not be published after that.
    await Promise.allSettled(this.#passes);
    await broker.recover?.(async since => {
      const count = since === undefined ? 0 : await republishSince(db, since);
      if (count > 0)
        log?.error(
          { since, count },
          `${broker.name} lost its memory; what may be missing is published again`,
        );
    });
    this.#endWait();
    for (const schema of this.#publishers.keys()) this.nudge(schema);
  }

  #tick(): void {
    this.#timer = setTimeout(() => {
      this.poll()
        .catch(error =>
          this.#options.log?.warn({ err: error }, 'the outboxes could not be looked at; trying again'),
        )
        .finally(() => {
          if (!this.#stopped) this.#tick();
        });
    }, this.#options.pollMs ?? 1_000);
  }
}
