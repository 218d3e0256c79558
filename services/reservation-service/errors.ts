import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What reservation-service may refuse. Codes are forever. */
export const errors = defineErrors('reservation', {
  TRANSITION_REFUSED: { status: 409, text: 'A booking that is {from} cannot become {to}' },
  NOT_CHANGEABLE: { status: 409, text: 'The dates of a booking that is {status} cannot be changed' },
  CHANGE_PENDING: { status: 409, text: 'Other dates are being asked for already; wait for the answer' },
  SAME_DATES: { status: 422, text: 'These are the dates the booking has' },
  QUOTE_GONE: { status: 409, text: 'This price is no longer offered; ask for a new one' },
  GUEST_UNREACHABLE: { status: 422, text: 'A booking needs a phone number we can reach the guest at' },
});
