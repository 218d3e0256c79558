import { type StoredProblem, storedProblems } from '@ghasi/backbone/registry-stored';
import { storedEnvelopes } from '@ghasi/backbone/stored-envelopes';
import { type StoredJobProblem, storedJobs } from '@ghasi/jobs/stored-jobs';
import { platformRegistry } from '@melmastoon/server/services';
import { progress } from './progress.ts';
import { counted, oneLine, room } from './said.ts';
import { table } from './table.ts';
import { describedServices } from './with-database.ts';
import { withRelayAndWorker } from './with-relay.ts';

/** Flags of `melm stored`. */
export type StoredFlags = { dataDir?: string; json?: boolean };

type Found = {
  readonly events: number;
  readonly jobs: number;
  readonly problems: readonly (StoredProblem | StoredJobProblem)[];
};

/** Reads with this release what older ones have left, before a deployment turns it into dead letters. */
export async function stored(flags: StoredFlags): Promise<void> {
  const found = await look(flags);
  const readable = found.problems.length === 0;
  if (flags.json) console.log(JSON.stringify({ readable, ...found }));
  else console.log(readable ? good(found) : report(found));
  if (!readable) process.exitCode = 1;
}

async function look(flags: StoredFlags): Promise<Found> {
  const services = describedServices();
  const registry = platformRegistry(services);
  const definitions = services.flatMap(({ jobs, schedules }) => [
    ...jobs,
    ...schedules.map(({ job }) => job),
  ]);
  return withRelayAndWorker(flags, async ({ relay, worker }) => {
    const problems: (StoredProblem | StoredJobProblem)[] = [];
    const show = progress('read');
    let events = 0;
    for await (const { rows, total } of storedEnvelopes(
      relay,
      services.map(({ schema }) => schema),
    )) {
      problems.push(...storedProblems(rows, registry));
      events += rows.length;
      show(events, total);
    }
    const jobs = await storedJobs(worker, definitions);
    return { events, jobs: jobs.waiting, problems: [...problems, ...jobs.problems] };
  });
}

const all = ({ events, jobs }: Found) =>
  `${counted(events, 'stored event')} and ${counted(jobs, 'waiting job')}`;

function good(found: Found): string {
  return `This release can read all that is stored: ${all(found)}.`;
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
