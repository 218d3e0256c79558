import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What `melm` refuses before it looks at anything; each is one line for the person who typed the command. */
export const cliErrors = defineErrors('cli', {
  NOT_MIGRATED: { status: 500, text: 'This database has no message log yet: run "melm migrate" first.' },
  REASON_MISSING: {
    status: 422,
    text: 'Say why with --reason "…", it is kept in the audit trail; or look first with --dry-run.',
  },
  BAD_MOMENT: { status: 422, text: '{flag}: "{text}" is not a moment; write it like 2026-03-21T08:00:00Z' },
  BAD_SPAN: { status: 422, text: '--until: {until} is not after --since {since}' },
  BAD_NUMBER: { status: 422, text: '{what}: "{text}" is not a whole number from {least} to {most}' },
  BAD_STATUS: { status: 422, text: 'No job is "{text}"; a job is {known}' },
  NOTHING_CHOSEN: {
    status: 422,
    text: 'Say which: ids from "melm {list}", or --all for every one that matches the filters.',
  },
  NO_JOB_NAMED: { status: 422, text: 'Say which: ids from "melm jobs list --status pending".' },
  JOBS_NOT_OPEN: {
    status: 409,
    text: '"melm jobs {how}" takes jobs that are {open}. Nothing was changed: {problems}',
  },
  UNKNOWN_SERVICE: { status: 404, text: 'No service is called {name}; there are: {known}' },
  UNKNOWN_TOPIC: { status: 404, text: 'No event is called {topic}; near to it: {near}' },
  NOT_LISTENING: { status: 422, text: '{service} does not listen to {topic}; it listens to: {topics}' },
  TENANT_NEEDS_MOMENT: {
    status: 422,
    text: 'One tenant is replayed beside the others: give a moment with --to, not {to}.',
  },
});
