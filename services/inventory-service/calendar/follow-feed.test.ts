import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Night } from '../model.ts';
import { followFeed, type KnownBlock } from './follow-feed.ts';
import { type Granted, grantNights, type Shelf } from './grant-nights.ts';
import { DEFAULT_IGNORED } from './ignored.ts';
import { includes, since } from './nights.ts';
import type { CalendarEvent } from './read-calendar.ts';

const today = parseLocalDate('2027-05-10');
const day = (n: number) => addDays(today, n);
const told = (
  uid: string,
  from: number,
  until: number,
  more: Partial<CalendarEvent> = {},
): CalendarEvent => ({
  ...{ uid, from: day(from), until: day(until), summary: 'Reserved', cancelled: false },
  ...more,
});
const known = (uid: string, from: number, until: number, more: Partial<KnownBlock> = {}): KnownBlock => {
  const nights = { from: day(from), until: day(until) };
  const begun = from < 0 && until > 0 ? day(from) : null;
  return {
    ...{ id: newId('rbl'), uid, ...nights, status: 'active', ending: null },
    ...{ taken: since(today, [nights]), begun },
    ...more,
  };
};
const follow = (blocks: KnownBlock[], events: CalendarEvent[]) =>
  followFeed({ today, known: blocks, told: events, ignored: DEFAULT_IGNORED });

describe('R13: what a calendar changes', () => {
  test('R13: a calendar that says what is known changes nothing', () => {
    const blocks = [known('past', -9, -5), known('running', -2, 2), known('next', 5, 8)];
    const events = [told('past', -9, -5), told('running', -2, 2), told('next', 5, 8)];
    expect(follow(blocks, events)).toEqual({ wishes: [], drops: [], booked: 2, ignored: 0 });
  });

  test('R13: vanished events are dropped if they have not begun; running and past ones never', () => {
    const blocks = [
      known('past', -9, -5),
      known('running', -2, 2),
      known('today', 0, 2),
      known('next', 1, 8),
    ];
    expect(follow(blocks, []).drops.map(({ uid }) => uid)).toEqual(['next']);
  });

  test('R13: a cancelled event is one that is not there', () => {
    const blocks = [known('running', -2, 2), known('next', 5, 8)];
    const events = [
      told('running', -2, 2, { cancelled: true }),
      told('next', 5, 8, { cancelled: true }),
      told('new', 9, 12, { cancelled: true }),
    ];
    const { wishes, drops } = follow(blocks, events);
    expect([wishes, drops.map(({ uid }) => uid)]).toEqual([[], ['next']]);
  });

  test('R13: windows that are no bookings, events that are over and hours of a day make no block', () => {
    const events = [
      told('window', 1, 300, { summary: 'Airbnb (Not available)' }),
      told('over', -5, 0),
      told('hours', 3, 3),
    ];
    expect(follow([], events)).toMatchObject({ wishes: [], drops: [], booked: 0, ignored: 2 });
  });

  test('R13: changed dates move the block; nights that are over stay as they were', () => {
    const wish = (block: KnownBlock, from: number, until: number) =>
      follow([block], [told(block.uid, from, until)]).wishes;
    expect(wish(known('next', 5, 8), 6, 9)).toMatchObject([
      { from: day(6), until: day(9), nights: [{ from: day(6) }] },
    ]);
    expect(wish(known('longer', -2, 2), -2, 4)).toMatchObject([
      { from: day(-2), until: day(4), nights: [{ from: day(0), until: day(4) }] },
    ]);
    expect(wish(known('left early', -5, 2), -5, -1)).toMatchObject([
      { from: day(-5), until: day(-1), nights: [] },
    ]);
    expect(wish(known('moved away', -2, 2), 7, 9)).toMatchObject([
      { from: day(7), nights: [{ from: day(7) }] },
    ]);
  });

  test('R13: a portal that cuts off what is over changes nothing, day after day', () => {
    expect(follow([known('running', -2, 3)], [told('running', 0, 3)]).wishes).toEqual([]);
    expect(follow([known('running', -2, 3)], [told('running', 0, 4)]).wishes).toMatchObject([
      { from: day(-2), until: day(4) },
    ]);
  });

  test('R13: what the desk ended stays ended until the portal says something new; what had vanished comes back', () => {
    const ended = (ending: 'operator' | 'vanished') =>
      known('a', 5, 8, { status: 'ended', ending, taken: [] });
    expect(follow([ended('operator')], [told('a', 5, 8)]).wishes).toEqual([]);
    expect(follow([ended('operator')], [told('a', 5, 9)]).wishes).toHaveLength(1);
    expect(follow([ended('vanished')], [told('a', 5, 8)]).wishes).toHaveLength(1);
  });
});

// One room, or three rooms of a type; on some nights one is sold, and on some of those it is this one.
const NIGHTS = 12;
const spans = (least: number) =>
  fc
    .tuple(fc.integer({ min: least, max: NIGHTS }), fc.integer({ min: 1, max: 5 }))
    .map(([from, length]) => [from, from + length] as const);
const calendars = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), spans(-4)), { maxLength: 6 });
const shelves = fc.record({
  isOneRoom: fc.boolean(),
  counts: fc.array(fc.record({ rooms: fc.nat(3), sold: fc.nat(3), overbookLimit: fc.nat(1) }), {
    minLength: NIGHTS,
    maxLength: NIGHTS,
  }),
  others: fc.array(spans(0), { maxLength: 2 }),
});

type Counts = { rooms: number; sold: number; overbookLimit: number };
const shelfOf = (shelf: {
  isOneRoom: boolean;
  counts: Counts[];
  others: (readonly [number, number])[];
}): Shelf => ({
  isOneRoom: shelf.isOneRoom,
  others: shelf.isOneRoom
    ? shelf.others.map(([from, until]) => ({ from: day(from), until: day(until) }))
    : [],
  counted: { from: parseLocalDate('0001-01-01'), until: parseLocalDate('9999-12-31') },
  counters: shelf.counts.map((count, n): Night => {
    const sold = Math.min(count.sold, count.rooms + count.overbookLimit);
    return {
      ...{ roomTypeId: newId('rty'), date: day(n), stopSell: false, version: 1 },
      ...{ ...count, sold, capacity: count.rooms },
    };
  }),
});

const eventsOf = (list: (readonly [string, readonly [number, number]])[]) =>
  [...new Map(list)].map(([uid, [from, until]]) => told(uid, from, until));
const blockOf = (one: Granted): KnownBlock => ({
  ...{ id: one.block?.id ?? newId('rbl'), uid: one.uid, from: one.from, until: one.until },
  ...{ status: one.status, ending: null, taken: one.taken, begun: one.block?.begun ?? null },
});

describe('R11, R13: what blocks get', () => {
  test('R11: a night is never taken out below what is sold, a room never given twice, and what is not got is waited for', () => {
    fc.assert(
      fc.property(calendars, shelves, (list, some) => {
        const shelf = shelfOf(some);
        const { wishes, drops } = follow([], eventsOf(list));
        const granted = grantNights({ wishes, drops }, shelf);
        for (const { date, rooms, sold, overbookLimit } of shelf.counters) {
          const taken = granted.filter(one => includes(one.taken, date)).length;
          expect(rooms - taken).toBeGreaterThanOrEqual(0);
          if (taken > 0) expect(sold).toBeLessThanOrEqual(rooms - taken + overbookLimit);
          const isOccupied = includes(shelf.others, date) ? 1 : 0;
          if (shelf.isOneRoom) expect(taken + isOccupied).toBeLessThanOrEqual(1);
          // Who waits for a night has a reason: nothing is spare, or the room is taken.
          const waits = granted.some(one => includes(one.nights, date) && !includes(one.taken, date));
          const isFull = rooms - taken < 1 || sold > rooms - taken - 1 + overbookLimit;
          const isTaken = shelf.isOneRoom && (includes(shelf.others, date) || taken > 0);
          if (waits) expect(isFull || isTaken).toBe(true);
        }
        for (const one of granted) {
          const hasAll = one.nights.every(({ from, until }) =>
            since(from, one.taken).some(t => t.from === from && t.until >= until),
          );
          expect(one.status === 'active').toBe(hasAll);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('R11: nights on which the room is not one of those that are sold cost nobody a room', () => {
    const full = { rooms: 1, sold: 1, overbookLimit: 0 };
    const shelf = shelfOf({ isOneRoom: true, others: [], counts: Array<Counts>(NIGHTS).fill(full) });
    const { wishes, drops } = follow([], [told('a', 1, 4)]);
    const [granted] = grantNights({ wishes, drops }, { ...shelf, counted: { from: day(2), until: day(3) } });
    expect(granted?.taken).toEqual([
      { from: day(1), until: day(2) },
      { from: day(3), until: day(4) },
    ]);
  });

  test('R13: the same calendar again changes nothing, however it was met, and another one and back leads to the same nights', () => {
    fc.assert(
      fc.property(calendars, calendars, (one, other) => {
        // Plenty of rooms: nothing is waited for.
        const shelf = shelfOf({
          isOneRoom: false,
          others: [],
          counts: Array.from({ length: NIGHTS }, () => ({ rooms: 9, sold: 0, overbookLimit: 0 })),
        });
        let blocks: KnownBlock[] = [];
        const nightsAfter = (events: CalendarEvent[]) => {
          const { wishes, drops } = follow(blocks, events);
          const granted = grantNights({ wishes, drops }, shelf).map(blockOf);
          const touched = new Map(granted.map(block => [block.uid, block]));
          const kept = blocks.map(block => {
            const isDropped = drops.some(({ id }) => id === block.id);
            const ended = { ...block, status: 'ended' as const, ending: 'vanished' as const, taken: [] };
            return touched.get(block.uid) ?? (isDropped ? ended : block);
          });
          const fresh = granted.filter(({ uid }) => !blocks.some(block => block.uid === uid));
          blocks = [...kept, ...fresh];
          return blocks.filter(({ status }) => status !== 'ended').map(({ uid, taken }) => [uid, taken]);
        };
        const first = nightsAfter(eventsOf(one));
        expect(follow(blocks, eventsOf(one))).toMatchObject({ wishes: [], drops: [] });
        nightsAfter(eventsOf(other));
        const rows = blocks.length;
        const back = new Map(nightsAfter(eventsOf(one)) as [string, unknown][]);
        for (const [uid, taken] of first as [string, unknown][]) expect(back.get(uid)).toEqual(taken);
        expect(blocks.length).toBe(rows);
      }),
      { numRuns: 200 },
    );
  });
});
