import { hours, minutes } from '@ghasi/domain-primitives/duration';
import { offsetMinutes, parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CodeRules,
  ceilStep,
  codeWindow,
  endRoundings,
  floorStep,
  plus,
  type Window,
} from './windows.ts';

const ttlock: CodeRules = {
  stepMs: hours(1),
  unusedForMs: hours(24),
  longestMs: 365 * hours(24),
  sameWindowSameCode: true,
};
const exact: CodeRules = { stepMs: 1_000, unusedForMs: null, longestMs: null, sameWindowSameCode: false };
const kabul = parseZone('Asia/Kabul');

const zone = fc.constantFrom(
  'Asia/Kabul',
  'Asia/Kathmandu',
  'Europe/London',
  'America/Los_Angeles',
  'Australia/Lord_Howe', // moves its clock by half an hour
  'UTC',
);
const zones = zone.map(parseZone);
const moment = fc
  .integer({ min: Date.UTC(2025, 0, 1) / 1_000, max: Date.UTC(2028, 0, 1) / 1_000 })
  .map(at => new Date(at * 1_000));
const stays = fc
  .tuple(moment, fc.integer({ min: 60, max: 500 * 86_400 }))
  .map(([from, length]) => ({ from, until: plus(from, length * 1_000) }));

/** Minutes past the full hour on a clock in the zone. */
function pastHour(of: ReturnType<typeof parseZone>, at: Date): number {
  return (at.getTime() / minutes(1) + offsetMinutes(of, at)) % 60;
}

const made = (stay: Window, more: Partial<Parameters<typeof codeWindow>[1]> = {}) =>
  codeWindow(stay, { rules: ttlock, zone: kabul, end: 'up', taken: [], ...more });

describe('R27: codes of whole hours', () => {
  test('14:00 to 12:00 in Kabul is on the hour there, whatever UTC says', () => {
    const stay = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T07:30:00Z') };
    expect(made(stay)).toEqual(stay);
  });

  test.each([
    ['up', '2026-12-04T08:30:00.000Z'],
    ['down', '2026-12-04T07:30:00.000Z'],
    ['nearest', '2026-12-04T07:30:00.000Z'],
  ] as const)('the end of a stay at 12:20 rounds %s', (end, until) => {
    const stay = { from: new Date('2026-12-01T09:40:00Z'), until: new Date('2026-12-04T07:50:00Z') };
    expect(made(stay, { end })).toEqual({ from: new Date('2026-12-01T09:30:00Z'), until: new Date(until) });
  });

  test('12:30 is as near to 13:00 as to 12:00: the guest has the benefit', () => {
    const stay = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T08:00:00Z') };
    expect(made(stay, { end: 'nearest' })?.until.toISOString()).toBe('2026-12-04T08:30:00.000Z');
  });

  test('rounding down never leaves a stay of minutes without a window', () => {
    const stay = { from: new Date('2026-12-01T09:35:00Z'), until: new Date('2026-12-01T09:50:00Z') };
    expect(made(stay, { end: 'down' })).toEqual({
      from: new Date('2026-12-01T09:30:00Z'),
      until: new Date('2026-12-01T10:30:00Z'),
    });
  });

  test('every window is on whole hours of the house, covers the arrival, and lasts a year at most', () => {
    fc.assert(
      fc.property(stays, zones, fc.constantFrom(...endRoundings), (stay, where, end) => {
        const window = made(stay, { zone: where, end });
        if (window === undefined) throw new Error('there is no window');
        expect(pastHour(where, window.from)).toBe(0);
        expect(pastHour(where, window.until)).toBe(0);
        expect(window.from.getTime()).toBeLessThanOrEqual(stay.from.getTime());
        expect(stay.from.getTime() - window.from.getTime()).toBeLessThan(hours(1.5));
        expect(window.until.getTime()).toBeGreaterThan(window.from.getTime());
        const length = window.until.getTime() - window.from.getTime();
        expect(length).toBeLessThanOrEqual(365 * hours(24));
      }),
      { numRuns: 300 },
    );
  });

  test('a stay of less than a year ends within an hour of its end, on the side the house chose', () => {
    const short = stays.filter(stay => stay.until.getTime() - stay.from.getTime() < 364 * hours(24));
    fc.assert(
      fc.property(short, zones, fc.constantFrom('up' as const, 'down' as const), (stay, where, end) => {
        const window = made(stay, { zone: where, end });
        const late = (window?.until.getTime() ?? Number.NaN) - stay.until.getTime();
        expect(Math.abs(late)).toBeLessThan(hours(1.5));
        if (end === 'up') expect(late).toBeGreaterThanOrEqual(0);
        else if (stay.until.getTime() - stay.from.getTime() > hours(2)) expect(late).toBeLessThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });

  test('floor and ceiling embrace a moment, and a whole hour is its own', () => {
    fc.assert(
      fc.property(moment, zones, (at, where) => {
        const step = { zone: where, stepMs: hours(1) };
        const [floor, ceil] = [floorStep(step, at), ceilStep(step, at)];
        expect(floor <= at && at <= ceil).toBe(true);
        expect(floorStep(step, floor)).toEqual(floor);
        expect(ceilStep(step, ceil)).toEqual(ceil);
      }),
      { numRuns: 300 },
    );
  });
});

describe('R27: a code is nobody else’s', () => {
  test('a window that the lock had before gives the same digits, so it begins an hour earlier', () => {
    const stay = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T07:30:00Z') };
    const first = made(stay) as Window;
    const second = made(stay, { taken: [first] }) as Window;
    expect(second).toEqual({ from: plus(first.from, -hours(1)), until: first.until });
    const third = made(stay, { taken: [first, second] });
    expect(third?.from).toEqual(plus(first.from, -hours(2)));
  });

  test('however many codes a lock had, the next one is new', () => {
    fc.assert(
      fc.property(stays, zones, fc.integer({ min: 0, max: 11 }), (stay, where, times) => {
        const taken: Window[] = [];
        for (let time = 0; time <= times; time++) {
          const window = made(stay, { zone: where, taken });
          if (window === undefined) throw new Error('there is no window');
          const isKnown = taken.some(one => +one.from === +window.from && +one.until === +window.until);
          expect(isKnown).toBe(false);
          expect(window.from <= stay.from).toBe(true);
          taken.push(window);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a lock that had a dozen codes for one window gives no thirteenth: it would be dead before the guest comes', () => {
    const stay = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T07:30:00Z') };
    const taken = Array.from({ length: 12 }, (_, n) => ({
      from: plus(stay.from, -n * hours(1)),
      until: stay.until,
    }));
    expect(made(stay, { taken })).toBeUndefined();
  });
});

test('a vendor that knows seconds gets the stay as it is', () => {
  fc.assert(
    fc.property(stays, zones, fc.constantFrom(...endRoundings), (stay, where, end) => {
      expect(codeWindow(stay, { rules: exact, zone: where, end, taken: [stay] })).toEqual(stay);
    }),
    { numRuns: 100 },
  );
});

test('a stay that is over has no window', () => {
  const at = new Date('2026-12-01T09:30:00Z');
  expect(made({ from: at, until: at })).toBeUndefined();
});
