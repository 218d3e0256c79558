import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What the backbone refuses. */
export const backboneErrors = defineErrors('backbone', {
  BAD_TOPOLOGY: { status: 500, text: 'The services do not fit together: {reasons}' },
  NO_OUTBOX: {
    status: 500,
    text: "These schemas have no outbox: {schemas}. Add select backbone.add_messaging('<schema>') to a migration of each.",
  },
  NO_DATABASE: {
    status: 500,
    text: 'No database was given for these schemas: {schemas}. `databases` of start() is by schema, not by service.',
  },
  UNUSABLE_DATABASE: {
    status: 500,
    text: 'The database given for {schema} cannot be used: {reason}. Open it with roleUrl(adminUrl, serviceRole({schema}), secret), and the secret that migrate() had.',
  },
  NOT_THE_OWNER: { status: 500, text: '{service} published {subject}, which belongs to {owner}' },
  UNREGISTERED_SUBJECT: {
    status: 500,
    text: '{subject} is not in the registry of this process: put it into `publishes` of {owner}',
  },
  NOT_AN_EVENT: {
    status: 500,
    text: '{service} returned something that is no event: a use case returns accepted(answer, [Event.from(…)]), a reaction [Event.from(…)] or nothing',
  },
  CROSS_TENANT_BLOCKED: { status: 500, text: '{subject} may not leave its tenant: {reason}' },
  TOO_LARGE: { status: 500, text: '{subject} is {bytes} bytes, more than {most}' },
  WRONG_REGION: { status: 500, text: '{subject} is of {found}, and this deployment serves {region}' },
});
