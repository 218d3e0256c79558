import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { contains, stay } from '@ghasi/domain-primitives/stay';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocationStatuses } from './contract.ts';
import {
  allocationStates,
  changeOf,
  guard,
  horizon,
  isLive,
  type Line,
  movedFrom,
  type Night,
  nextStates,
  reslice,
} from './model.ts';

const types = [newId('rty'), newId('rty')];
const base = parseLocalDate('2027-05-01');
const night = (n: number) => addDays(base, n);
const spans = fc
  .tuple(fc.nat(10), fc.integer({ min: 1, max: 6 }))
  .map(([from, length]) => stay(night(from), night(from + length)));
const lines: fc.Arbitrary<Line[]> = fc.array(
  fc
    .tuple(fc.constantFrom(...types), spans)
    .map(([roomTypeId, when]) => ({ bookedRoomId: newId('brm'), roomTypeId, stay: when })),
  { maxLength: 5 },
);
const counter = (roomTypeId: Id<'rty'>, date: number, more: Partial<Night> = {}): Night => ({
  ...{ roomTypeId, date: night(date), rooms: 1, capacity: 1, overbookLimit: 0, sold: 0 },
  ...{ stopSell: false, version: 1 },
  ...more,
});
const asks = (list: readonly Line[], roomTypeId: string, date: string) =>
  list.filter(line => line.roomTypeId === roomTypeId && contains(line.stay, parseLocalDate(date))).length;

test('R8, R9: a change is, for every type and night, what is asked after less what was asked before', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changes = changeOf(before, after);
      for (const roomTypeId of types)
        for (let n = 0; n < 20; n += 1) {
          const date = night(n);
          const found = changes.find(one => one.roomTypeId === roomTypeId && one.date === date)?.by ?? 0;
          expect(found).toBe(asks(after, roomTypeId, date) - asks(before, roomTypeId, date));
        }
    }),
  );
});

test('R7: changes come in the order in which counters are locked, each once', () => {
  fc.assert(
    fc.property(lines, after => {
      const keys = changeOf([], after).map(({ roomTypeId, date }) => `${roomTypeId} ${date}`);
      expect(keys).toEqual([...new Set(keys)].sort());
    }),
  );
});

test('going from one stay to another and back moves nothing', () => {
  fc.assert(
    fc.property(lines, lines, (one, other) => {
      const forth = changeOf(one, other);
      const back = changeOf(other, one);
      expect(back.map(({ by }) => by)).toEqual(forth.map(({ by }) => 0 - by));
      expect(changeOf(one, one)).toEqual([]);
    }),
  );
});

test('the guard lets through exactly what no night is short of', () => {
  const [type] = types as [Id<'rty'>];
  const rule = fc.record({
    sold: fc.nat(3),
    capacity: fc.nat(3),
    overbookLimit: fc.nat(1),
    by: fc.integer({ min: -2, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), nights => {
      const counters = nights.map(({ by: _, ...one }, n) => counter(type, n, one));
      const changes = nights.map(({ by }, n) => ({ roomTypeId: type, date: night(n), by }));
      const isShort = nights.some(one => one.by > 0 && one.sold + one.by > one.capacity + one.overbookLimit);
      expect(guard(changes, counters).kind).toBe(isShort ? 'short' : 'free');
    }),
  );
});

test.each([
  ['a sold-out night', { sold: 1 }, 'sold_out'],
  ['a stopped night', { stopSell: true }, 'stop_sell'],
  ['a night that is stopped and sold out', { sold: 1, stopSell: true }, 'sold_out'],
] as const)('%s is short for the reason %s', (_, more, reason) => {
  const [type] = types as [Id<'rty'>];
  const judged = guard([{ roomTypeId: type, date: night(0), by: 1 }], [counter(type, 0, more)]);
  expect(judged).toMatchObject({ kind: 'short', reason, shortfall: [{ asked: 1, available: 0 }] });
});

test('a stop-sell does not stop a stay from giving its night back', () => {
  const [type] = types as [Id<'rty'>];
  const counters = [counter(type, 0, { sold: 1, stopSell: true })];
  expect(guard([{ roomTypeId: type, date: night(0), by: -1 }], counters)).toEqual({ kind: 'free' });
});

test('R16: slices cover each night at most once, keep what was slept, and touch where rooms change', () => {
  const [a, b] = [newId('rom'), newId('rom')];
  fc.assert(
    fc.property(spans, spans, fc.nat(12), (before, after, from) => {
      const slices = reslice(before, [], a);
      expect(slices).toEqual([{ roomId: a, from: before.arrival, until: before.departure }]);
      const longer = reslice(after, slices, b);
      const moved = movedFrom(before, slices, { fromNight: night(from), roomId: b });
      const roomOn = (list: typeof slices, n: number) =>
        list.filter(one => one.from <= night(n) && night(n) < one.until).map(({ roomId }) => roomId);
      for (let n = 0; n < 20; n += 1) {
        const slept = contains(before, night(n)) ? a : b;
        expect(roomOn(longer, n)).toEqual(contains(after, night(n)) ? [slept] : []);
        expect(roomOn(moved, n)).toEqual(contains(before, night(n)) ? [n < from ? a : b] : []);
      }
    }),
  );
});

test('R4: the horizon is the same in every zone the server may run in', () => {
  const late = horizon(new Date('2026-11-15T23:30:00.000Z'));
  expect(late).toEqual({ today: '2026-11-15', from: '2025-10-11', until: '2028-03-29' });
});

test('states: only those that own rooms can be committed, and every transition leads to a state', () => {
  expect(allocationStates.filter(isLive)).toEqual(['held', 'confirmed', 'kept']);
  for (const next of Object.values(nextStates).flat()) expect(allocationStates).toContain(next);
  expect(allocationStatuses).toContain('released');
});
