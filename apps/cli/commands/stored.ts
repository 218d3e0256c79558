import { recordedSchemas } from '@ghasi/backbone/registry-released';
import { type StoredProblem, storedProblems } from '@ghasi/backbone/registry-stored';
import { storedEnvelopes } from '@ghasi/backbone/stored-envelopes';
import { sqlState } from '@ghasi/db/pg-errors';
import { type StoredJobProblem, storedJobs } from '@ghasi/jobs/stored-jobs';
import { platformRegistry } from '@melmastoon/server/services';
import { progress } from './progress.ts';
import { counted, oneLine, room } from './said.ts';
import { table } from './table.ts';
import { describedServices } from './with-database.ts';
import { type RelayAndWorker, withRelayAndWorker } from './with-relay.ts';

/** Flags of `melm stored`. */
export type StoredFlags = { dataDir?: string; json?: boolean };

/** What a look at everything stored brought. */
export type Found = {
  readonly events: number;
  /** Events that were left for another time, because the look was to end. */
  readonly unseen: number;
  readonly jobs: number;
  readonly problems: readonly (StoredProblem | StoredJobProblem)[];
};

/** Reads with this release what older ones have left, before a deployment turns it into dead letters. */
export async function stored(flags: StoredFlags): Promise<void> {
  const found = await withRelayAndWorker(flags, dbs => lookAtStored(dbs));
  const readable = found.problems.length === 0;
  if (flags.json) console.log(JSON.stringify({ readable, ...found }));
  else console.log(reportStored(found));
  if (!readable) process.exitCode = 1;
}

/** Looks through all of it, or for a while; progress goes to the terminal. */
export async function lookAtStored(
  { relay, worker }: RelayAndWorker,
  { mostMs = Number.POSITIVE_INFINITY }: { mostMs?: number } = {},
): Promise<Found> {
  const services = describedServices();
  const registry = platformRegistry(services);
  registry.readFrom(() => recordedSchemas(relay));
  await registry.refresh().catch(error => {
    if (sqlState(error) !== '42P01') throw error; // looked at before the migration that makes the table
  });
  const definitions = services.flatMap(({ jobs, schedules }) => [
    ...jobs,
    ...schedules.map(({ job }) => job),
  ]);
  const problems: (StoredProblem | StoredJobProblem)[] = [];
  const show = progress('read');
  const started = performance.now();
  let [events, unseen] = [0, 0];
  for await (const { rows, total } of storedEnvelopes(
    relay,
    services.map(({ schema }) => schema),
  )) {
    problems.push(...storedProblems(rows, registry));
    events += rows.length;
    show(events, total);
    unseen = total - events;
    if (performance.now() - started > mostMs) break;
  }
  const jobs = await storedJobs(worker, definitions);
  return { events, unseen, jobs: jobs.waiting, problems: [...problems, ...jobs.problems] };
}

const all = ({ events, jobs }: Found) =>
  `${counted(events, 'stored event')} and ${counted(jobs, 'waiting job')}`;

/** What a look brought, for people. */
export function reportStored(found: Found): string {
  const { problems, unseen } = found;
  if (problems.length > 0) return report(found);
  if (unseen === 0) return `This release can read all that is stored: ${all(found)}.`;
  return `This release can read ${all(found)}; ${counted(unseen, 'event')} were not looked at. "melm stored" reads them all.`;
}

const MOST_SHOWN = 50;

function report(found: Found): string {
  const { problems } = found;
  const rows = problems.slice(0, MOST_SHOWN).map(problem => ({
    where: problem.where,
    what: 'job' in problem ? problem.job : problem.subject,
    why: oneLine(problem.reason, room(100)),
  }));
  const more = problems.length - rows.length;
  return [
    table(rows),
    ...(more > 0 ? [`… and ${more} more; --json has them all`] : []),
    '',
    `${counted(problems.length, 'cannot', 'cannot')} be read by this release, of ${all(found)}. Keep the old version of the event or job, or add an upcaster.`,
  ].join('\n');
}
