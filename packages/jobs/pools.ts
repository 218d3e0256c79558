import type { Database } from '@ghasi/db/database';
import type { PgBoss } from 'pg-boss';
import { databaseKey } from './claim.ts';
import type { JobDefinition, Schedule } from './define-job.ts';
import { jobErrors } from './errors.ts';
import { bossQueue, type QueueName } from './queues.ts';

/** One service's part of a queue: it has workers of its own, so neither another queue nor another service delays it. */
export type Pool = { readonly service: string; readonly queue: QueueName; readonly bossQueue: string };

/** The jobs of a list by name; refuses two of one name, one with two schedules and one without a database. */
export function jobsByName(
  entries: readonly (JobDefinition | Schedule)[],
  databases: Readonly<Record<string, Database>>,
): ReadonlyMap<string, JobDefinition> {
  const jobs = new Map<string, JobDefinition>();
  const scheduled = new Set<string>();
  for (const entry of entries) {
    const job = 'recurrence' in entry ? entry.job : entry;
    if ('recurrence' in entry) {
      if (scheduled.has(job.name)) throw jobErrors.JOB_SCHEDULED_TWICE({ name: job.name });
      scheduled.add(job.name);
    }
    const other = jobs.get(job.name);
    if (other !== undefined && other !== job) throw jobErrors.JOB_DEFINED_TWICE({ name: job.name });
    if (databases[databaseKey(job)] === undefined)
      throw jobErrors.NO_DATABASE({ name: job.name, owner: databaseKey(job) });
    jobs.set(job.name, job);
  }
  return jobs;
}

/** The pools that jobs need: only queues that a service uses are polled. */
export function poolsOf(jobs: Iterable<JobDefinition>): Pool[] {
  const pools = new Map<string, Pool>();
  for (const { service, queue } of jobs) {
    const name = bossQueue(service, queue);
    pools.set(name, { service, queue, bossQueue: name });
  }
  return [...pools.values()];
}

/** Refuses to start workers for a service whose migrations did not ask for jobs. */
export async function assertAdmitted(boss: PgBoss, pools: readonly Pool[]): Promise<void> {
  if (pools.length === 0) return;
  const there = new Set((await boss.getQueues(pools.map(pool => pool.bossQueue))).map(queue => queue.name));
  const missing = pools.find(pool => !there.has(pool.bossQueue));
  if (missing !== undefined) throw jobErrors.NOT_ADMITTED({ service: missing.service });
}
