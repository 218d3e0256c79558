import { addDays, eachDay, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areSame, includes, joined, type Nights, since, without } from './nights.ts';

const first = parseLocalDate('2027-01-01');
const day = (n: number) => addDays(first, n);
const lists: fc.Arbitrary<Nights[]> = fc.array(
  fc.tuple(fc.nat(30), fc.nat(8)).map(([from, length]) => ({ from: day(from), until: day(from + length) })),
  { maxLength: 6 },
);
const single = (nights: readonly Nights[]) =>
  new Set(nights.flatMap(({ from, until }) => [...eachDay(from, until)]));

test('a joined list has the same nights, sorted and apart', () => {
  fc.assert(
    fc.property(lists, nights => {
      const all = joined(nights);
      expect(single(all)).toEqual(single(nights));
      for (const [at, one] of all.entries()) {
        expect(one.from < one.until).toBe(true);
        if (at > 0) expect((all[at - 1]?.until ?? '') < one.from).toBe(true);
      }
    }),
  );
});

test('taking nights away leaves exactly the others', () => {
  fc.assert(
    fc.property(lists, lists, (nights, taken) => {
      const gone = single(taken);
      const left = [...single(nights)].filter(date => !gone.has(date));
      expect(single(without(nights, taken))).toEqual(new Set(left));
    }),
  );
});

test('nights since a day are those that are not over', () => {
  fc.assert(
    fc.property(lists, fc.nat(40), (nights, n) => {
      const expected = [...single(nights)].filter(date => date >= day(n));
      expect(single(since(day(n), nights))).toEqual(new Set(expected));
    }),
  );
});

test('lists are the same when their nights are, and include what they have', () => {
  fc.assert(
    fc.property(lists, lists, fc.nat(40), (one, other, n) => {
      const text = (nights: readonly Nights[]) => [...single(nights)].sort().join();
      expect(areSame(one, other)).toBe(text(one) === text(other));
      expect(includes(one, day(n))).toBe(single(one).has(day(n)));
    }),
  );
});
