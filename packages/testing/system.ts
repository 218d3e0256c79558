import { Backbone, type StartOptions } from '@ghasi/backbone/backbone';
import type { Service } from '@ghasi/backbone/define-service';
import { versionsOf } from '@ghasi/backbone/read-delivery';
import { createRegistry, type Registry } from '@ghasi/backbone/registry';
import { unsettled } from '@ghasi/backbone/settled';
import { createSigner, type Signer } from '@ghasi/backbone/signature';
import type { ValueOf } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import type { MigrationSet } from '@ghasi/db/migrate';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { startWorkers, type Workers } from '@ghasi/jobs/workers';
import { createLogger } from '@ghasi/telemetry/logger';
import { createMetrics, type Metrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from './database.ts';
import { testServers } from './servers.ts';
import { waitUntil } from './signal.ts';
import { openDatabases, type SystemDatabases } from './system-databases.ts';
import { testProducer, testRegion } from './system-envelope.ts';
import { publishTo, readEvents } from './system-log.ts';
import { testActor } from './tenants.ts';

/** How to start a system. */
export type SystemOptions = Pick<StartOptions, 'relay' | 'consumers' | 'retry' | 'times' | 'breaker'> & {
  readonly services: readonly Service[];
  /** Further schemas. The services' own are migrated where the run's template does not have them. */
  readonly migrations?: readonly MigrationSet[];
  /** Default: every event the services publish or react to. */
  readonly registry?: Registry;
  /** Work off jobs. Default true. Schedules do not tick: in a test time is an argument. */
  readonly jobs?: boolean;
};

/** Services that run in this process on a database of their own, with relay, consumers and workers. */
export type System = {
  readonly database: TestDatabase;
  readonly backbone: Backbone;
  readonly registry: Registry;
  readonly signer: Signer;
  readonly metrics: Metrics;
  /** A service's way to its own schema. */
  db(service: Pick<Service, 'schema'>): Database;
  /** Runs a use case of a service for a tenant, as a request would. */
  run<Input, Result>(
    service: Pick<Service, 'schema'>,
    tenantId: TenantId,
    useCase: (ctx: Ctx, input: Input) => Promise<Result>,
    input: NoInfer<Input>,
  ): Promise<ValueOf<Result>>;
  /** Puts events on the broker, as if their owners had published them. */
  publish(tenantId: TenantId, events: readonly PendingEvent[]): Promise<EventEnvelope[]>;
  /** What was published so far, oldest first: everything, one event, or one topic (dead letters: `<subject>.dlq`). */
  events(): Promise<EventEnvelope[]>;
  events<P>(event: EventType<P>): Promise<EventEnvelope<P>[]>;
  events(topic: string): Promise<EventEnvelope[]>;
  /** Asks a schema past row-level security; names without a schema are looked up in it. */
  query<Row = Record<string, unknown>>(schema: string, text: string, values?: unknown[]): Promise<Row[]>;
  /** Waits until every event, due retry and job caused so far is done; fails by saying what is not. */
  settled(options?: { timeoutMs?: number }): Promise<void>;
  stop(): Promise<void>;
  /** `await using system = await startSystem(…)` stops it at the end of the test. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** As in production, in a hurry: seven attempts within a second, a paused subscription tries again at once. */
const quick = {
  retry: { minBackoffMs: 10, maxBackoffMs: 200, maxAttempts: 7 },
  times: { heartbeatMs: 200, pollMs: 200, ackMs: 200 },
  breaker: { failingKeys: 5, firstPauseMs: 20, longestPauseMs: 200 },
} as const;

/** Covers the longest backoff above: a message that fails is waited for until it works or is a dead letter. */
const SOON_MS = 1_000;

/** Starts services on a fresh clone of the run's database. Call `stop` in `afterAll`. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { services } = options;
  const database = await testDatabase({ migrations: missingSets(options) });
  const metrics = createMetrics();
  const registry = options.registry ?? createRegistry(eventsOf(services));
  const signer = createSigner([{ id: 'test', secret: database.secret }]);
  const about = { producedBy: testProducer, dataResidency: testRegion } as const;
  const answeredElsewhere = () => true; // a test that lets a service ask gives it an `ask` of its own
  const backbone = new Backbone({ services, registry, signer, metrics, answeredElsewhere, ...about });
  const databases = openDatabases(database, services, { backbone, metrics });
  let workers: Workers | undefined;

  const stop = async () => {
    await workers?.stop();
    await backbone.stop();
    await databases.close();
    await database.drop();
  };
  try {
    const { relay = true, consumers = true, retry, times, breaker } = { ...quick, ...options };
    const on = { relayDb: databases.relay, databases: databases.services };
    await backbone.start({ ...on, relay, consumers, retry, times, breaker });
    if (options.jobs !== false) workers = await workersOf(services, databases, database);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    database,
    backbone,
    registry,
    signer,
    metrics,
    db: databases.of,
    run: (service, tenantId, useCase, input) =>
      tenantTransaction(databases.of(service), { tenantId, actor: testActor }, ctx => useCase(ctx, input)),
    publish: (tenantId, events) => publishTo(databases.relay, events, { tenantId, signer }),
    events: (which?: EventType | string) =>
      readEvents(databases.relay, topicOf(which, registry)) as Promise<never>,
    query: databases.query,
    async settled({ timeoutMs = 20_000 } = {}) {
      const jobs = workers === undefined ? {} : { jobsDb: databases.jobsWorker };
      const schemas = services.map(({ schema }) => schema);
      let open: string[] = [];
      const check = async () => {
        open = await unsettled({ backbone, relayDb: databases.relay, schemas, soonMs: SOON_MS, ...jobs });
        if (open.length > 0) workers?.wake();
        return open.length === 0;
      };
      await waitUntil('the system has settled', check, { timeoutMs }).catch(error => {
        throw new Error([(error as Error).message, ...open].join('\n  '), { cause: error });
      });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Every event the services publish or react to, with its older versions, each once. */
export function eventsOf(services: readonly Service[]): EventType[] {
  const events = services.flatMap(({ publishes, reacts }) => [
    ...publishes,
    ...reacts.map(({ event }) => event),
  ]);
  return [...new Set(events.flatMap(versionsOf))];
}

/** Of a misspelt topic nothing was ever published, and a test that says so would pass. */
function topicOf(which: EventType | string | undefined, registry: Registry): string | undefined {
  const topic = typeof which === 'object' ? which.subject : which;
  if (topic !== undefined && registry.find(topic.replace(/\.dlq$/, '')) === undefined)
    throw new TypeError(`no event of this system is called ${topic}`);
  return topic;
}

function missingSets({ services, migrations = [] }: SystemOptions): MigrationSet[] {
  const inTemplate = new Set(testServers().schemas);
  const own = services.map(({ schema, migrations: folder }) => ({ schema, folder }));
  return [...own.filter(({ schema }) => !inTemplate.has(schema)), ...migrations];
}

async function workersOf(
  services: readonly Service[],
  databases: SystemDatabases,
  database: TestDatabase,
): Promise<Workers | undefined> {
  const jobs = services.flatMap(service => [...service.jobs, ...service.schedules.map(({ job }) => job)]);
  if (jobs.length === 0) return undefined;
  return startWorkers({
    jobs,
    databases: { ...databases.services, 'role:maintenance': databases.maintenance },
    workerUrl: database.roleUrl('jobs_worker'),
    log: createLogger({ name: 'test', level: 'silent' }),
    pollSeconds: 0.5,
  });
}
