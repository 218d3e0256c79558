import type { Logger } from '@ghasi/telemetry/logger';
import type { FastifyInstance } from 'fastify';

/** Says nothing when all is well, throws when not. */
export type ReadinessCheck = () => Promise<void>;

/** What a host tells its orchestrator. */
export type Health = {
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** What is served less well without: looked at and named like `checks`, but no reason to send requests elsewhere. */
  degrades: Readonly<Record<string, ReadinessCheck>>;
  isDraining(): boolean;
  log: Logger;
  /** Time one check has; default 2 s. */
  timeoutMs?: number;
};

/**
 * `/healthz`: the process runs. `/readyz`: it may be sent requests: every check passes and it is not draining (ledger
 * TEN-20). The answers name checks, never versions, addresses or error texts; those go to the log.
 */
export function addHealthRoutes(fastify: FastifyInstance, health: Health): void {
  fastify.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  let looking: ReturnType<typeof runChecks> | undefined;
  fastify.get('/readyz', async (_request, reply) => {
    // Everybody may ask: however many do, the database is looked at once at a time.
    looking ??= runChecks(health).finally(() => {
      looking = undefined;
    });
    const entries = await looking;
    const draining = health.isDraining();
    const ready = !draining && entries.every(([name, result]) => result === 'ok' || name in health.degrades);
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: draining ? 'draining' : ready ? 'ready' : 'not ready',
        checks: Object.fromEntries(entries),
      });
  });
}

function runChecks(health: Health) {
  const all = { ...health.checks, ...health.degrades };
  return Promise.all(Object.entries(all).map(entry => runCheck(health, entry)));
}

async function runCheck(
  { log, timeoutMs = 2_000 }: Health,
  [name, check]: [string, ReadinessCheck],
): Promise<[string, 'ok' | 'failed']> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([check(), timeout.promise]);
    return [name, 'ok'];
  } catch (error) {
    log.warn({ err: error, check: name }, 'a readiness check failed');
    return [name, 'failed'];
  } finally {
    clearTimeout(timer);
  }
}
