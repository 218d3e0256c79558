import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What maintenance-service may refuse; `issues` of a reply name the reservations or nights in the way. Codes are forever. */
export const errors = defineErrors('maintenance', {
  ROOM_IN_USE: { status: 409, text: 'Room {number} is occupied or assigned on these nights' },
  NIGHTS_SOLD: { status: 409, text: 'All rooms of this type are sold on some of these nights' },
  ROOM_BLOCKED: { status: 409, text: 'Room {number} is blocked by another ticket on some of these nights' },
  ROOM_CLOSED: { status: 409, text: 'Room {number} is closed for good by then' },
  BLOCK_IN_THE_PAST: { status: 422, text: 'Nights before {today} are over' },
  BLOCK_TOO_LONG: { status: 422, text: 'A ticket takes a room out for {most} nights at most' },
  BLOCK_EXISTS: { status: 409, text: 'This ticket blocks its room already; more nights are a follow-up' },
  BLOCK_NEEDS_ROOM: { status: 422, text: 'Only a room is taken out, not an area' },
  TICKET_ENDED: { status: 409, text: 'This ticket is {status}: it cannot be {to}' },
  CURRENCY_DIFFERS: { status: 422, text: 'Costs of this house are in {currency}' },
  PLAN_ENDED: { status: 409, text: 'This plan has ended' },
  HOUSE_UNKNOWN: { status: 409, text: 'This property is not known here yet' },
});
