import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What tenant-service may refuse. Codes are forever. */
export const errors = defineErrors('tenant', {
  SLUG_TAKEN: { status: 409, text: 'This name is taken' },
  SLUG_RESERVED: { status: 422, text: 'This name is kept for the platform' },
  SLUG_LIMIT: { status: 409, text: 'A group can hold at most {most} names, old ones included' },
  HOST_TAKEN: { status: 409, text: 'This host is verified for another group' },
  HOST_LIMIT: { status: 409, text: 'A group can hold at most {most} hosts' },
  LAST_OWNER: { status: 409, text: 'The last owner cannot leave: make somebody else an owner first' },
  OWNER_PROTECTED: { status: 403, text: 'Only an owner may change owners' },
  BEYOND_YOUR_PROPERTIES: {
    status: 403,
    text: 'You cannot give rights for properties that you do not manage',
  },
  OWNER_NEEDS_ALL_PROPERTIES: { status: 422, text: 'An owner has rights in all properties' },
  ROLE_NOT_HERE: { status: 422, text: 'One of these roles does not exist here' },
  MEMBERSHIP_EXISTS: { status: 409, text: 'This operator is a member already' },
  DEFAULT_LOCALE_NOT_OFFERED: { status: 422, text: 'The default language must be one of the offered ones' },
  TENANT_CLOSED: { status: 409, text: 'This group is closed and cannot be changed' },
  TENANT_TRANSITION_REFUSED: { status: 409, text: 'A group that is {from} cannot become {to}' },
  PLATFORM_STAYS: { status: 409, text: 'The platform itself cannot be suspended or closed' },
});
