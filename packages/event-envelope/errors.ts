import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What this package refuses, and why. */
export const errors = defineErrors('event-envelope', {
  INVALID_SUBJECT: { status: 422, text: 'Not an event subject, {subject}: {reason}' },
  INVALID_EVENT: { status: 422, text: 'Not an event of {subject}: {reason}' },
  INVALID_ENVELOPE: { status: 422, text: 'Not an event envelope: {reason}' },
});
