import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divideRounded, roundings } from './rounding.ts';

const numerator = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const denominator = fc.bigInt({ min: 1n, max: 10n ** 12n });

describe('rounding', () => {
  test.each([
    ['half-up', [-1n, 0n, 0n, 1n, 2n, 3n]],
    ['half-even', [0n, 0n, 0n, 0n, 2n, 2n]],
    ['down', [0n, 0n, 0n, 0n, 1n, 2n]],
    ['up', [-1n, -1n, 1n, 1n, 2n, 3n]],
  ] as const)('%s of -0.5, -0.4, 0.4, 0.5, 1.5 and 2.5', (rounding, expected) => {
    expect([-5n, -4n, 4n, 5n, 15n, 25n].map(tenths => divideRounded(tenths, 10n, rounding))).toEqual(
      expected,
    );
  });

  test('is never off by a whole unit, and exact when it divides', () => {
    fc.assert(
      fc.property(numerator, denominator, fc.constantFrom(...roundings), (n, d, rounding) => {
        const rest = divideRounded(n, d, rounding) * d - n;
        expect(rest < d && rest > -d).toBe(true);
        expect(divideRounded(n * d, d, rounding)).toBe(n);
      }),
    );
  });

  test('nearest means nearest, and both signs are treated alike', () => {
    fc.assert(
      fc.property(numerator, denominator, fc.constantFrom(...roundings), (n, d, rounding) => {
        expect(divideRounded(-n, d, rounding)).toBe(-divideRounded(n, d, rounding));
        const error = divideRounded(n, d, 'half-even') * d - n;
        expect(2n * (error < 0n ? -error : error) <= d).toBe(true);
      }),
    );
  });

  test.each([0n, -1n])('refuses the denominator %d', wrong => {
    expect(() => divideRounded(1n, wrong, 'down')).toThrow(RangeError);
  });
});
