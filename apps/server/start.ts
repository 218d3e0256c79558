import { createAsk, type LocalAnswers } from '@ghasi/backbone/ask';
import type { Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import type { Database } from '@ghasi/db/database';
import { roleUrl } from '@ghasi/db/roles';
import { minutes } from '@ghasi/domain-primitives/duration';
import { armedFailpoints, armFailpointsFromEnv } from '@ghasi/domain-primitives/failpoint';
import { type HotTiers, openHotStore } from '@ghasi/hot/hot-store';
import { createHost, type Host } from '@ghasi/http/host';
import { startWorkers } from '@ghasi/jobs/workers';
import { createLogger, type Logger } from '@ghasi/telemetry/logger';
import { createMetrics, type Metrics } from '@ghasi/telemetry/metrics';
import { startTracing } from '@ghasi/telemetry/tracing';
import { injectedBff } from '@melmastoon/booking-web/bff';
import { addBookingSite } from '@melmastoon/booking-web/site';
import { authenticator } from './authenticate.ts';
import { createBackbone, openBroker } from './backbone.ts';
import { bookingDoor } from './booking.ts';
import { assertSafe, chosenServices } from './boot-checks.ts';
import { closers } from './closers.ts';
import { openPlatformDatabase } from './database.ts';
import { MAINTENANCE, openDatabases, RELAY } from './databases.ts';
import { type DemoAccount, seedDemo, seeded } from './demo.ts';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';
import { openProviders } from './providers.ts';
import { questionRoutes } from './question-routes.ts';
import { openReadiness } from './readiness.ts';
import { installationSecret } from './secret.ts';
import { serviceTokens } from './service-token.ts';
import { allServices } from './services.ts';
import { unlessTold } from './told.ts';
import { upgrade } from './upgrade.ts';

/** A platform that serves. */
export type Running = {
  url: string;
  /** Where people open the booking sites: providers send them back there, and a session of another host would be lost. */
  siteUrl: string;
  services: readonly Service[];
  demo: readonly DemoAccount[];
  /** Where the messages that the demo sends can be read. */
  mailPage: string | undefined;
  /** Settles with the reason when something the platform cannot live without has ended by itself. */
  failed: Promise<Error>;
  /** Drains requests and jobs, then stops what was started, in reverse order. Safe to call twice. */
  close(): Promise<void>;
};

/**
 * `demo` fills the demo hotels in; `onStep` hears what is being done. `signal` tells a start to end: it throws the signal's
 * reason, once everything it has started is stopped again.
 */
export type StartOptions = { demo: boolean; onStep?: (text: string) => void; signal?: AbortSignal };

/** Starts database, services, workers and HTTP as the environment says; undoes everything when a step fails. */
export async function start(env: Environment, options: StartOptions): Promise<Running> {
  const { signal } = options;
  const step = (text: string) => {
    signal?.throwIfAborted();
    options.onStep?.(text);
  };
  refuseTestDoors(env, options);
  const secret = await installationSecret(env);
  const log = createLogger({
    name: 'melmastoon',
    level: env.MELM_LOG_LEVEL ?? (env.MELM_ENV === 'production' ? 'info' : 'warn'),
  });
  const metrics = createMetrics();
  const stack = closers();
  try {
    const tracing = startTracing({
      service: 'melmastoon',
      ...(env.OTEL_EXPORTER_OTLP_ENDPOINT ? { otlpUrl: env.OTEL_EXPORTER_OTLP_ENDPOINT } : {}),
    });
    stack.add(tracing.stop);
    step(env.DATABASE_URL === undefined ? 'starting the embedded PostgreSQL' : 'connecting to PostgreSQL');
    const database = await openPlatformDatabase(env, secret, signal);
    stack.add(database.stop);
    const answers = new Map<string, (input: unknown) => Promise<unknown>>();
    const tokens = (audiences: readonly string[]) => serviceTokens(secret, audiences);
    const ask = createAsk(answers, peersOf(env, tokens([]).issue));
    const publicUrl = env.MELM_PUBLIC_URL ?? `http://localhost:${env.PORT}`;
    const providers = await openProviders(env, options);
    stack.add(providers.close);
    const holdSeconds = env.MELM_HOLD_SECONDS;
    const booking = bookingDoor({ ask, secret, holdSeconds });
    const everything = allServices({ secret, publicUrl, ask, providers, booking, holdSeconds });
    const services = chosenServices(env, everything);
    const backbone = createBackbone(env, { secret, services, everything, ask, log, metrics });

    step('migrating');
    const upgrading = upgrade(database.adminUrl, everything, { secret, log, env });
    await unlessTold(signal, upgrading); // may wait for another process
    await assertSafe(database.adminUrl, everything, env);
    const databases = openDatabases({
      adminUrl: database.adminUrl,
      secret,
      services,
      backbone,
      log,
      metrics,
    });
    stack.add(() => Promise.all(Object.values(databases).map(db => db.close())));
    addAnswers(answers, { services, databases, ask, log });

    let demo: DemoAccount[] = [];
    if (options.demo && seeded.every(schema => databases[schema] !== undefined)) {
      step('filling the demo hotels in');
      const filled = databases as Record<(typeof seeded)[number], Database>;
      demo = await unlessTold(signal, seedDemo(filled));
    }
    const hot = await openHot(env, log, metrics);
    stack.add(hot.close);
    booking.use({ ...hot, log, metrics });
    stack.add(booking.close);
    step('starting the backbone');
    const relayDb = databases[RELAY] as Database;
    const hasSession = () => backbone.hasSession;
    const broker = await openBroker(env, { db: relayDb, log, metrics, hasSession });
    if (broker !== undefined) stack.add(() => broker.close());
    stack.add(() => backbone.stop());
    await backbone.start({
      databases,
      relayDb,
      ...(broker === undefined ? {} : { broker }),
      relay: env.ROLE === 'all' || env.ROLE === 'relay',
      consumers: env.ROLE === 'all' || env.ROLE === 'consumers',
      subscriptions: everything.filter(({ reacts }) => reacts.length > 0).map(({ name }) => name),
    });
    if (env.ROLE === 'all' || env.ROLE === 'jobs') {
      step('starting job workers');
      const workers = await startWorkers({
        jobs: services.flatMap(service => [...service.jobs, ...service.schedules]),
        databases,
        workerUrl: roleUrl(database.adminUrl, 'jobs_worker', secret),
        log,
        metrics,
      });
      stack.add(() => workers.stop());
      for (const { gauges, schema } of services) {
        for (const { metric, read } of gauges)
          metrics.watch(metric, () => read(databases[schema] as Database));
      }
    }
    step('opening the door');
    const readiness = openReadiness({
      url: roleUrl(database.adminUrl, 'maintenance', secret),
      hot: env.REDIS_URL === undefined ? undefined : hot,
      log,
    });
    stack.add(readiness.close);
    const host = await createHost({
      services: hostServices(env, { services, databases, answers }),
      authenticate: authenticator(ask, tokens(services.map(service => service.schema)), booking.guest),
      resolveTenant: booking.resolveTenant,
      ...(hasSite(env, services) ? { pages: site => addBookingSite(site, { bff: injectedBff(site) }) } : {}),
      hot,
      log,
      metrics,
      ready: readiness.ready,
      degrades: readiness.degrades,
      config: {
        quotas: quotasOf(env),
        metricsAccess: env.MELM_METRICS,
        ...(env.MELM_TRUSTED_PROXIES ? { trustedProxies: env.MELM_TRUSTED_PROXIES } : {}),
      },
    });
    stack.add(host.close);
    const url = await listen(host, env);
    return {
      url,
      siteUrl: env.MELM_PUBLIC_URL ?? `http://localhost:${new URL(url).port}`,
      services,
      demo,
      mailPage: providers.mailPage,
      failed: database.exited.then(
        () => new Error('PostgreSQL ended by itself; see the log beside its data folder'),
      ),
      close: stack.closeAll,
    };
  } catch (error) {
    await stack.closeAll();
    throw error;
  }
}

/** Seed users, failpoints and a generated secret have no place where real guests are (safety rule 27). */
function refuseTestDoors(env: Environment, options: StartOptions): void {
  if (env.MELM_ENV === 'production') {
    const door =
      env.MELM_FAILPOINTS !== undefined
        ? 'MELM_FAILPOINTS'
        : options.demo
          ? 'the demo data (use --no-demo)'
          : armedFailpoints()[0];
    if (door !== undefined) throw serverErrors.TEST_DOOR_OPEN({ door });
  }
  armFailpointsFromEnv(
    { MELM_FAILPOINTS: env.MELM_FAILPOINTS },
    { crash: () => process.kill(process.pid, 'SIGKILL') },
  );
}

/** The booking site stands where its BFF does. */
function hasSite({ ROLE }: Environment, services: readonly Service[]): boolean {
  return (
    (ROLE === 'all' || ROLE === 'http') && services.some(({ schema }) => schema === 'bff_tenant_booking')
  );
}

function quotasOf({ MELM_REQUESTS_PER_MINUTE: limit }: Environment) {
  const each = { limit, windowMs: minutes(1) };
  return { principal: each, address: each, tenant: { ...each, limit: limit * 10 } };
}

type Answering = { services: readonly Service[]; databases: Record<string, Database>; ask: Ask; log: Logger };

function addAnswers(
  answers: Map<string, (input: unknown) => Promise<unknown>>,
  { services, databases, ask, log }: Answering,
): void {
  for (const service of services) {
    for (const { question, handle } of service.answers) {
      const db = databases[service.schema] as Database;
      answers.set(question.name, input => handle({ db, ask, log }, question.input.parse(input)));
    }
  }
}

function peersOf(env: Environment, token: (schema: string) => Promise<string>) {
  return { urlOf: (schema: string) => env.MELM_PEERS?.get(schema), token };
}

type Hosting = { services: readonly Service[]; databases: Record<string, Database>; answers: LocalAnswers };

function hostServices(env: Environment, { services, databases, answers }: Hosting) {
  const internal = {
    name: 'server',
    schema: 'app',
    db: databases[MAINTENANCE] as Database,
    routes: questionRoutes(services, answers),
  };
  const own = env.ROLE === 'all' || env.ROLE === 'http' ? services : [];
  return [
    ...own.map(({ name, schema, routes, errors }) => ({
      name,
      schema,
      routes,
      errors: { catalogue: errors },
      db: databases[schema] as Database,
    })),
    internal,
  ];
}

async function openHot(env: Environment, log: Logger, metrics: Metrics): Promise<HotTiers> {
  try {
    return await openHotStore({ redisUrl: env.REDIS_URL, cacheRedisUrl: env.REDIS_CACHE_URL, log, metrics });
  } catch (error) {
    const address = new URL(env.REDIS_URL ?? 'redis://memory').host;
    throw serverErrors.REDIS_UNREACHABLE({ address, reason: (error as Error).message }, { cause: error });
  }
}

async function listen(host: Host, env: Environment): Promise<string> {
  try {
    return await host.listen(env.PORT, env.HOST);
  } catch (error) {
    const { PORT: port, HOST: host } = env;
    const { code, message: reason } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw serverErrors.PORT_TAKEN({ port });
    throw serverErrors.CANNOT_LISTEN({ host, port, reason }, { cause: error });
  }
}
