import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, days, isOncePer, keyWindow, locale, version } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, stay } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Life of an allocation. */
export const allocationStatuses = ['committed', 'released', 'refused'] as const;

/** Why rooms came free again. */
export const releaseReasons = ['booking_cancelled', 'payment_failed', 'hold_expired', 'no_show'] as const;

/** Why a room type is not sold on some nights. */
export const stopSellReasons = [
  'nearly_full',
  'renovation',
  'rooms_out_of_order',
  'group_event',
  'owner_use',
  'rate_strategy',
] as const;

/** Why a stop-sell ended. */
export const stopSellEndings = ['operator', 'cause_gone', 'lapsed'] as const;

/** What the oversell guard was asked for. */
export const guardedSteps = ['hold', 'confirm', 'date_change'] as const;

/** Why the guard said no. */
export const blockReasons = ['sold_out', 'stop_sell', 'room_taken'] as const;

/** What is left of a room type on a night; the higher `nightVersion` of a night wins, whatever arrives first. */
const nightCount = z.strictObject({
  roomTypeId: idText('rty'),
  date: localDate,
  sold: count,
  available: count,
  nightVersion: version,
});

const nightCounts = z
  .array(nightCount)
  .min(1)
  .refine(
    isOncePer((night: { roomTypeId: string; date: string }) => `${night.roomTypeId} ${night.date}`),
    'counts a night twice',
  );

const allocation = {
  allocationId: idText('alc'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
};

const line = {
  bookedRoomId: idText('brm'),
  roomTypeId: idText('rty'),
};

/** One room of an allocation; without `roomId` it is sold by type and gets its room later (R7). */
const allocatedRoom = z.strictObject({ ...line, roomId: idText('rom').nullable(), stay });

const ofAllocation = {
  retention: 'warm',
  aggregateId: (p: { readonly allocationId: string }) => p.allocationId,
} as const;

const ofStopSell = {
  retention: 'warm',
  aggregateId: (p: { readonly stopSellId: string }) => p.stopSellId,
} as const;

/** The rooms of a hold are taken from the shelf; the payment step may start (SAGA-16). */
export const AllocationCommitted = defineEvent({
  ...ofAllocation,
  subject: 'melmastoon.inventory.allocation.committed.v1',
  summary: 'an allocation went from hold to commit',
  payload: z.strictObject({
    ...allocation,
    /** The version of the booking that asked for it. */
    reservationVersion: version,
    rooms: z.array(allocatedRoom).min(1).max(50),
    /** When an unpaid hold gives the rooms back. */
    holdExpiresAt: instant,
    nights: nightCounts,
  }),
  idempotencyKey: p => `${p.reservationId}:committed:${p.reservationVersion}`,
});

/** Rooms are for sale again. */
export const AllocationReleased = defineEvent({
  ...ofAllocation,
  subject: 'melmastoon.inventory.allocation.released.v1',
  summary: 'an allocation was freed',
  payload: z.strictObject({
    ...allocation,
    reason: z.enum(releaseReasons),
    rooms: z.array(allocatedRoom).min(1).max(50),
    nights: nightCounts,
  }),
  idempotencyKey: (p, { aggregateVersion }) => `${p.allocationId}:released:${aggregateVersion}`,
});

/** The new dates hold: pricing, lock and notification act on this and not on `booking.dates_changed`. */
export const AllocationReallocated = defineEvent({
  ...ofAllocation,
  subject: 'melmastoon.inventory.allocation.reallocated.v1',
  summary: 'an allocation moved to other dates',
  payload: z.strictObject({
    ...allocation,
    reservationVersion: version,
    guestId: idText('gst'),
    locale,
    /** The quote the price difference is computed against. */
    quoteId: idText('quo'),
    previousStay: stay,
    newStay: stay,
    rooms: z
      .array(
        z.strictObject({
          ...line,
          ratePlanId: idText('rpl'),
          previousRoomId: idText('rom').nullable(),
          roomId: idText('rom').nullable(),
          previousStay: stay,
          newStay: stay,
          adults: z.int().min(1).max(30),
          children: z.int().min(0).max(30),
        }),
      )
      .min(1)
      .max(50),
    /** For keys that are already issued. */
    keyWindow,
    /** Of the nights given back and of those taken. */
    nights: nightCounts,
  }),
  idempotencyKey: p => `${p.reservationId}:reallocated:${p.reservationVersion}`,
});

/** A room type is no longer sold on these nights, whatever is free; it can happen again after the stop was lifted. */
export const StopSellActivated = defineEvent({
  ...ofStopSell,
  subject: 'melmastoon.inventory.stop_sell.activated.v1',
  summary: 'a room type was taken off sale for some nights',
  payload: z.strictObject({
    stopSellId: idText('sps'),
    propertyId: idText('pro'),
    roomTypeId: idText('rty'),
    nights: days,
    reason: z.enum(stopSellReasons),
    ticketId: idText('mtk').nullable(),
  }),
  idempotencyKey: (p, { aggregateVersion }) => `${p.stopSellId}:activated:${aggregateVersion}`,
});

/** A room type is sold again on these nights. */
export const StopSellCleared = defineEvent({
  ...ofStopSell,
  subject: 'melmastoon.inventory.stop_sell.cleared.v1',
  summary: 'a stop-sell was lifted',
  payload: z.strictObject({
    stopSellId: idText('sps'),
    propertyId: idText('pro'),
    roomTypeId: idText('rty'),
    nights: days,
    ending: z.enum(stopSellEndings),
  }),
  idempotencyKey: (p, { aggregateVersion }) => `${p.stopSellId}:cleared:${aggregateVersion}`,
});

/** The guard refused rooms: a hold is cancelled, a date change returns to its original stay (SAGA-28, SAGA-55). */
export const OversellBlocked = defineEvent({
  ...ofAllocation,
  subject: 'melmastoon.inventory.oversell.blocked.v1',
  summary: 'the oversell guard stopped a sale',
  payload: z
    .strictObject({
      /** The allocation that was asked for; a refused hold leaves it `refused`, a refused date change leaves it as it was. */
      ...allocation,
      reservationVersion: version,
      step: z.enum(guardedSteps),
      reason: z.enum(blockReasons),
      rooms: z.array(allocatedRoom).min(1).max(50),
      /** The nights that were short. */
      shortfall: z
        .array(
          z.strictObject({
            roomTypeId: idText('rty'),
            date: localDate,
            asked: count.min(1),
            available: count,
          }),
        )
        .min(1),
      /** The stay that still holds after a refused date change; null otherwise. */
      keptStay: stay.nullable(),
    })
    .refine(
      ({ step, keptStay }) => (step === 'date_change') === (keptStay !== null),
      'a date change keeps a stay, nothing else does',
    ),
  idempotencyKey: p => `${p.reservationId}:blocked:${p.reservationVersion}`,
});

/** Every event of inventory-service. */
export const events = [
  AllocationCommitted,
  AllocationReleased,
  AllocationReallocated,
  StopSellActivated,
  StopSellCleared,
  OversellBlocked,
] as const;
