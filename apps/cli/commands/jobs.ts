import { type Change, operate, record } from '@ghasi/brokers/operations/operation';
import type { Database } from '@ghasi/db/database';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, parseId } from '@ghasi/domain-primitives/ids';
import { cancelJob, retryJob } from '@ghasi/jobs/administer';
import { type JobFilter, type JobStatus, jobStatuses, type ListedJob, listJobs } from '@ghasi/jobs/list-jobs';
import { cliErrors } from '../errors.ts';
import { type ChangeFlags, changeOf, type LookFlags, numberOf, tenantOf } from './given.ts';
import { age, counted, oneLine, room } from './said.ts';
import { table } from './table.ts';
import { withRelayAndWorker } from './with-relay.ts';

/** Flags that narrow jobs. */
export type JobFlags = LookFlags & { type?: string; status?: string; limit?: string };

/** What an operator can decide about a job. */
export type JobDecision = 'retry' | 'cancel';

const decide = { retry: retryJob, cancel: cancelJob } as const;
const open: Record<JobDecision, readonly JobStatus[]> = {
  retry: ['dead_letter', 'canceled', 'failed'],
  cancel: ['pending', 'running', 'failed'],
};

/** Most jobs of one decision; the next call takes the next ones. */
const MOST = 1_000;

/** Lists jobs; without `--status` those that were given up. */
export async function jobsList(flags: JobFlags): Promise<void> {
  const limit = numberOf('--limit', flags.limit ?? '50');
  const filter = { ...narrowed(flags), status: [statusOf(flags.status ?? 'dead_letter')], limit };
  const found = await withRelayAndWorker(flags, ({ worker }) => listJobs(worker, filter));
  if (flags.json) console.log(JSON.stringify(found));
  else console.log(found.length === 0 ? 'No such job.' : jobTable(found));
}

/** Runs jobs again, or ends them; `--all` means every dead letter that matches. */
export async function jobsDecide(
  how: JobDecision,
  ids: readonly string[],
  flags: ChangeFlags & JobFlags & { all?: boolean },
): Promise<void> {
  if ((ids.length === 0) === (flags.all !== true)) throw cliErrors.NOTHING_CHOSEN({ list: 'jobs list' });
  const change = changeOf(flags);
  const chosen = ids.length === 0 ? {} : { ids: ids.map(id => parseId('job', id)) };
  const status: readonly JobStatus[] = ids.length === 0 ? ['dead_letter'] : open[how];
  const filter = { ...narrowed(flags), ...chosen, status, limit: MOST };
  const { found, done } = await withRelayAndWorker(flags, async ({ relay, worker }) => {
    const found = await listJobs(worker, filter);
    if (change.dryRun || found.length === 0) return { found, done: [] };
    return { found, done: await carryOut({ relay, worker }, { how, change, found }) };
  });
  const dryRun = change.dryRun === true;
  if (flags.json) return console.log(JSON.stringify({ how, jobs: dryRun ? found : done, dryRun }));
  const line = `${counted((dryRun ? found : done).length, 'job')} ${dryRun ? 'would be ' : ''}${said[how]}.`;
  console.log(dryRun && found.length > 0 ? `${jobTable(found)}\n\n${line} Nothing was changed.` : line);
}

const said = { retry: 'given another run', cancel: 'canceled' } as const;

type Deciding = { how: JobDecision; change: Change; found: readonly ListedJob[] };

/** The entry first: another role keeps the audit trail than the jobs, and nothing may change without it. */
async function carryOut(
  { relay, worker }: { relay: Database; worker: Database },
  { how, change, found }: Deciding,
): Promise<ListedJob[]> {
  const detail = { jobs: found.map(({ id, type, tenantId }) => ({ id, type, tenantId })) };
  await operate(relay, change, tx => record(tx, change, { action: `jobs.${how}`, detail, wake: undefined }));
  const changed = await Promise.all(found.map(({ id }) => decideOn(worker, { how, change, id })));
  return found.filter((_, place) => changed[place]);
}

function decideOn(
  worker: Database,
  { how, change, id }: Pick<Deciding, 'how' | 'change'> & { id: Id<'job'> },
): Promise<boolean> {
  return systemTransaction(worker, { actor: { type: 'user', id: change.actor } }, ctx =>
    decide[how](ctx, id),
  );
}

function narrowed(flags: JobFlags): Pick<JobFilter, 'tenantId' | 'type'> {
  return { ...tenantOf(flags), ...(flags.type === undefined ? {} : { type: flags.type }) };
}

function statusOf(text: string): JobStatus {
  const found = jobStatuses.find(status => status === text);
  if (found === undefined) throw cliErrors.BAD_STATUS({ text, known: jobStatuses.join(', ') });
  return found;
}

function jobTable(jobs: readonly ListedJob[]): string {
  return table(
    jobs.map(({ id, tenantId, type, queue, status, failedRuns, ageSeconds, error }) => ({
      id,
      type,
      queue,
      tenant: tenantId ?? 'platform',
      status,
      failed: failedRuns,
      age: age(ageSeconds),
      error: oneLine(error ?? '', room(140)),
    })),
  );
}
