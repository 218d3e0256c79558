import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What property-service may refuse. Codes are forever. */
export const errors = defineErrors('property', {
  DAY_NOT_BEGUN: { status: 409, text: 'The hotel day is {businessDate}; {asked} cannot be closed before it' },
  DAY_BEFORE_OPENING: { status: 409, text: 'The house was not open on {asked}' },
  DAY_STILL_RUNS: { status: 409, text: '{asked} can be closed from {from} in {zone}' },
  DAY_BLOCKED: { status: 409, text: 'The day cannot be closed: {count} matters stand open' },
  ROOM_TYPE_CODE_TAKEN: { status: 409, text: 'This property has a room type with this code' },
  ROOM_TYPE_NOT_PUBLISHED: { status: 409, text: 'Publish the room type before adding rooms of it' },
  NOTHING_TO_PUBLISH: { status: 409, text: 'The draft is what is published already' },
  ROOM_NUMBER_TAKEN: { status: 409, text: 'This property has a room with this number' },
  ROOM_ARCHIVED: { status: 409, text: 'This room is archived; a room that comes back is a new one' },
  ROOM_ASSIGNED: { status: 409, text: 'The room is assigned to {count} reservations: move them first' },
  ROOM_CLOSES_IN_THE_PAST: { status: 422, text: 'Nights before {businessDate} are over: the room was there' },
  ROOM_TYPE_ELSEWHERE: { status: 422, text: 'The room type belongs to another property' },
});
