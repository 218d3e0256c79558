import { hostname } from 'node:os';
import type { Database } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { PgBoss } from 'pg-boss';
import { affected } from './boss-in-transaction.ts';
import type { JobDefinition, Schedule } from './define-job.ts';
import { attemptOf } from './lease.ts';
import { onEnqueued } from './news.ts';
import { assertAdmitted, jobsByName, type Pool, poolsOf } from './pools.ts';
import { watchQueues } from './queue-depth.ts';
import type { QueueName } from './queues.ts';
import { reportRun } from './run-report.ts';
import { startScheduler } from './scheduler.ts';
import { type Workshop, workOff } from './work-off.ts';
import { openBoss, rhythm } from './worker-boss.ts';

/** Jobs being worked off by this process. */
export type Workers = {
  /** How this process shows in `worker_id`. */
  readonly id: string;
  /** Looks for work now instead of at the next poll; call it after committing a job that should not wait. */
  wake(): void;
  /** Takes no new jobs, lets the running ones end for up to `timeoutMs` (default 4000), and fails the rest. */
  stop(options?: { timeoutMs?: number }): Promise<void>;
};

/** What {@link startWorkers} needs. */
export type WorkersOptions = {
  jobs: readonly (JobDefinition | Schedule)[];
  /** By service; `maintenance` for the jobs that run as it. */
  databases: Readonly<Record<string, Database>>;
  /** Address of role `jobs_worker`. */
  workerUrl: string;
  log: Logger;
  metrics?: Metrics;
  /** Jobs of one service that run here at once, by queue; default {@link defaultConcurrency}. */
  concurrency?: Partial<Record<QueueName, number>>;
  /**
   * Jobs of one tenant that run at once, by queue, over all processes. Default: one less than `concurrency`, so that a
   * noisy tenant leaves a place to the others.
   */
  perTenant?: Partial<Record<QueueName, number>>;
  /** Seconds between two looks for work of an idle worker; default 2, at least 0.5. */
  pollSeconds?: number;
  /** An error is logged when a queue keeps this many dead letters (OBS-33); default 10. */
  deadLetterThreshold?: number;
};

/** Jobs of one service that run at once in one process. */
export const defaultConcurrency: Readonly<Record<QueueName, number>> = {
  critical: 2,
  default: 2,
  bulk: 1,
  scheduled: 1,
};

/** Starts working off the given jobs and their schedules; refuses a list that could not work. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { log, metrics } = options;
  const jobs = jobsByName(options.jobs, options.databases);
  const pools = poolsOf(jobs.values());
  const id = workerId();
  const { boss, close } = openBoss({ id, url: options.workerUrl, log });
  try {
    await boss.start();
    await assertAdmitted(boss, pools);
    const shop: Workshop = {
      jobs,
      databases: options.databases,
      log,
      completeLoose: async (lease, output) =>
        affected(await boss.complete(lease.queue, attemptOf(lease), output)) === 1,
      stateOf: async lease => (await boss.findJobs(lease.queue, { id: attemptOf(lease).id }))[0]?.state,
      report: (claimed, report) => reportRun(claimed, report, { log, metrics }),
    };
    for (const pool of pools) await hire(boss, pool, { shop, options });
    const services = new Set(pools.map(pool => pool.service));
    const schedules = options.jobs.filter(entry => 'recurrence' in entry);
    const scheduler = await startScheduler(boss, schedules, { services, log });
    const queues = watchQueues(boss, {
      log,
      metrics,
      deadLetterThreshold: options.deadLetterThreshold ?? 10,
      everySeconds: rhythm.rescueSeconds,
    });
    const turns = new Map<string, number>();
    const deaf = onEnqueued(queue => wakeOne(boss, queue, turns));
    return {
      id,
      wake() {
        for (const worker of boss.getWipData()) boss.notifyWorker(worker.id);
      },
      async stop({ timeoutMs = 4_000 } = {}) {
        deaf();
        scheduler.stop();
        queues.stop();
        await boss.stop({ graceful: true, timeout: timeoutMs });
        await close();
      },
    };
  } catch (error) {
    await boss.stop({ graceful: false });
    await close();
    throw error;
  }
}

/** 63 bytes are all that `application_name` holds. */
function workerId(): string {
  return `${hostname().slice(0, 30)}:${process.pid}:${uuid7().slice(-12)}`;
}

/** Every pool gets its own workers (JOB-24), each of which runs one job at a time. */
async function hire(
  boss: PgBoss,
  pool: Pool,
  { shop, options }: { shop: Workshop; options: WorkersOptions },
) {
  const size = options.concurrency?.[pool.queue] ?? defaultConcurrency[pool.queue];
  const perTenant = options.perTenant?.[pool.queue] ?? (size > 1 ? size - 1 : undefined);
  const settings = {
    includeMetadata: true,
    perJobResults: true,
    pollingIntervalSeconds: options.pollSeconds ?? 2,
    heartbeatRefreshSeconds: rhythm.heartbeatRefreshSeconds,
    localConcurrency: size,
    // pg-boss's local limit would be exact, but it gives claimed jobs back, and a job given back is claimed again with
    // the same number: that would break the fence. This one lets go of a tenant's last place a job later at worst.
    ...(perTenant === undefined ? {} : { groupConcurrency: perTenant }),
  } as const;
  await boss.work<unknown, unknown, typeof settings>(pool.bossQueue, settings, async jobs => {
    const settled = await Promise.all(jobs.map(claimed => workOff(claimed, shop)));
    for (const { id } of workersOf(boss, pool.bossQueue).filter(isBusy)) boss.notifyWorker(id); // another may wait
    return settled;
  });
}

/** One job needs one worker: an idle one looks for it at once. Where all are busy, they look when they are done. */
function wakeOne(boss: PgBoss, bossQueue: string, turns: Map<string, number>): void {
  const idle = workersOf(boss, bossQueue).filter(worker => !isBusy(worker));
  const turn = turns.get(bossQueue) ?? 0;
  turns.set(bossQueue, turn + 1);
  const worker = idle[turn % idle.length];
  if (worker !== undefined) boss.notifyWorker(worker.id);
}

function workersOf(boss: PgBoss, bossQueue: string) {
  return boss.getWipData().filter(({ name }) => name === bossQueue);
}

function isBusy({ count }: { count: number }): boolean {
  return count > 0;
}
