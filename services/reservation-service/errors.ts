import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What reservation-service may refuse. Codes are forever. */
export const errors = defineErrors('reservation', {
  TRANSITION_REFUSED: { status: 409, text: 'A booking that is {from} cannot become {to}' },
  NOT_CONFIRMED: { status: 409, text: 'Only a confirmed booking can check in; this one is {status}' },
  ARRIVES_LATER: { status: 409, text: 'This guest arrives on {arrival}; the hotel day is {businessDate}' },
  ROOM_NOT_ASSIGNED: { status: 409, text: 'Give every room of the booking a number first' },
  CHECK_IN_INCOMPLETE: { status: 409, text: 'Still missing: {missing}' },
  NOT_IN_HOUSE: {
    status: 409,
    text: 'Only a guest who is in the house can check out; this booking is {status}',
  },
  ROOM_UNKNOWN: { status: 422, text: 'The booking has no such room' },
  NOT_CHANGEABLE: { status: 409, text: 'The dates of a booking that is {status} cannot be changed' },
  CHANGE_PENDING: { status: 409, text: 'Other dates are being asked for already; wait for the answer' },
  LEAVING: { status: 409, text: 'This guest is checking out' },
  SAME_DATES: { status: 422, text: 'These are the dates the booking has' },
  SHORTEN_FIRST: { status: 409, text: 'This guest is booked until {departure}: shorten the stay first' },
  ROOM_TAKEN: { status: 409, text: 'Room {roomId} cannot be given: {reason}' },
  ROOM_NOT_READY: { status: 409, text: 'Not ready by the rules of the house: {rooms}' },
  NO_ROOM: { status: 409, text: 'There is no room for the whole stay any more' },
  ARRIVAL_PASSED: { status: 409, text: 'The day of arrival, {arrival}, is over' },
  TOO_LATE_TO_UNDO: { status: 409, text: 'The hotel day has closed since: this cannot be undone any more' },
  NOT_SOLD: { status: 409, text: 'This stay is not sold: {reasons}' },
  LEAVES_BEFORE: {
    status: 422,
    text: 'A departure on {departure} is not after the hotel day, {businessDate}',
  },
  BOOKING_UNKNOWN: { status: 404, text: 'There is no such booking' },
  QUOTE_GONE: { status: 409, text: 'This price is no longer offered; ask for a new one' },
  RAIL_NOT_OFFERED: { status: 422, text: 'This price cannot be paid by {rail}' },
});
