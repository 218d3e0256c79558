import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coreErrors } from './errors.ts';
import { addDays, eachDay, parseLocalDate } from './local-date.ts';
import { contains, MAX_NIGHTS, nightDates, nights, overlaps, stay } from './stay.ts';

const base = parseLocalDate('2026-03-01');
const anyStay = fc
  .tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 20 }))
  .map(([start, length]) => stay(addDays(base, start), addDays(base, start + length)));

const invalid = expect.toSatisfy(coreErrors.INVALID_STAY.is);

describe('a stay', () => {
  test('R5: [10,12) and [12,14) share a day but no night; [10,12) and [11,13) collide', () => {
    const first = stay('2026-03-10', '2026-03-12');
    expect(overlaps(first, stay('2026-03-12', '2026-03-14'))).toBe(false);
    expect(overlaps(first, stay('2026-03-11', '2026-03-13'))).toBe(true);
  });

  test('R4: one night is one date', () => {
    const one = stay('2026-03-10', '2026-03-11');
    expect(nights(one)).toBe(1);
    expect(nightDates(one)).toEqual(['2026-03-10']);
  });

  test('R4: the night of a DST change is one night like any other', () => {
    expect(nights(stay('2026-03-28', '2026-03-30'))).toBe(2);
    expect(nightDates(stay('2026-10-24', '2026-10-26'))).toEqual(['2026-10-24', '2026-10-25']);
  });

  test('must leave after it arrives, and not in another era', () => {
    expect(() => stay('2026-03-10', '2026-03-10')).toThrow(invalid);
    expect(() => stay('2026-03-10', '2026-03-09')).toThrow(
      'departure 2026-03-09 is not after arrival 2026-03-10',
    );
    expect(() => stay('0001-01-01', '9999-12-31')).toThrow(invalid);
    expect(nights(stay(base, addDays(base, MAX_NIGHTS)))).toBe(MAX_NIGHTS);
    expect(() => stay(base, addDays(base, MAX_NIGHTS + 1))).toThrow(invalid);
  });

  test('text from outside is checked', () => {
    expect(() => stay('2026-03-10', '2026-02-30')).toThrow(expect.toSatisfy(coreErrors.MALFORMED_DATE.is));
    expect(() => stay('10.03.2026', '2026-03-12')).toThrow(expect.toSatisfy(coreErrors.MALFORMED_DATE.is));
  });

  test('R5: two stays overlap exactly when they share a night', () => {
    fc.assert(
      fc.property(anyStay, anyStay, (left, right) => {
        const shared = nightDates(left).filter(night => nightDates(right).includes(night));
        expect(overlaps(left, right)).toBe(shared.length > 0);
        expect(overlaps(right, left)).toBe(overlaps(left, right));
      }),
    );
  });

  test('R5: contains exactly its nights: the arrival, not the departure', () => {
    fc.assert(
      fc.property(anyStay, one => {
        const around = [...eachDay(addDays(one.arrival, -3), addDays(one.departure, 3))];
        expect(around.filter(date => contains(one, date))).toEqual(nightDates(one));
        expect(nightDates(one)).toHaveLength(nights(one));
      }),
    );
  });

  test('cut in two, the nights of the parts are the nights of the whole', () => {
    fc.assert(
      fc.property(anyStay, fc.nat(), (whole, pick) => {
        fc.pre(nights(whole) > 1);
        const cut = addDays(whole.arrival, 1 + (pick % (nights(whole) - 1)));
        const [before, after] = [stay(whole.arrival, cut), stay(cut, whole.departure)];
        expect([...nightDates(before), ...nightDates(after)]).toEqual(nightDates(whole));
        expect(overlaps(before, after)).toBe(false);
      }),
    );
  });
});
