import { defineQuestion } from '@ghasi/backbone/question';
import { count, version } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate, stay, tenantIdText } from '@melmastoon/catalog/parts';
import { roomCheck } from '@melmastoon/property-service/contract';
import { z } from 'zod';

/** What is left of a room type on a night, the overbooking limit included. A stop-sell forbids selling it all the same. */
export const nightAvailability = z.strictObject({
  date: localDate,
  available: count,
  stopSell: z.boolean(),
  nightVersion: version,
});

/** A room type on every night of a stay. */
export const typeAvailability = z.strictObject({
  roomTypeId: idText('rty'),
  /** How many rooms can be sold for the whole stay: the least of its nights, none with a stop-sell or an uncounted night. */
  sellable: count,
  nights: z.array(nightAvailability),
});
export type TypeAvailability = z.output<typeof typeAvailability>;

/** What a property can sell for a stay, by room type. From the counters themselves, but it holds nothing: holding decides. */
export const availability = defineQuestion({
  name: 'inventory.availability',
  input: z.strictObject({
    tenantId: tenantIdText,
    propertyId: idText('pro'),
    stay,
    roomTypeId: idText('rty').optional(),
  }),
  output: z.strictObject({ roomTypes: z.array(typeAvailability) }),
});

/** A stay that has a room on some nights `[from, until)`. */
export const roomStay = z.strictObject({
  reservationId: idText('rsv'),
  bookedRoomId: idText('brm'),
  from: localDate,
  until: localDate,
});

/** Who has a room from a night on: property-service asks before it archives one (R11). */
export const assignedTo = defineQuestion({ name: 'inventory.assigned-to', ...roomCheck });

/** Who has a room on which nights: asked before a repair is planned (R11). */
export const roomUse = defineQuestion({
  name: 'inventory.room-use',
  input: z.strictObject({
    tenantId: tenantIdText,
    roomId: idText('rom'),
    from: localDate,
    /** Null: for ever. */
    until: localDate.nullable(),
  }),
  output: z.strictObject({ stays: z.array(roomStay) }),
});

/**
 * Puts a booked room into a room, or out of it with null, inside the request that moves the guest; the `booking.modified`
 * that follows finds it done. Asking again gives the same answer.
 */
export const assignRoomQuestion = defineQuestion({
  name: 'inventory.assign-room',
  input: z.strictObject({
    tenantId: tenantIdText,
    bookedRoomId: idText('brm'),
    roomId: idText('rom').nullable(),
    /** Null: the whole stay. */
    fromNight: localDate.nullable(),
  }),
  output: z.union([
    z.strictObject({ assigned: z.literal(true) }),
    z.strictObject({
      assigned: z.literal(false),
      /** A code of this service's errors, e.g. ROOM_TAKEN. */
      code: z.string(),
    }),
  ]),
});
