import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What audit-service may refuse. Codes are forever. */
export const errors = defineErrors('audit', {
  DAY_NOT_SEALED: {
    status: 409,
    text: 'The entries of {day} have no root yet: it is made after the day is over in UTC',
  },
  NO_NOTE: { status: 404, text: 'This entry has no note, or it was forgotten' },
  CHAIN_IS_EMPTY: { status: 409, text: 'Nothing was recorded yet' },
});
