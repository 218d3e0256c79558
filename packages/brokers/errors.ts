import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What the operator's tools refuse; each is one line for the person who typed the command. */
export const brokerErrors = defineErrors('brokers', {
  REASON_MISSING: { status: 422, text: 'Say who changes this and why: both are kept in the audit trail.' },
  OUTCOME_UNKNOWN: {
    status: 503,
    text: 'The database went away while this was being saved, and cannot say whether it was. "melm operations" shows what was done; give the command again for the rest.',
  },
  UNKNOWN_SUBSCRIPTION: { status: 404, text: 'No service consumes as {name}; there are: {known}' },
  NOT_IN_LOG: {
    status: 409,
    text: 'Nothing was changed: {subscription} reads from {broker}, which cannot go back. Use "melm republish --since <moment>": everybody gets what was published since then once more, and inboxes pass over what they have applied.',
  },
  IN_LOG: {
    status: 409,
    text: 'Nothing was changed: what was published is in the log of PostgreSQL. Use "melm seek" for a service, "melm replay" for a range of events.',
  },
  SUBSCRIPTION_SERVED: {
    status: 409,
    text: 'Nothing was changed: the process {member} serves {subscription} and was heard of {seconds} s ago. Stop it first.',
  },
  LETTERS_WAIT: {
    status: 409,
    text: 'Nothing was changed: {subscription} has dead letters that wait for a decision ({count}). See "melm dlq list --subscription {subscription}", or say --with-letters to keep them as skipped.',
  },
  UNKNOWN_CONSUMER: { status: 404, text: 'No inbox knows the consumer {name}; there are: {known}' },
  UNKNOWN_OUTBOX: {
    status: 404,
    text: 'No service has an outbox in the schema {schema}; there are: {known}',
  },
  NO_SUCH_LETTER: { status: 404, text: 'There is no dead letter {id}; "melm dlq list" shows what there is.' },
  SEVERAL_LETTERS: {
    status: 409,
    text: 'Message {id} is a dead letter of {subscriptions}; say which with --subscription.',
  },
  NOT_QUARANTINED: { status: 404, text: 'Nothing unresolved is in quarantine as {schema} {seq}.' },
  BAD_MOMENT: { status: 422, text: '{moment} cannot be used: {reason}' },
  BEYOND_INBOX: {
    status: 422,
    text: 'The range begins at {since}; inboxes forget after {days} days, so {subscription} would apply older events twice. Say --rebuildable if it rebuilds from nothing.',
  },
});
