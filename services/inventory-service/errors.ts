import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What inventory-service may refuse; `issues` of a reply name the nights or reservations in the way. Codes are forever. */
export const errors = defineErrors('inventory', {
  ROOM_IN_USE: { status: 409, text: 'Room {number} is occupied or assigned on these nights' },
  ROOM_TAKEN: { status: 409, text: 'Room {number} is not free on all of these nights' },
  ROOM_CLOSED: { status: 409, text: 'Room {number} is not sold on all of these nights' },
  ROOM_BLOCKED: { status: 409, text: 'Room {number} is out of order on some of these nights already' },
  ROOM_OF_OTHER_TYPE: { status: 422, text: 'Room {number} is not of the room type that was booked' },
  NIGHTS_SOLD: { status: 409, text: 'More rooms are sold on some of these nights than would be left' },
  NOT_ALLOCATED: { status: 409, text: 'This booked room holds no nights' },
  FEED_ADDRESS_REFUSED: { status: 422, text: 'A calendar is not fetched from there: {reason}' },
  FEED_WITHOUT_ADDRESS: { status: 409, text: 'This feed has no address; upload its calendar' },
  FEED_UNREADABLE: { status: 422, text: 'The calendar cannot be read: {reason}' },
  TOO_MANY_FEEDS: { status: 409, text: 'A room or room type reads {most} calendars at most' },
  ZONE_UNKNOWN: {
    status: 409,
    text: 'The time zone of this property is not known here yet; try again shortly',
  },
  NIGHT_NOT_BOOKED: { status: 422, text: 'The night {date} is not part of the stay' },
});
