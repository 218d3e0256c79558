import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What can be wrong with a job before or while it runs. */
export const jobErrors = defineErrors('jobs', {
  LEASE_LOST: {
    status: 409,
    text: 'Run {attempt} of job {jobId} no longer holds it: it was canceled, timed out or given to another worker. Nothing was saved.',
  },
  WRONG_SCOPE: {
    status: 500,
    text: 'Job {name} is for scope {scope} and cannot be enqueued from the context of {found}',
  },
  PRIORITY_OUT_OF_RANGE: {
    status: 500,
    text: 'Job {name} was given priority {priority}; 1 to 10 are possible',
  },
  JOB_DEFINED_TWICE: { status: 500, text: 'Two jobs are called {name}' },
  JOB_SCHEDULED_TWICE: {
    status: 500,
    text: 'Job {name} has two schedules, of which one would be lost: a schedule is known by its job. Define a job for each',
  },
  NO_DATABASE: {
    status: 500,
    text: 'Job {name} needs the database of {owner}, which startWorkers was not given',
  },
  NOT_ADMITTED: {
    status: 500,
    text: `Service {service} has jobs but no queues: add "select jobs.admit('{service}');" to its migrations`,
  },
});
