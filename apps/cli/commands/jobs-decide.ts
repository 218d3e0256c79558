import { type Change, operate, record } from '@ghasi/brokers/operations/operation';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, parseId } from '@ghasi/domain-primitives/ids';
import { cancelJob, retryJob } from '@ghasi/jobs/administer';
import { type JobFilter, type JobStatus, type ListedJob, listJobs } from '@ghasi/jobs/list-jobs';
import { cliErrors } from '../errors.ts';
import { type ChangeFlags, changeOf } from './given.ts';
import { type JobFlags, jobTable, narrowed } from './jobs.ts';
import { progress } from './progress.ts';
import { counted } from './said.ts';
import { type RelayAndWorker, withRelayAndWorker } from './with-relay.ts';

/** What an operator can decide about a job. */
export type JobDecision = 'retry' | 'cancel';

/** Flags of `melm jobs retry` and `cancel`; only `retry` has `--all`. */
export type JobDecideFlags = JobFlags & ChangeFlags & { all?: boolean };

const decide = { retry: retryJob, cancel: cancelJob } as const;
const said = { retry: 'given another run', cancel: 'canceled' } as const;
const open: Record<JobDecision, readonly JobStatus[]> = {
  retry: ['dead_letter', 'canceled', 'failed'],
  cancel: ['pending', 'running', 'failed'],
};

/** Jobs of one audit entry. */
const PIECE = 100;

/** Runs jobs again, or ends them; `--all` means every dead letter that matches. */
export async function jobsDecide(
  how: JobDecision,
  given: readonly string[],
  flags: JobDecideFlags,
): Promise<void> {
  assertChosen(how, given, flags);
  const change = changeOf(flags);
  const dryRun = change.dryRun === true;
  const ids = given.map(id => parseId('job', id));
  const filter = narrowed(flags);
  const { found, done } = await withRelayAndWorker(flags, async dbs => {
    const found = await chosen(dbs, { how, ids, filter });
    return { found, done: dryRun ? found : await carryOut(dbs, change, { how, filter, found }) };
  });
  const left = found.length - done.length;
  if (left > 0 && ids.length > 0) process.exitCode = 1; // who names a job expects it to be done
  if (flags.json) return console.log(JSON.stringify({ how, jobs: done, dryRun }));
  const line = `${counted(done.length, 'job')} ${dryRun ? 'would be ' : ''}${said[how]}.${leftText(left)}`;
  console.log(dryRun && found.length > 0 ? `${jobTable(found)}\n\n${line} Nothing was changed.` : line);
}

function assertChosen(how: JobDecision, given: readonly string[], { all }: JobDecideFlags): void {
  if (how === 'cancel' && given.length === 0) throw cliErrors.NO_JOB_NAMED();
  if ((given.length === 0) === (all !== true)) throw cliErrors.NOTHING_CHOSEN({ list: 'jobs list' });
}

type Chosen = { how: JobDecision; ids: readonly Id<'job'>[]; filter: Omit<JobFilter, 'ids' | 'status'> };

/** Those with these ids, each of which must be there and open to the decision; without ids every dead letter. */
async function chosen({ worker }: RelayAndWorker, { how, ids, filter }: Chosen): Promise<ListedJob[]> {
  if (ids.length === 0) return listJobs(worker, { ...filter, status: ['dead_letter'] });
  const found = await listJobs(worker, { ...filter, ids });
  const statuses = new Map(found.map(({ id, status }) => [id, status]));
  const problems = ids.flatMap(id => {
    const status = statuses.get(id);
    if (status === undefined) return [`${id} was not found`];
    return open[how].includes(status) ? [] : [`${id} is ${status}`];
  });
  if (problems.length > 0) throw cliErrors.JOBS_NOT_OPEN({ how, open: open[how].join(', '), problems });
  return found;
}

type Deciding = Pick<Chosen, 'how' | 'filter'> & { found: readonly ListedJob[] };

/**
 * The entry first: another role keeps the audit trail than the jobs, and nothing may change without it. Only those that
 * were there at the beginning: what is given up again meanwhile is not taken twice.
 */
async function carryOut(
  { relay, worker }: RelayAndWorker,
  change: Change,
  { how, filter, found }: Deciding,
): Promise<ListedJob[]> {
  const who = { actor: { type: 'user', id: change.actor } } as const;
  const onProgress = progress(said[how]);
  const done: ListedJob[] = [];
  for (let first = 0; first < found.length; first += PIECE) {
    const piece = found.slice(first, first + PIECE);
    const jobs = piece.map(({ id, type, tenantId }) => ({ id, type, tenantId }));
    const detail = { filter, count: jobs.length, jobs };
    await operate(relay, change, tx =>
      record(tx, change, { action: `jobs.${how}`, detail, wake: undefined }),
    );
    // One after the other: two runs of one schedule may be among them, and the second must see that the first waits.
    for (const job of piece)
      if (await systemTransaction(worker, who, ctx => decide[how](ctx, job.id))) done.push(job);
    onProgress(first + piece.length, found.length);
  }
  return done;
}

function leftText(left: number): string {
  if (left === 0) return '';
  return ` ${counted(left, 'job was', 'jobs were')} left alone: changed meanwhile, or another run of the same schedule has not ended.`;
}
