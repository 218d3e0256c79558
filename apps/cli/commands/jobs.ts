import { type JobFilter, type JobStatus, jobStatuses, type ListedJob, listJobs } from '@ghasi/jobs/list-jobs';
import { cliErrors } from '../errors.ts';
import { type CutFlags, cut, limitOf, oneMore } from './cut.ts';
import { type LookFlags, tenantOf } from './given.ts';
import { age, oneLine, room } from './said.ts';
import { BELOW, table } from './table.ts';
import { withRelayAndWorker } from './with-relay.ts';

/** Flags that narrow jobs. */
export type JobFlags = LookFlags & { type?: string };

/** Lists jobs; without `--status` those that were given up. */
export async function jobsList(flags: JobFlags & CutFlags & { status?: string }): Promise<void> {
  const limit = limitOf(flags);
  const filter = {
    ...narrowed(flags),
    status: [statusOf(flags.status ?? 'dead_letter')],
    ...oneMore(limit),
  };
  const found = await withRelayAndWorker(flags, ({ worker }) => listJobs(worker, filter));
  const { rows, more } = cut(found, limit);
  if (flags.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'No such job.' : jobTable(rows) + more);
}

/** The filter of the flags. */
export function narrowed(flags: JobFlags): Pick<JobFilter, 'tenantId' | 'type'> {
  return { ...tenantOf(flags), ...(flags.type === undefined ? {} : { type: flags.type }) };
}

function statusOf(text: string): JobStatus {
  const found = jobStatuses.find(status => status === text);
  if (found === undefined) throw cliErrors.BAD_STATUS({ text, known: jobStatuses.join(', ') });
  return found;
}

/** Jobs as a person reads them. */
export function jobTable(jobs: readonly ListedJob[]): string {
  return table(
    jobs,
    ({ id, type, queue, status, failedRuns, ageSeconds }) => ({
      ...{ id, type, queue, status, failed: failedRuns, age: age(ageSeconds) },
    }),
    ({ error, tenantId }) => [oneLine(error ?? '', room(BELOW)), `tenant ${tenantId ?? 'platform'}`],
  );
}
