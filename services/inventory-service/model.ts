import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { nightDates, type Stay } from '@ghasi/domain-primitives/stay';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import type { blockReasons } from './contract.ts';

/** Where an allocation can be; `held`, `confirmed` and `kept` own rooms. `kept`: a no-show whose room waits until an hour. */
export const allocationStates = ['held', 'confirmed', 'kept', 'released', 'refused'] as const;
export type AllocationState = (typeof allocationStates)[number];

/** What may follow what. A released or refused booking that is confirmed or held anew is asked for again (R18). */
export const nextStates = {
  held: ['held', 'confirmed', 'kept', 'released'],
  confirmed: ['confirmed', 'kept', 'released'],
  kept: ['confirmed', 'kept', 'released'],
  released: ['held', 'confirmed', 'refused'],
  refused: ['held', 'confirmed', 'refused', 'released'],
} as const satisfies Record<AllocationState, readonly AllocationState[]>;

/** True when one state may follow another; nothing is known of a booking before its first one. */
export function mayFollow(from: AllocationState | undefined, to: AllocationState): boolean {
  const next: readonly AllocationState[] = from === undefined ? allocationStates : nextStates[from];
  return next.includes(to);
}

/** True for a state that owns rooms. */
export function isLive(state: AllocationState): boolean {
  return state === 'held' || state === 'confirmed' || state === 'kept';
}

/** How a room can be taken out: out of order leaves the inventory, out of service stays sellable (R11). */
export const outKinds = ['out_of_order', 'out_of_service'] as const;

/** The same, and what a portal sold (R13). */
export const blockKinds = [...outKinds, 'imported'] as const;

/** `waiting`: a repair ticket or a portal wants the room, and somebody has it. */
export const blockStatuses = ['active', 'waiting', 'ended'] as const;

/** Why a block ended; `lapsed`: it waited until its nights were over. */
export const blockEndings = ['operator', 'repaired', 'vanished', 'feed_removed', 'lapsed'] as const;
export type BlockEnding = (typeof blockEndings)[number];

/** What keeps others out of a room on a night. */
export const roomUseKinds = ['stay', 'out_of_order', 'imported'] as const;

/** Life of a feed. A removed one is kept for the blocks it has made; its address is forgotten. */
export const feedStatuses = ['active', 'paused', 'removed'] as const;

/** One booked room as far as the counters care. */
export type Line = {
  readonly bookedRoomId: Id<'brm'>;
  readonly roomTypeId: Id<'rty'>;
  readonly stay: Stay;
};

/** A counter. */
export type Night = {
  readonly roomTypeId: Id<'rty'>;
  readonly date: LocalDate;
  readonly rooms: number;
  readonly capacity: number;
  readonly overbookLimit: number;
  readonly sold: number;
  readonly stopSell: boolean;
  readonly version: number;
};

/** How many rooms of a type a night gains (positive: sold) or gives back. */
export type NightChange = { readonly roomTypeId: Id<'rty'>; readonly date: LocalDate; readonly by: number };

/** A night that has less than was asked for. */
export type Short = { roomTypeId: Id<'rty'>; date: LocalDate; asked: number; available: number };

/** The guard's answer. */
export type Guarded =
  | { readonly kind: 'free' }
  | {
      readonly kind: 'short';
      readonly reason: (typeof blockReasons)[number];
      readonly shortfall: readonly Short[];
    };

/** How many more rooms may be sold on a night, the overbooking limit included; a stop-sell is told beside it. */
export function available({ capacity, overbookLimit, sold }: Night): number {
  return Math.max(0, capacity + overbookLimit - sold);
}

/** How many rooms of a type can be taken out of a night without touching what is sold. */
export function spareOf({ rooms, overbookLimit, sold }: Night): number {
  return Math.max(0, Math.min(rooms, rooms + overbookLimit - sold));
}

/**
 * What turning one set of rooms into another does to each night, as a sum per type and night (R8), in the order the
 * counters are locked: room type, then date. Nights that stay as they are are left out.
 */
export function changeOf(before: readonly Line[], after: readonly Line[]): NightChange[] {
  const sums = new Map<string, NightChange>();
  const count = (lines: readonly Line[], by: number) => {
    for (const { roomTypeId, stay } of lines)
      for (const date of nightDates(stay)) {
        const key = `${roomTypeId} ${date}`;
        sums.set(key, { roomTypeId, date, by: (sums.get(key)?.by ?? 0) + by });
      }
  };
  count(before, -1);
  count(after, 1);
  const order = ([a]: [string, NightChange], [b]: [string, NightChange]) => (a < b ? -1 : 1);
  return [...sums]
    .sort(order)
    .map(([, change]) => change)
    .filter(({ by }) => by !== 0);
}

/**
 * The oversell guard: every night that is to be sold must have what is asked of it (R9). Nights that are given back are
 * never short; a night without a counter has nothing.
 */
export function guard(changes: readonly NightChange[], nights: readonly Night[]): Guarded {
  const counters = new Map(nights.map(night => [`${night.roomTypeId} ${night.date}`, night]));
  const shortfall: Short[] = [];
  let soldOut = false;
  for (const { roomTypeId, date, by } of changes) {
    if (by <= 0) continue;
    const night = counters.get(`${roomTypeId} ${date}`);
    const left = night === undefined ? 0 : available(night);
    if (left >= by && night?.stopSell === false) continue;
    soldOut ||= left < by;
    shortfall.push({ roomTypeId, date, asked: by, available: night?.stopSell === true ? 0 : left });
  }
  if (shortfall.length === 0) return { kind: 'free' };
  return { kind: 'short', reason: soldOut ? 'sold_out' : 'stop_sell', shortfall };
}

/** Nights `[from, until)` that a stay sleeps in one room (R16). */
export type Slice = { readonly roomId: Id<'rom'>; readonly from: LocalDate; readonly until: LocalDate };

/** The slices of a stay after its dates changed: a night that had a room keeps it, the others get `roomId`, if any. */
export function reslice(stay: Stay, slices: readonly Slice[], roomId: Id<'rom'> | null): Slice[] {
  return joined(stay, date => roomOn(slices, date) ?? roomId);
}

/** The slices of a stay that changes rooms from a night on; earlier nights stay where they were slept. */
export function movedFrom(
  stay: Stay,
  slices: readonly Slice[],
  move: { fromNight: LocalDate; roomId: Id<'rom'> | null },
): Slice[] {
  return joined(stay, date => (date < move.fromNight ? (roomOn(slices, date) ?? null) : move.roomId));
}

/** The room slept in on the last night that has one. */
export function lastRoom(slices: readonly Slice[]): Id<'rom'> | null {
  return slices.at(-1)?.roomId ?? null;
}

function roomOn(slices: readonly Slice[], date: LocalDate): Id<'rom'> | undefined {
  return slices.find(({ from, until }) => from <= date && date < until)?.roomId;
}

function joined(stay: Stay, roomOf: (date: LocalDate) => Id<'rom'> | null): Slice[] {
  const slices: Slice[] = [];
  for (const date of nightDates(stay)) {
    const roomId = roomOf(date);
    if (roomId === null) continue;
    const last = slices.at(-1);
    const until = addDays(date, 1);
    if (last?.roomId === roomId && last.until === date) slices[slices.length - 1] = { ...last, until };
    else slices.push({ roomId, from: date, until });
  }
  return slices;
}

/** Nights are counted this far ahead. */
export const NIGHTS_AHEAD = 500;
/** And this far back, for a house that brings its past along. */
export const NIGHTS_BACK = 400;

/** Which nights have counters at a moment. A horizon, not a hotel day: a day more or less changes nothing, so UTC will do. */
export function horizon(now: Date): { from: LocalDate; until: LocalDate; today: LocalDate } {
  const today = localDateIn(parseZone('UTC'), now);
  return { from: addDays(today, -NIGHTS_BACK), until: addDays(today, NIGHTS_AHEAD), today };
}
