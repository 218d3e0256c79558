import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayNumber, isoDay, isoOf, monthLength, partsOf, shiftMonths, weekdayOf } from './calendar.ts';

const solar = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

function byIntl(iso: string) {
  const parts = Object.fromEntries(
    solar.formatToParts(new Date(`${iso}T00:00:00Z`)).map(({ type, value }) => [type, value]),
  );
  return { year: Number(parts.year), month: Number(parts.month), day: Number(parts.day) };
}

const days = fc.integer({ min: dayNumber('1930-01-01'), max: dayNumber('2090-01-01') }).map(isoDay);

describe('the calendars', () => {
  test('every day of 150 years has the solar Hijri date Intl gives it, and comes back from it', () => {
    const last = dayNumber('2080-01-01');
    for (let number = dayNumber('1930-01-01'); number < last; number += 1) {
      const iso = isoDay(number);
      const parts = partsOf(iso, 'solar-hijri');
      if (isoOf(parts, 'solar-hijri') !== iso || JSON.stringify(parts) !== JSON.stringify(byIntl(iso))) {
        expect({ iso, parts }).toEqual({ iso, parts: byIntl(iso) });
        expect(isoOf(parts, 'solar-hijri')).toBe(iso);
      }
    }
  });

  test('known days: Nowruz 1405 and the last day of a leap year', () => {
    expect(partsOf('2026-03-21', 'solar-hijri')).toEqual({ year: 1405, month: 1, day: 1 });
    expect(isoOf({ year: 1403, month: 12, day: 30 }, 'solar-hijri')).toBe('2025-03-20');
    expect(isoOf({ year: 1404, month: 12, day: 30 }, 'solar-hijri')).toBeUndefined();
  });

  test('a Gregorian date is its own text', () => {
    fc.assert(
      fc.property(days, iso => {
        expect(isoOf(partsOf(iso, 'gregorian'), 'gregorian')).toBe(iso);
        const { year, month } = partsOf(iso, 'gregorian');
        expect(monthLength(year, month, 'gregorian')).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
        expect(weekdayOf(iso)).toBe(new Date(`${iso}T00:00:00Z`).getUTCDay() || 7);
      }),
    );
  });

  test.each([
    [{ year: 2026, month: 2, day: 29 }, 'gregorian'],
    [{ year: 1405, month: 7, day: 31 }, 'solar-hijri'],
    [{ year: 1405, month: 13, day: 1 }, 'solar-hijri'],
    [{ year: 1405, month: 1, day: 0 }, 'solar-hijri'],
    [{ year: Number.NaN, month: 1, day: 1 }, 'solar-hijri'],
    [{ year: 2026, month: 1.5, day: 1 }, 'gregorian'],
  ] as const)('%j is no day of the %s calendar', (parts, calendar) => {
    expect(isoOf(parts, calendar)).toBeUndefined();
  });

  test('months roll over years in both directions', () => {
    expect(shiftMonths({ year: 1405, month: 12 }, 1)).toEqual({ year: 1406, month: 1 });
    expect(shiftMonths({ year: 1405, month: 1 }, -1)).toEqual({ year: 1404, month: 12 });
    expect(shiftMonths({ year: 1405, month: 5 }, -12)).toEqual({ year: 1404, month: 5 });
  });
});
