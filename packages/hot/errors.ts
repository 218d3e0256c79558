import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What can go wrong in the hot tier. STORE_UNAVAILABLE is the only one that a retry may cure. */
export const hotErrors = defineErrors('hot', {
  STORE_UNAVAILABLE: { status: 503, text: 'The {tier} tier of the hot store does not answer: {reason}' },
  STORE_FULL: {
    status: 503,
    text: 'The {tier} tier is full ({limit}): it refuses writes and never evicts',
  },
  EVICTION_POLICY: {
    status: 500,
    text: 'The Redis of the state tier may drop sessions and locks: maxmemory-policy is {policy}, it must be noeviction',
  },
  MALFORMED_KEY: { status: 500, text: 'Not a key of the hot store: {reason}' },
  VALUE_TOO_LARGE: {
    status: 500,
    text: 'The value of {key} has {bytes} bytes; the hot store takes {limitBytes}',
  },
  MALFORMED_TTL: { status: 500, text: '{ttlMs} is not a time to live: it is 1 ms to 400 days' },
  MALFORMED_SCORE: { status: 500, text: 'Not usable in an index: {reason}' },
  NOT_A_COUNTER: { status: 500, text: '{key} does not hold a whole number' },
  WRONG_TIER: {
    status: 500,
    text: '{purpose} needs the state tier, which never evicts; it was given the {tier} tier',
  },
  LOCK_LOST: { status: 503, text: 'The lock {key} was lost before its work ended: {reason}' },
  MALFORMED_RATE: { status: 500, text: 'Not a rate limit: {reason}' },
  MALFORMED_CACHE_USE: { status: 500, text: 'Not a use of the cache: {reason}' },
});
