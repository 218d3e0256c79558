import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What bff-tenant-booking-service may refuse. Codes are forever: the site has words for each. */
export const errors = defineErrors('bff-tenant-booking', {
  RESTRICTION: { status: 409, text: 'This stay is not sold: {reasons}' },
  ROOMS_GONE: { status: 409, text: 'There are not enough rooms of this type left for the whole stay' },
  QUOTE_EXPIRED: { status: 409, text: 'This price is no longer offered; ask for a new one' },
  PRICE_CHANGED: { status: 409, text: 'The price is {amount} {currency} now, not what the page showed' },
  DRAFT_EXPIRED: { status: 410, text: 'This draft is over; choose again' },
  CONFIRM_IN_PROGRESS: {
    status: 409,
    text: 'This draft is being booked at this moment; ask for its outcome',
  },
  RAIL_NOT_OFFERED: { status: 422, text: 'This stay cannot be paid by {rail}' },
  BOOKING_UNKNOWN: { status: 404, text: 'No booking has this code and this phone number' },
  NOT_CANCELLABLE: { status: 409, text: 'A booking that is {status} cannot be cancelled here' },
  NOT_CHANGEABLE: { status: 409, text: 'The dates of this booking cannot be changed here: {reason}' },
  HANDOFF_REFUSED: { status: 403, text: 'This link was not made for this hotel' },
  HANDOFF_EXPIRED: { status: 410, text: 'This link is too old; search again' },
  HANDOFF_USED: { status: 409, text: 'This link was used before' },
});
