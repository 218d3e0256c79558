import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { amenityCatalogue, amenityCodes } from './contract/amenities.ts';
import { openMatters } from './contract.ts';
import {
  amenityDifference,
  archivingRefusal,
  dayAfter,
  dayRefusal,
  firstDay,
  type House,
  mergeRules,
  settle,
  usualRules,
} from './model.ts';

const day = fc.integer({ min: 0, max: 40_000 }).map(n => addDays('1990-01-01' as LocalDate, n));
const house = (more: Partial<House> = {}): House => ({
  zone: 'Asia/Kabul',
  businessDate: '2026-03-20',
  openedOn: '2026-03-01',
  houseRules: usualRules,
  ...more,
});
const zoneOfProcess = process.env.TZ;
afterEach(() => {
  if (zoneOfProcess === undefined) delete process.env.TZ;
  else process.env.TZ = zoneOfProcess;
});

describe.each(['UTC', 'Asia/Kabul', 'America/Los_Angeles'])('R3: on a server in %s', zone => {
  test('the first hotel day is the date on the wall of the house', () => {
    process.env.TZ = zone;
    const evening = new Date('2026-03-20T20:00:00Z'); // 00:30 in Kabul
    expect(firstDay('Asia/Kabul', evening)).toBe('2026-03-21');
    expect(firstDay('UTC', evening)).toBe('2026-03-20');
    expect(firstDay('America/Los_Angeles', evening)).toBe('2026-03-20');
  });

  test('a day can be closed from the hour of the house on, and at any time after midnight', () => {
    process.env.TZ = zone;
    const at = (text: string) => dayRefusal(house(), '2026-03-20', new Date(text));
    expect(at('2026-03-20T15:29:59Z')).toBe('DAY_STILL_RUNS'); // 19:59:59 in Kabul
    expect(at('2026-03-20T15:30:00Z')).toBeUndefined(); // 20:00
    expect(at('2026-03-20T21:00:00Z')).toBeUndefined(); // 01:30 of the next date
  });
});

test('R1: the hotel day may lag the calendar by any number of days and never runs ahead of its own evening', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -30, max: 30 }), (businessDate, offset) => {
      const now = instantAt(parseZone('Asia/Kabul'), addDays(businessDate, offset), '12:00');
      const refusal = dayRefusal(house({ businessDate, openedOn: businessDate }), businessDate, now);
      expect(refusal).toBe(offset > 0 ? undefined : 'DAY_STILL_RUNS');
    }),
  );
});

test('R1: only the present hotel day can be closed', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  expect(dayRefusal(house(), '2026-03-21', now)).toBe('DAY_NOT_BEGUN');
  expect(dayRefusal(house(), '2026-02-28', now)).toBe('DAY_BEFORE_OPENING');
});

test('R1: each hotel day has one day after it, one later', () => {
  fc.assert(
    fc.property(day, date => {
      expect(parseLocalDate(dayAfter(date)) > date).toBe(true);
      expect(addDays(parseLocalDate(dayAfter(date)), -1)).toBe(date);
    }),
  );
});

const matter = fc.record({
  matter: fc.constantFrom(...openMatters),
  reference: fc.constantFrom('rsv_1', 'rsv_2', 'shf_1'),
});
const rules = fc.record({
  arrivalsNotIn: fc.constantFrom('block' as const, 'no_show' as const),
  departuresDue: fc.constantFrom('block' as const, 'extend' as const),
  openShifts: fc.constantFrom('block' as const, 'carry_over' as const),
});

test('R2: every open matter is resolved or blocks, once, whoever named it and in which order', () => {
  fc.assert(
    fc.property(fc.array(matter), rules, (open, own) => {
      const houseRules = mergeRules(usualRules, own);
      const { resolved, blocking } = settle(open, houseRules);
      const keys = [...resolved, ...blocking].map(one => `${one.matter} ${one.reference}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(keys)).toEqual(new Set(open.map(one => `${one.matter} ${one.reference}`)));
      expect(settle([...open, ...open].reverse(), houseRules)).toEqual({ resolved, blocking });
    }),
  );
});

test.each([
  ['arrival_not_in', { arrivalsNotIn: 'no_show' }, 'no_show'],
  ['arrival_not_in', { arrivalsNotIn: 'block' }, undefined],
  ['departure_due', { departuresDue: 'extend' }, 'extended'],
  ['departure_due', { departuresDue: 'block' }, undefined],
  ['shift_open', { openShifts: 'carry_over' }, 'carried_over'],
  ['shift_open', { openShifts: 'block' }, undefined],
] as const)('R2: %s under %o becomes %s', (what, own, as) => {
  const { resolved, blocking } = settle([{ matter: what, reference: 'rsv_1' }], mergeRules(usualRules, own));
  expect(resolved.map(one => one.as)).toEqual(as === undefined ? [] : [as]);
  expect(blocking).toHaveLength(as === undefined ? 1 : 0);
});

test('EVT-15: the difference of two lists leads from one to the other', () => {
  const list = fc.subarray([...amenityCodes]);
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { added, removed } = amenityDifference(before, after);
      const led = [...before.filter(code => !removed.includes(code)), ...added];
      expect(new Set(led)).toEqual(new Set(after));
    }),
  );
});

test('every amenity has a name in each language', () => {
  for (const { en, ps, 'fa-AF': dari } of Object.values(amenityCatalogue)) {
    expect(/^[ -~]+$/.test(en)).toBe(true);
    expect(/^[\p{Script_Extensions=Arabic}\u200c ]+$/u.test(ps)).toBe(true);
    expect(/^[\p{Script_Extensions=Arabic}\u200c ]+$/u.test(dari)).toBe(true);
  }
});

test.each([
  ['ROOM_ARCHIVED', { status: 'archived' as const }, {}],
  ['ROOM_CLOSES_IN_THE_PAST', { status: 'active' as const }, { closedFrom: '2026-03-19' }],
  ['ROOM_ASSIGNED', { status: 'active' as const }, { reservationIds: ['rsv_1'] }],
  [undefined, { status: 'active' as const }, {}],
])('R11: archiving a room is answered with %s', (refusal, room, more) => {
  const asked = { closedFrom: '2026-03-20', businessDate: '2026-03-20', reservationIds: [], ...more };
  expect(archivingRefusal(room, asked)).toBe(refusal);
});
