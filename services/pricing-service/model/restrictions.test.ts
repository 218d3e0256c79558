import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { stay } from '@ghasi/domain-primitives/stay';
import { describe, expect, test } from 'vitest';
import type { Restrictions } from '../contract/resources.ts';
import { brokenBy, type Day, stricter, unrestricted } from './restrictions.ts';

const dates = ['2026-03-20', '2026-03-21', '2026-03-22', '2026-03-23'].map(parseLocalDate);
const three = stay('2026-03-20', '2026-03-23');

function calendar(changes: Record<string, Partial<Restrictions> | 'unsold'> = {}) {
  return new Map<(typeof dates)[number], Day>(
    dates.map(date => {
      const change = changes[date];
      const price = change === 'unsold' ? null : 180_000n;
      const restrictions = { ...unrestricted, ...(change === 'unsold' ? {} : change) };
      return [date, { date, price, restrictions }];
    }),
  );
}

const reasons = (changes: Parameters<typeof calendar>[0]) =>
  brokenBy(three, calendar(changes)).map(({ reason, date }) => `${reason} ${date}`);

describe('R12: each restriction is read on its own date', () => {
  const restrictions = {
    'shortest stay of 4 nights': [{ minNights: 4 }, 'min_stay'],
    'closed to arrival': [{ closedToArrival: true }, 'closed_to_arrival'],
    'closed to departure': [{ closedToDeparture: true }, 'closed_to_departure'],
    'stop-sell': [{ closed: true }, 'closed'],
  } as const;
  const places = { 'the arrival date': 0, 'a night between': 1, 'the departure date': 3 } as const;
  const refusedOn: Record<keyof typeof restrictions, (keyof typeof places)[]> = {
    'shortest stay of 4 nights': ['the arrival date'],
    'closed to arrival': ['the arrival date'],
    'closed to departure': ['the departure date'],
    'stop-sell': ['the arrival date', 'a night between'],
  };
  const table = Object.keys(restrictions).flatMap(what =>
    Object.keys(places).map(where => {
      const verdict = refusedOn[what as 'stop-sell'].includes(where as 'the arrival date');
      return [what, where, verdict ? 'refuses' : 'allows'] as const;
    }),
  );

  test('four restrictions on three dates are twelve cases', () => expect(table).toHaveLength(12));

  test.each(table)('R12: %s on %s %s the stay', (what, where, verdict) => {
    const [restriction, reason] = restrictions[what as 'stop-sell'];
    const date = dates[places[where as 'the arrival date']] as string;
    expect(reasons({ [date]: restriction })).toEqual(verdict === 'refuses' ? [`${reason} ${date}`] : []);
  });
});

test('R12: the longest stay is read on the arrival date', () => {
  expect(reasons({ '2026-03-20': { maxNights: 2 } })).toEqual(['max_stay 2026-03-20']);
  expect(reasons({ '2026-03-21': { maxNights: 2 } })).toEqual([]);
  expect(reasons({ '2026-03-20': { maxNights: 3, minNights: 3 } })).toEqual([]);
});

test('R9: the third night without a price refuses the stay; the day of departure needs none', () => {
  expect(reasons({ '2026-03-22': 'unsold' })).toEqual(['no_price 2026-03-22']);
  expect(reasons({ '2026-03-23': 'unsold' })).toEqual([]);
  const short = new Map([...calendar()].slice(0, 2));
  expect(brokenBy(three, short)).toMatchObject([{ reason: 'no_price', date: '2026-03-22' }]);
});

test('everything in the way is said at once', () => {
  expect(
    reasons({ '2026-03-20': { closedToArrival: true, minNights: 5 }, '2026-03-21': { closed: true } }),
  ).toEqual(['min_stay 2026-03-20', 'closed_to_arrival 2026-03-20', 'closed 2026-03-21']);
});

test('two calendars together are as strict as the stricter one', () => {
  const left = { ...unrestricted, minNights: 2, maxNights: 9, closed: true };
  const right = { ...unrestricted, minNights: 3, maxNights: 5, closedToArrival: true };
  const both = {
    minNights: 3,
    maxNights: 5,
    closed: true,
    closedToArrival: true,
    closedToDeparture: false,
  };
  expect(stricter(left, right)).toEqual(both);
  expect(stricter(right, left)).toEqual(both);
  expect(stricter(unrestricted, unrestricted)).toEqual(unrestricted);
});
