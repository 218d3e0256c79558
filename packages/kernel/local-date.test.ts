import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coreErrors } from './errors.ts';
import {
  addDays,
  compareDates,
  daysBetween,
  eachDay,
  isLocalDate,
  parseLocalDate as on,
  weekday,
} from './local-date.ts';

const malformed = expect.toSatisfy(coreErrors.MALFORMED_DATE.is);
const DAY_MS = 86_400_000;

// The oracle is the platform's UTC calendar, which local-date.ts itself does not use.
const anyDate = fc
  .integer({ min: Date.parse('0001-01-01') / DAY_MS, max: Date.parse('9999-12-31') / DAY_MS })
  .map(day => on(new Date(day * DAY_MS).toISOString().slice(0, 10)));
const anyCount = fc.integer({ min: -20_000, max: 20_000 });

describe('reading a date', () => {
  test.each(['2026-03-21', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is a date', text => {
    expect(on(text)).toBe(text);
    expect(isLocalDate(text)).toBe(true);
  });

  test.each([
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-01-32',
    '0000-01-01',
    '2026-1-1',
    '20260101',
    '26-01-01',
    '2026/01/01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '+002026-01-01',
    '-2026-01-01',
    '۲۰۲۶-۰۱-۰۱',
    '',
    null,
    undefined,
    20260101,
    new Date(0),
  ])('R4: %j is not', text => {
    expect(isLocalDate(text)).toBe(false);
    expect(() => on(text)).toThrow(malformed);
  });

  test('agrees with the platform calendar on which days exist', () => {
    const two = (value: number) => String(value).padStart(2, '0');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat({ max: 13 }), fc.nat({ max: 32 }), (y, m, d) => {
        const text = `${String(y).padStart(4, '0')}-${two(m)}-${two(d)}`;
        const parsed = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
        expect(isLocalDate(text)).toBe(exists);
      }),
    );
  });
});

describe('counting days', () => {
  test('agrees with the platform calendar', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (left, right) => {
        expect(daysBetween(left, right)).toBe((Date.parse(right) - Date.parse(left)) / DAY_MS);
        expect(addDays(left, daysBetween(left, right))).toBe(right);
      }),
    );
  });

  test('every single day from 1890 to 2110 follows the one before', () => {
    let date = on('1890-01-01');
    for (let day = Date.parse(date); date < '2110-01-01'; day += DAY_MS) {
      if (new Date(day).toISOString().slice(0, 10) !== date) expect.fail(`the calendars part at ${date}`);
      date = addDays(date, 1);
    }
    expect(date).toBe('2110-01-01');
  });

  test('adding is undone by subtracting, and steps add up', () => {
    const middle = fc
      .integer({ min: -200_000, max: 200_000 })
      .map(day => on(new Date(day * DAY_MS).toISOString().slice(0, 10)));
    fc.assert(
      fc.property(middle, anyCount, anyCount, (date, a, b) => {
        expect(addDays(addDays(date, a), -a)).toBe(date);
        expect(addDays(addDays(date, a), b)).toBe(addDays(date, a + b));
        expect(daysBetween(date, addDays(date, a))).toBe(a);
      }),
    );
  });

  test.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2024-02-29', 365, '2025-02-28'],
    ['1999-12-31', 1, '2000-01-01'],
    ['1970-01-01', -1, '1969-12-31'],
    ['1900-02-28', 1, '1900-03-01'],
    ['9999-12-30', 1, '9999-12-31'],
    ['0001-01-02', -1, '0001-01-01'],
  ])('%s and %i days is %s', (from, count, to) => {
    expect(addDays(on(from), count)).toBe(to);
  });

  test('the calendar ends where its text does', () => {
    expect(() => addDays(on('9999-12-31'), 1)).toThrow(malformed);
    expect(() => addDays(on('0001-01-01'), -1)).toThrow(malformed);
    for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => addDays(on('2026-01-01'), wrong)).toThrow(malformed);
    }
  });
});

describe('order', () => {
  test('dates sort as text and as days alike', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (left, right) => {
        expect(compareDates(left, right)).toBe(Math.sign(Date.parse(left) - Date.parse(right)));
      }),
    );
  });

  test('eachDay is half-open and in order, and empty when the end is not after the start', () => {
    expect([...eachDay(on('2026-02-27'), on('2026-03-02'))]).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect([...eachDay(on('2026-03-02'), on('2026-03-02'))]).toEqual([]);
    expect([...eachDay(on('2026-03-02'), on('2026-02-27'))]).toEqual([]);
  });

  test('a foolish range costs nothing until it is walked', () => {
    expect(eachDay(on('0001-01-01'), on('9999-12-31')).next().value).toBe('0001-01-01');
  });

  test('weekdays are ISO: Monday is 1', () => {
    expect(weekday(on('1970-01-01'))).toBe(4);
    expect(weekday(on('2026-03-21'))).toBe(6);
    expect(weekday(on('1969-12-29'))).toBe(1);
    fc.assert(
      fc.property(anyDate, date => {
        expect(weekday(date) % 7).toBe(new Date(date).getUTCDay());
      }),
    );
  });
});
