import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What lock-integration-service may refuse. Codes are forever. */
export const errors = defineErrors('lock_integration', {
  HOUSE_UNKNOWN: { status: 404, text: 'No such property has been heard of here yet' },
  ROOM_UNKNOWN: { status: 404, text: 'No such room has been heard of here yet' },
  ROOM_HAS_LOCK: { status: 409, text: 'The room has a lock already: {lockId}' },
  LOCK_PAIRED: { status: 409, text: 'This lock hangs on a door already: {lockId}' },
  LOCK_IN_USE: { status: 409, text: 'Guests have keys of this lock: {keys}' },
  LOCK_UNPAIRED: { status: 409, text: 'This lock hangs on no door any more' },
  VENDOR_NOT_OFFERED: { status: 422, text: 'This installation does not work with {vendor}' },
  VENDOR_UNAVAILABLE: { status: 503, text: 'The vendor of the lock did not do it: {failure}' },
  BOOKING_UNKNOWN: { status: 404, text: 'No such booking has been heard of here yet' },
  GUEST_NOT_HERE: { status: 409, text: 'Keys are handed out at check-in, not before' },
  BOOKING_ENDED: { status: 409, text: 'This stay is over: it has no keys any more' },
  NO_ROOM_ASSIGNED: { status: 409, text: 'The booking has no room yet: there is no door to open' },
  KEY_NOT_ISSUED: { status: 409, text: 'This key is {status}: it opens nothing' },
  KEY_REVOKED: { status: 409, text: 'This key is dead for good' },
  NOT_A_CODE: { status: 409, text: 'This key has no code to show: {medium}' },
  NOT_A_CARD: { status: 409, text: 'Cards of this lock are not written by an encoder of ours' },
  METAL_KEY: { status: 409, text: 'A metal key cannot sleep' },
  NOT_SUSPENDED: { status: 409, text: 'This key does not sleep' },
  NOT_IN_QUEUE: { status: 409, text: 'There is nothing to do by hand about this key' },
  ATTESTATION_REFUSED: {
    status: 403,
    text: 'The second factor was not confirmed for this key, or was used already',
  },
});
