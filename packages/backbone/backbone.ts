import type { Broker, RetryPolicy, Subscription } from '@ghasi/brokers/broker';
import { ensureCursors } from '@ghasi/brokers/leases';
import { type BrokerTimes, PostgresBroker } from '@ghasi/brokers/postgres-broker';
import { type Repeated, repeat } from '@ghasi/brokers/repeat';
import { openWakeUps, type WakeUps } from '@ghasi/brokers/wake-up';
import type { Database } from '@ghasi/db/database';
import type { Producer } from '@ghasi/event-envelope/envelope';
import type { DataResidency } from '@ghasi/event-envelope/metadata';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { BreakerPolicy } from './circuit-breaker.ts';
import { createSubscriber } from './consumer.ts';
import type { Service } from './define-service.ts';
import { backboneErrors } from './errors.ts';
import { assertOutboxes } from './missing-outboxes.ts';
import { startNetworkRelay } from './network-relay.ts';
import { observeBacklog } from './observe-backlog.ts';
import { observePublished } from './observe-published.ts';
import type { TenantClassOf } from './observe-tenant-class.ts';
import { createOutbox, type ServiceOutbox } from './outbox.ts';
import { versionsOf } from './read-delivery.ts';
import type { Registry } from './registry.ts';
import { recordedSchemas } from './registry-released.ts';
import { type Relay, startRelay } from './relay.ts';
import type { Signer } from './signature.ts';
import { topologyProblems } from './topology.ts';
import { startUpkeep, type Upkeep } from './upkeep.ts';
import { assertUsable } from './usable-databases.ts';

/** What the backbone of a process must know before any database is opened. */
export type BackboneOptions = {
  /** The services of this process. */
  readonly services: readonly Service[];
  /** Every event of the platform, also of services that run elsewhere. */
  readonly registry: Registry;
  readonly signer: Signer;
  readonly producedBy: Omit<Producer, 'service'>;
  /** Where this deployment keeps its data, e.g. `me-central1`: written into each event, and events of another region are refused. */
  readonly dataResidency: DataResidency;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  /** How large a tenant is, for the one label that may speak of tenants. Default: small. */
  readonly tenantClassOf?: TenantClassOf;
  /** Whether another process answers the questions of a schema (`createAsk` must know where). Default: none does. */
  readonly answeredElsewhere?: (schema: string) => boolean;
};

/** What it needs to run. */
export type StartOptions = {
  /** Signed in as `relay`. */
  readonly relayDb: Database;
  /** By schema; each opened with `outboxOf(service)`. */
  readonly databases: Readonly<Record<string, Database>>;
  /** Move outboxes to the broker. Default true. */
  readonly relay?: boolean;
  /** Handle messages. Default true. */
  readonly consumers?: boolean;
  /** When failing keys pause. Default: five in a row, for 5 s up to a minute. */
  readonly breaker?: BreakerPolicy;
  /** When and how often a failed message is tried again, of the log in PostgreSQL. Default: seven attempts in 13 minutes at most. */
  readonly retry?: RetryPolicy;
  /** Heartbeats, polls and leases of the log in PostgreSQL. */
  readonly times?: Partial<BrokerTimes>;
  /** Name of this process among the consumers of the log in PostgreSQL. Default: random. */
  readonly member?: string;
  /** Every service that consumes, also in other processes. Default: those of this process. */
  readonly subscriptions?: readonly string[];
  /**
   * A broker across a network; whoever opened it closes it, and gave it `retry`, `times` and `member` of its own. Default: the log
   * in PostgreSQL.
   */
  readonly broker?: Broker;
};

const DEAF_POLL_MS = 100;

/** The backbone of one process: outboxes for its services, then a relay and consumers. */
export class Backbone {
  readonly #options: BackboneOptions;
  readonly #outboxes = new Map<string, ServiceOutbox>();
  #relay: Relay | undefined;
  #broker: Broker | undefined;
  /** The same, unless somebody else opened it and closes it. */
  #ownBroker: Broker | undefined;
  #wakeUps: WakeUps | undefined;
  #upkeep: Upkeep | undefined;
  #deafPolls: Repeated | undefined;
  #subscription: Subscription | undefined;
  #unwatch: (() => void) | undefined;

  /** Throws BAD_TOPOLOGY with everything that keeps the services from working together. */
  constructor(options: BackboneOptions) {
    const { services, registry, answeredElsewhere } = options;
    const fit = {
      publishedElsewhere: (subject: string) => registry.find(subject) !== undefined,
      ...(answeredElsewhere === undefined ? {} : { answeredElsewhere }),
    };
    const problems = [...topologyProblems(services, fit), ...unregistered(services, registry)];
    if (problems.length > 0) throw backboneErrors.BAD_TOPOLOGY({ reasons: problems });
    this.#options = options;
    for (const { name, schema } of services) {
      this.#outboxes.set(
        schema,
        createOutbox({
          ...options,
          service: name,
          schema,
          onCommitted: tenantId => this.#committed(schema, tenantId),
        }),
      );
    }
  }

  /** The outbox of a service; give it to `openDatabase`. */
  outboxOf(schema: string): ServiceOutbox {
    const outbox = this.#outboxes.get(schema);
    if (outbox === undefined) throw new TypeError(`no service of this process has the schema ${schema}`);
    return outbox;
  }

  /**
   * Throws NO_DATABASE when a consuming service was given none, UNUSABLE_DATABASE when it cannot sign in or is another's, and
   * NO_OUTBOX when a migration forgot `add_messaging`. After any failure `stop` ends what had begun.
   */
  async start(options: StartOptions): Promise<void> {
    if (this.#wakeUps !== undefined)
      throw new TypeError('start() of a backbone: it runs; stop() comes before another start()');
    const { services, registry, log, metrics } = this.#options;
    const { relayDb } = options;
    const schemas = services.map(({ schema }) => schema);
    const consuming = services.filter(({ reacts }) => reacts.length > 0);
    await assertOutboxes(relayDb, schemas);
    if (options.consumers !== false) await assertUsable(consuming, options.databases);
    registry.readFrom(() => recordedSchemas(relayDb));
    for (const { counts } of services)
      for (const { metric, labels } of counts) metrics?.inc(metric, labels, 0);
    await relayDb.pool.query('select brokers.make_partitions(3)');
    const subscriptions = options.subscriptions ?? consuming.map(({ name }) => name);
    // In every role: what is published before the first consumer starts must wait for it.
    if (options.broker === undefined) await ensureCursors(relayDb, subscriptions);
    else await options.broker.prepare(subscriptions);
    this.#wakeUps = openWakeUps({
      url: relayDb.url,
      log,
      onWake: wake => {
        if (wake.kind === 'outbox') this.#relay?.nudge(wake.schema, wake.tenantId);
        else if (wake.kind === 'log') this.#broker?.wake();
        else void this.#broker?.retryParked().catch(() => {});
      },
    });
    this.#deafPolls = repeat(
      DEAF_POLL_MS,
      () => this.#pollWhileDeaf(),
      () => {}, // the relay's own poll says what is wrong
    );
    if (options.relay !== false) {
      this.#upkeep = startUpkeep({ db: relayDb, schemas, log });
      this.#relay = this.#startRelay(options, schemas, this.#wakeUps);
      this.#unwatch = this.#watch(this.#relay, options);
    }
    if (options.consumers === false || consuming.length === 0) return;
    const broker = options.broker ?? this.#logInPostgres(options);
    this.#broker = broker;
    if (options.broker === undefined) this.#ownBroker = broker;
    this.#subscription = await broker.subscribe(
      consuming.map(service =>
        createSubscriber({
          ...this.#options,
          service,
          db: options.databases[service.schema] as Database,
          outbox: this.outboxOf(service.schema),
          ...(options.breaker === undefined ? {} : { breaker: options.breaker }),
        }),
      ),
    );
  }

  #startRelay({ relayDb: db, broker }: StartOptions, schemas: readonly string[], wakeUps: WakeUps): Relay {
    const { log } = this.#options;
    const shared = { db, schemas, log, observe: this.#observePublished() };
    if (broker !== undefined) return startNetworkRelay({ ...shared, broker });
    return startRelay({
      ...shared,
      wake: wakeUps.payload({ kind: 'log' }),
      onMoved: () => this.#broker?.wake(),
    });
  }

  #logInPostgres({ relayDb: db, retry, times, member }: StartOptions): Broker {
    const { log, metrics } = this.#options;
    return new PostgresBroker({
      db,
      ...(log === undefined ? {} : { log }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(retry === undefined ? {} : { retry }),
      ...(times === undefined ? {} : { times }),
      ...(member === undefined ? {} : { member }),
      hasSession: () => this.hasSession,
    });
  }

  /** False behind a pooler that gives a connection to somebody else after each transaction, and until that is known. */
  get hasSession(): boolean {
    return this.#wakeUps?.hears ?? false;
  }

  /** Looks at outboxes, log and due retries now instead of at the next tick, and writes the cursors down. */
  async hurry(): Promise<void> {
    await this.#relay?.poll();
    this.#broker?.wake();
    await this.#broker?.retryParked();
    await this.#broker?.flush();
  }

  async stop(): Promise<void> {
    this.#unwatch?.();
    await this.#deafPolls?.stop();
    await this.#subscription?.stop();
    await this.#ownBroker?.close(); // it has a session also when nobody could subscribe
    await this.#relay?.stop();
    await this.#upkeep?.stop();
    await this.#wakeUps?.stop();
    this.#wakeUps = undefined;
  }

  /** Behind a pooler that swallows notifications, and until the first one came back. */
  async #pollWhileDeaf(): Promise<void> {
    if (this.#wakeUps?.hears !== false) return;
    this.#broker?.wake();
    await this.#relay?.poll();
  }

  #observePublished() {
    const { services, metrics, tenantClassOf } = this.#options;
    const of = observePublished({ metrics, tenantClassOf });
    const names = new Map(services.map(({ schema, name }) => [schema, name]));
    return (schema: string) => of(names.get(schema) ?? schema);
  }

  /** Gauges of what waits. Where the relay runs: it knows how far the outboxes were looked at, and runs somewhere always. */
  #watch(relay: Relay, { relayDb: db, broker }: StartOptions): (() => void) | undefined {
    const { services, registry, metrics } = this.#options;
    if (metrics === undefined) return undefined;
    const subscriptions = services
      .filter(({ reacts }) => reacts.length > 0)
      .map(({ name, reacts }) => ({
        name,
        topics: reacts.flatMap(({ event }) => versionsOf(event).map(({ subject }) => subject)),
      }));
    return observeBacklog({
      db,
      metrics,
      services,
      subscriptions,
      ...(broker === undefined
        ? {}
        : { unread: () => broker.backlog(subscriptions.map(({ name }) => name)) }),
      seen: schema => relay.seen(schema),
      retentionOf: topic => registry.find(topic)?.retention,
      prepare: async () => this.#broker?.flush(), // cursors are written every half second; a gauge should not show that
    });
  }

  /** After a commit: our own relay is told in memory, the others by one notification per 10 ms. */
  #committed(schema: string, tenantId: string): void {
    if (this.#relay === undefined) this.#wakeUps?.tell({ kind: 'outbox', schema, tenantId });
    else this.#relay.nudge(schema, tenantId);
  }
}

/** Commands with such an event would fail one by one, and consumers would not know it. */
function unregistered(services: readonly Service[], registry: Registry): string[] {
  return services.flatMap(({ name, publishes }) =>
    publishes
      .filter(event => registry.find(event.subject) !== event)
      .map(({ subject }) =>
        registry.find(subject) === undefined
          ? `${name} publishes ${subject}, which is not in the registry`
          : `${name} publishes ${subject}, of which the registry has another declaration`,
      ),
  );
}
