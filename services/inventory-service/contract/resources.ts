import { days, isOncePer, version } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { stopSellEndings, stopSellReasons } from '../contract.ts';
import { blockKinds, blockStatuses, outKinds, roomUseKinds } from '../model.ts';

/** Most nights that one request reads or changes. */
export const MOST_NIGHTS = 550;

const isShort = ({ from, until }: { from: string; until: string }) =>
  Date.parse(until) - Date.parse(from) <= MOST_NIGHTS * 86_400_000;

/** Nights `[from, until)`, not too many. */
export const someNights = days.refine(isShort, `more than ${MOST_NIGHTS} nights`);

/** Nights of a property, as a query. */
export const nightsOfProperty = z
  .strictObject({ propertyId: idText('pro'), from: localDate, until: localDate })
  .refine(({ from, until }) => from < until, 'ends before it starts')
  .refine(isShort, `more than ${MOST_NIGHTS} nights`);

/** The same, for one room type if asked. */
export const nightsOfType = z
  .strictObject({
    propertyId: idText('pro'),
    roomTypeId: idText('rty').optional(),
    from: localDate,
    until: localDate,
  })
  .refine(({ from, until }) => from < until, 'ends before it starts')
  .refine(isShort, `more than ${MOST_NIGHTS} nights`);

/** A counter as staff see it. */
export const nightView = z.strictObject({
  date: localDate,
  rooms: z.int(),
  overbookLimit: z.int(),
  sold: z.int(),
  available: z.int(),
  /** Sold beyond the rooms there are and the limit: guests to be moved. */
  short: z.int(),
  stopSell: z.boolean(),
  nightVersion: version,
});

/** A room type's counters. */
export const typeView = z.strictObject({ roomTypeId: idText('rty'), nights: z.array(nightView) });

/** A stop-sell. */
export const stopSellView = z.strictObject({
  id: idText('sps'),
  propertyId: idText('pro'),
  roomTypeId: idText('rty'),
  nights: days,
  reason: z.enum(stopSellReasons),
  ending: z.enum(stopSellEndings).nullable(),
});

/** Which nights of a type are taken off sale, and why. */
export const newStopSell = z.strictObject({
  roomTypeId: idText('rty'),
  nights: someNights,
  reason: z.enum(stopSellReasons).exclude(['rooms_out_of_order']),
});

/** How many rooms may be sold beyond those there are; without nights from today on, for ever. */
export const overbooking = z.strictObject({
  limit: z.int().min(0).max(1_000),
  nights: someNights.optional(),
});

/** A room out of order or out of service, or what a portal sold. */
export const blockView = z.strictObject({
  id: idText('rbl'),
  propertyId: idText('pro'),
  /** Null: any room of the type, which only a portal can sell. */
  roomId: idText('rom').nullable(),
  roomTypeId: idText('rty').nullable(),
  kind: z.enum(blockKinds),
  nights: days,
  reason: z.string().nullable(),
  ticketId: idText('mtk').nullable(),
  feedId: idText('cfd').nullable(),
  /** `waiting`: some of its nights belong to somebody else, see the move list. */
  status: z.enum(blockStatuses),
});

/** Which room is taken out, and for which nights. */
export const newBlock = z.strictObject({
  roomId: idText('rom'),
  kind: z.enum(outKinds),
  nights: someNights,
  reason: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}+$/u)
    .nullable()
    .default(null),
});

/** Who or what has a room: a bar of the tape chart. */
export const roomUseView = z.strictObject({
  roomId: idText('rom'),
  number: z.string().nullable(),
  kind: z.enum(roomUseKinds),
  nights: days,
  bookedRoomId: idText('brm').nullable(),
  reservationId: idText('rsv').nullable(),
  blockId: idText('rbl').nullable(),
});

/** The rooms a booked room sleeps in. */
export const assignmentView = z.strictObject({
  bookedRoomId: idText('brm'),
  roomTypeId: idText('rty'),
  arrival: localDate,
  departure: localDate,
  rooms: z.array(z.strictObject({ roomId: idText('rom'), from: localDate, until: localDate })).refine(
    isOncePer(({ from }: { from: string }) => from),
    'has a night twice',
  ),
});

/** Which room, and from which night on; the whole stay without one. */
export const newAssignment = z.strictObject({ roomId: idText('rom'), fromNight: localDate.optional() });

/** Why a guest must be moved; `nothing_free`: a block that finds no room although nobody of ours is in its own. */
export const moveReasons = [
  'room_closed',
  'room_wanted_by_ticket',
  'room_wanted_by_feed',
  'room_taken',
  'nothing_free',
] as const;

/** A booked room that cannot stay where it is, or has no room though its booking names one, or a block without a room. */
export const moveView = z.strictObject({
  reason: z.enum(moveReasons),
  roomId: idText('rom').nullable(),
  roomTypeId: idText('rty').nullable(),
  number: z.string().nullable(),
  nights: days,
  bookedRoomId: idText('brm').nullable(),
  reservationId: idText('rsv').nullable(),
  /** The block in question, if any. */
  blockId: idText('rbl').nullable(),
});
