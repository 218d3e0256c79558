import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CurrencyCode, currencies } from './currencies.ts';
import { coreErrors } from './errors.ts';
import {
  add,
  allocate,
  compare,
  fromDecimal,
  type Money,
  money,
  multiply,
  negate,
  percentage,
  roundToCash,
  splitGross,
  subtract,
  sum,
  zero,
} from './money.ts';
import { roundings } from './rounding.ts';

const codes = Object.keys(currencies) as CurrencyCode[];
const anyCode = fc.constantFrom(...codes);
const anyMinor = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n });
const smallMinor = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const anyMoney = fc.tuple(anyMinor, anyCode).map(([minor, code]) => money(minor, code));
const afn = smallMinor.map(minor => money(minor, 'AFN'));
const anyRounding = fc.constantFrom(...roundings);

const malformed = expect.toSatisfy(coreErrors.MALFORMED_MONEY.is);
const unknownCurrency = expect.toSatisfy(coreErrors.UNKNOWN_CURRENCY.is);
const mismatch = expect.toSatisfy(coreErrors.CURRENCY_MISMATCH.is);

describe('making money', () => {
  test('a number is refused, because it may have lost digits already', () => {
    for (const wrong of [1, 0.1, Number.NaN, 1e21, -0, '1', null, undefined]) {
      expect(() => money(wrong as unknown as bigint, 'AFN')).toThrow(malformed);
    }
  });

  test('an unknown currency is refused by name', () => {
    for (const wrong of ['afn', 'XXX', 'BGN', '', 'constructor']) {
      expect(() => money(1n, wrong)).toThrow(unknownCurrency);
    }
    expect(() => money(1n, 'ZZZ')).toThrow('"ZZZ" is not an active ISO 4217 currency');
  });

  test('18 digits fit and 19 do not, also as the result of a sum', () => {
    const most = money(10n ** 18n - 1n, 'AFN');
    expect(() => money(10n ** 18n, 'AFN')).toThrow(malformed);
    expect(() => money(-(10n ** 18n), 'AFN')).toThrow(malformed);
    expect(() => add(most, money(1n, 'AFN'))).toThrow(malformed);
    expect(() => multiply(most, 2n)).toThrow(malformed);
    expect(add(most, money(-1n, 'AFN')).minor).toBe(10n ** 18n - 2n);
  });

  test('a value cannot be changed afterwards', () => {
    expect(() => Object.assign(money(1n, 'AFN'), { minor: 2n })).toThrow(TypeError);
  });
});

describe('arithmetic', () => {
  test('addition is commutative and associative, and subtraction undoes it', () => {
    fc.assert(
      fc.property(afn, afn, afn, (a, b, c) => {
        expect(add(a, b)).toEqual(add(b, a));
        expect(add(add(a, b), c)).toEqual(add(a, add(b, c)));
        expect(subtract(add(a, b), b)).toEqual(a);
        expect(add(a, negate(a))).toEqual(zero('AFN'));
        expect(sum([a, b, c], 'AFN')).toEqual(add(a, add(b, c)));
      }),
    );
  });

  test('R20: six times 7.00 is 42.00', () => {
    expect(multiply(fromDecimal('7.00', 'USD'), 6n)).toEqual(fromDecimal('42.00', 'USD'));
    expect(sum([], 'USD')).toEqual(zero('USD'));
    expect(() => multiply(zero('USD'), 1.5 as unknown as bigint)).toThrow(malformed);
  });

  test('compare orders like the minor units', () => {
    expect(compare(money(-1n, 'AFN'), money(1n, 'AFN'))).toBe(-1);
    expect(compare(money(1n, 'AFN'), money(1n, 'AFN'))).toBe(0);
    expect([3n, 1n, 2n].map(minor => money(minor, 'AFN')).sort(compare)).toEqual(
      [1n, 2n, 3n].map(minor => money(minor, 'AFN')),
    );
  });

  test('two currencies never meet', () => {
    const [left, right] = [money(1n, 'AFN'), money(1n, 'USD')];
    for (const work of [add, subtract, compare]) expect(() => work(left, right)).toThrow(mismatch);
    expect(() => sum([left, right], 'AFN')).toThrow('Cannot combine AFN with USD');
  });
});

describe('splitting', () => {
  const anyWeights = fc
    .array(fc.oneof(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 20n })), { minLength: 1, maxLength: 40 })
    .filter(weights => weights.some(weight => weight > 0));

  test('R20: the parts always sum to the whole, and no part is a minor unit off its share', () => {
    fc.assert(
      fc.property(anyMoney, anyWeights, (amount, weights) => {
        const parts = allocate(amount, weights);
        expect(parts).toHaveLength(weights.length);
        expect(sum(parts, amount.currency)).toEqual(amount);
        const whole = weights.reduce<bigint>((total, weight) => total + BigInt(weight), 0n);
        parts.forEach((part, index) => {
          const error = part.minor * whole - amount.minor * BigInt(weights[index] ?? 0);
          expect(error < whole && error > -whole).toBe(true);
        });
      }),
    );
  });

  test('R20: with a named line, all that does not divide goes there and the others are plain shares', () => {
    fc.assert(
      fc.property(anyMoney, anyWeights, fc.nat(), (amount, weights, pick) => {
        const remainderTo = pick % weights.length;
        const parts = allocate(amount, weights, { remainderTo });
        expect(sum(parts, amount.currency)).toEqual(amount);
        const whole = weights.reduce<bigint>((total, weight) => total + BigInt(weight), 0n);
        parts.forEach((part, index) => {
          if (index !== remainderTo) {
            expect(part.minor).toBe((amount.minor * BigInt(weights[index] ?? 0)) / whole);
          }
        });
      }),
    );
  });

  test('100.00 over three nights', () => {
    const amounts = (parts: Money[]) => parts.map(({ minor }) => minor);
    expect(amounts(allocate(money(10_000n, 'AFN'), [1, 1, 1]))).toEqual([3_334n, 3_333n, 3_333n]);
    expect(amounts(allocate(money(-10_000n, 'AFN'), [1, 1, 1]))).toEqual([-3_334n, -3_333n, -3_333n]);
    expect(amounts(allocate(money(10_000n, 'AFN'), [1, 1, 1], { remainderTo: 2 }))).toEqual([
      3_333n,
      3_333n,
      3_334n,
    ]);
    expect(amounts(allocate(money(1n, 'AFN'), [0, 5, 0]))).toEqual([0n, 1n, 0n]);
    expect(amounts(allocate(money(10n, 'AFN'), [1, 2, 4]))).toEqual([1n, 3n, 6n]);
  });

  test.each([[[]], [[0, 0]], [[1, -1]], [[3, -1]], [[0.5, 0.5]], [[Number.NaN]], [[1e21]]])(
    'refuses weights %j',
    weights => {
      expect(() => allocate(money(10n, 'AFN'), weights)).toThrow(malformed);
    },
  );

  test('refuses a named line that does not exist', () => {
    expect(() => allocate(money(10n, 'AFN'), [1, 1], { remainderTo: 2 })).toThrow(malformed);
  });
});

describe('percentages and cash', () => {
  test('12.5 % with each rounding', () => {
    const of = (minor: bigint) => roundings.map(rule => percentage(money(minor, 'AFN'), 1_250, rule).minor);
    expect(of(100n)).toEqual([13n, 12n, 12n, 13n]); // 12.5
    expect(of(12n)).toEqual([2n, 2n, 1n, 2n]); // 1.5
    expect(of(-100n)).toEqual([-13n, -12n, -12n, -13n]);
    expect(() => percentage(money(1n, 'AFN'), 12.5, 'half-up')).toThrow(malformed);
  });

  test('R20: the gross the guest saw stays; net and tax are derived and sum to it', () => {
    fc.assert(
      fc.property(afn, fc.nat({ max: 10_000 }), anyRounding, (gross, rate, rounding) => {
        const { net, tax } = splitGross(gross, rate, rounding);
        expect(add(net, tax)).toEqual(gross);
        // Tax on the net is the tax, up to the rounding of both.
        const again = percentage(net, rate, 'half-up').minor - tax.minor;
        expect(again >= -2n && again <= 2n).toBe(true);
      }),
    );
    expect(splitGross(money(11_500n, 'AFN'), 1_500, 'half-up')).toEqual({
      net: money(10_000n, 'AFN'),
      tax: money(1_500n, 'AFN'),
    });
    expect(() => splitGross(zero('AFN'), -1, 'half-up')).toThrow(malformed);
  });

  test('R19: cash is a multiple of the step, never a step away', () => {
    fc.assert(
      fc.property(anyCode, smallMinor, anyRounding, (code, minor, rounding) => {
        const { cashStep } = currencies[code];
        const cash = roundToCash(money(minor, code), rounding).minor;
        expect(cash % cashStep).toBe(0n);
        expect(cash - minor < cashStep && minor - cash < cashStep).toBe(true);
        expect(roundToCash(money(cash, code), rounding).minor).toBe(cash);
      }),
    );
    expect(roundToCash(fromDecimal('1249.50', 'AFN'))).toEqual(fromDecimal('1250', 'AFN'));
    expect(roundToCash(fromDecimal('1249.49', 'AFN'))).toEqual(fromDecimal('1249', 'AFN'));
    expect(roundToCash(fromDecimal('10.12', 'AED'))).toEqual(fromDecimal('10', 'AED'));
  });
});
