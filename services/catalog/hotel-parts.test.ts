import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { days, keyWindow, localisedText, nightPrice, taxedPrice, wallTime } from './hotel-parts.ts';
import { price, stay } from './parts.ts';
import { isMultiple, sameSum } from './same-sum.ts';

const afn = (minor: bigint | string) => ({ amount: String(minor), currency: 'AFN' });
const usd = (minor: bigint) => ({ amount: String(minor), currency: 'USD' });
const minor = fc.bigInt(-(10n ** 12n), 10n ** 12n);

describe('sums of money', () => {
  test('R20: two sides are the same when they add up, whatever their parts', () => {
    fc.assert(
      fc.property(fc.array(minor), minor, fc.bigInt(-2n, 2n), (parts, last, off) => {
        const whole = parts.reduce((sum, part) => sum + part, last);
        expect(sameSum([...parts, last].map(afn), [afn(whole + off)])).toBe(off === 0n);
      }),
    );
  });

  test('R20: so many of a unit are the total, and one minor unit more is not', () => {
    fc.assert(
      fc.property(minor, fc.integer({ min: 0, max: 999 }), fc.bigInt(-1n, 1n), (unit, quantity, off) => {
        const total = afn(unit * BigInt(quantity) + off);
        expect(isMultiple(afn(unit), quantity, total)).toBe(off === 0n);
      }),
    );
  });

  test('R20: the taxes of a night make its tax, or nothing is said of them', () => {
    const night = { date: '2026-03-21', price: { net: afn(100n), tax: afn(10n), gross: afn(110n) } };
    const taxed = (...amounts: bigint[]) => ({
      ...night,
      taxes: amounts.map((amount, n) => ({ code: `T${n}`, amount: afn(amount) })),
    });
    expect([night, taxed(10n), taxed(7n, 3n)].map(one => nightPrice.safeParse(one).success)).toEqual([
      true,
      true,
      true,
    ]);
    expect([taxed(), taxed(9n), taxed(7n, 4n)].map(one => nightPrice.safeParse(one).success)).toEqual([
      false,
      false,
      false,
    ]);
    const free = { ...night, price: { net: afn(100n), tax: afn(0n), gross: afn(100n) }, taxes: [] };
    expect(nightPrice.safeParse(free).success).toBe(true);
  });

  test('money of two currencies never adds up', () => {
    expect(sameSum([afn(1n), usd(1n)], [afn(2n)])).toBe(false);
    expect(isMultiple(afn(1n), 1, usd(1n))).toBe(false);
  });
});

test.each([
  ['letters', afn('ten')],
  ['a decimal point', afn('1.5')],
  ['nothing', afn('')],
  ['a number', { amount: 10, currency: 'AFN' }],
  ['no currency', { amount: '10', currency: 'QQQ' }],
])('an amount that is %s is refused, and the law beside it does not throw', (_what, gross) => {
  expect(taxedPrice.safeParse({ net: gross, tax: afn(0n), gross }).success).toBe(false);
  expect(price.safeParse(gross).success).toBe(false);
});

test.each([
  [stay, 'arrival', 'departure', '2026-03-21', '2026-03-22'],
  [days, 'from', 'until', '2026-03-21', '2026-03-22'],
  [keyWindow, 'validFrom', 'validUntil', '2026-03-21T09:30:00Z', '2026-03-21T09:30:00.001Z'],
])('R5: a span that is empty or runs backwards is refused: %#', (span, start, end, first, last) => {
  const takes = (from: string, to: string) => span.safeParse({ [start]: from, [end]: to }).success;
  expect(takes(first, last)).toBe(true);
  expect(takes(first, first)).toBe(false);
  expect(takes(last, first)).toBe(false);
});

test('a text has each language once, and at least one', () => {
  const text = localisedText(10);
  expect(text.safeParse([{ locale: 'ps', text: 'انار' }]).success).toBe(true);
  expect(text.safeParse([]).success).toBe(false);
  expect(text.safeParse([{ locale: 'ps', text: 'longer than ten' }]).success).toBe(false);
});

test('a wall clock shows 00:00 to 23:59', () => {
  expect(['00:00', '23:59'].every(time => wallTime.safeParse(time).success)).toBe(true);
  expect(['24:00', '9:30', '12:60', '12:30:00'].some(time => wallTime.safeParse(time).success)).toBe(false);
});
