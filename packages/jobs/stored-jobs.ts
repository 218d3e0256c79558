import type { Database } from '@ghasi/db/database';
import type { JobDefinition } from './define-job.ts';
import { envelope } from './envelope.ts';

/** A job that waits and that this release could not run, and why. */
export type StoredJobProblem = { readonly where: string; readonly job: string; readonly reason: string };

/** What a look at all waiting jobs brought. */
export type StoredJobs = { readonly waiting: number; readonly problems: readonly StoredJobProblem[] };

/**
 * Which jobs that wait, also those of schedules and for another day, no longer fit: their name is gone, or what they were
 * given is refused. `db` is signed in as `jobs_worker`.
 */
export async function storedJobs(db: Database, jobs: readonly JobDefinition[]): Promise<StoredJobs> {
  const known = new Map(jobs.map(job => [job.name, job]));
  const { rows } = await db.pool.query<{ id: string; name: string; data: unknown }>(
    `select id, name, data from jobs.job where state in ('created', 'retry') and name not like '\\_\\_pgboss%' order by created_on`,
  );
  const problems = rows.flatMap(({ id, name, data }) => {
    const problem = problemOf(data, known);
    return problem === undefined ? [] : [{ where: `job ${id} of queue ${name}`, ...problem }];
  });
  return { waiting: rows.length, problems };
}

function problemOf(
  data: unknown,
  known: ReadonlyMap<string, JobDefinition>,
): Omit<StoredJobProblem, 'where'> | undefined {
  const sent = envelope.safeParse(data);
  if (!sent.success) return { job: 'unknown', reason: 'it is no job of ours' };
  const { type, input } = sent.data;
  const job = known.get(type);
  if (job === undefined) return { job: type, reason: 'no job of this name' };
  const read = job.input.safeParse(input);
  if (read.success) return undefined;
  // Where, and what is wrong with it, but never the value: it may be personal.
  const reasons = read.error.issues.map(({ path, code }) => `${path.join('.') || 'input'}: ${code}`);
  return { job: type, reason: `what it was given does not fit: ${reasons.join('; ')}` };
}
