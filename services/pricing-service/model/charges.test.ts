import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChargeValues } from '../contract/resources.ts';
import { type ChargeRule, chargeNights } from './charges.ts';
import { total } from './split.ts';

const arrival = parseLocalDate('2026-03-20');
const name = [{ locale: 'en' as const, text: 'Tax' }];
const always = { name, countsChildren: false, validFrom: '2020-01-01', validUntil: null };
const rule = (code: string, values: object): ChargeRule => ({
  code,
  version: 1,
  values: { ...always, kind: 'tax', mode: 'inclusive', ...values } as ChargeValues,
});
const percent = (code: string, basisPoints: number, more: object = {}) =>
  rule(code, { basis: 'percent', basisPoints, ...more });
const fixed = (code: string, basis: string, minor: number, more: object = {}) =>
  rule(code, { basis, amount: { amount: String(minor), currency: 'AFN' }, ...more });
const nightsOf = (prices: readonly bigint[]) =>
  prices.map((price, n) => ({ date: addDays(arrival, n), price }));
const stay = { guests: { adults: 2, children: 1 }, perStay: true };
const sum = (nights: ReturnType<typeof chargeNights>, part: 'net' | 'tax' | 'gross') =>
  total(nights.map(({ price }) => price[part]));

test('R20: 6 × 7.00 = 42.00 tax-inclusive, and the tax is that of 42.00', () => {
  const nights = chargeNights(nightsOf(Array(6).fill(700n)), [percent('BRT', 1_000)], stay);
  expect(nights.map(({ price }) => price.gross)).toEqual(Array(6).fill(700n));
  expect([sum(nights, 'net'), sum(nights, 'tax'), sum(nights, 'gross')]).toEqual([3_818n, 382n, 4_200n]);
});

test('R20: what does not divide goes to one night, the dearest and first', () => {
  const taxes = (prices: bigint[]) =>
    chargeNights(nightsOf(prices), [percent('BRT', 1_000)], stay).map(({ price }) => price.tax);
  expect(taxes([700n, 700n, 700n, 700n, 700n, 700n])).toEqual([67n, 63n, 63n, 63n, 63n, 63n]);
  expect(taxes([700n, 900n, 700n])).toEqual([63n, 83n, 63n]); // 209 of 2,300: 81.7 rounded down, and 2 left over
});

const prices = fc.array(fc.bigInt(0n, 10n ** 9n), { minLength: 1, maxLength: 40 });
const small = fc.array(fc.bigInt(0n, 5n), { minLength: 1, maxLength: 12 });
const anyRule = fc.record({
  kind: fc.constantFrom('tax', 'fee'),
  mode: fc.constantFrom('inclusive', 'exclusive'),
  basis: fc.constantFrom('percent', 'per_night', 'per_person_night', 'per_person_stay', 'per_stay'),
  value: fc.integer({ min: 1, max: 10_000 }),
  countsChildren: fc.boolean(),
  from: fc.integer({ min: -3, max: 10 }),
  until: fc.option(fc.integer({ min: 0, max: 30 })),
});
const rules = fc.array(anyRule, { maxLength: 6 }).map(list =>
  list.map(({ basis, value, from, until, ...more }, n) => {
    const valid = {
      ...more,
      validFrom: addDays(arrival, from),
      validUntil: until === null ? null : addDays(arrival, until),
    };
    return basis === 'percent' ? percent(`C${n}`, value, valid) : fixed(`C${n}`, basis, value, valid);
  }),
);

test('R20: lines sum to totals for random rates, nights and taxes, and nothing is ever negative', () => {
  fc.assert(
    fc.property(fc.oneof(prices, small), rules, fc.boolean(), (rates, taxes, perStay) => {
      const nights = chargeNights(nightsOf(rates), taxes, { ...stay, perStay });
      nights.forEach(({ charges, price }, n) => {
        const part = (key: 'mode' | 'kind', is: string) =>
          total(charges.filter(line => line[key] === is).map(({ amount }) => amount));
        expect(price.net + price.tax).toBe(price.gross);
        expect(price.gross).toBe((rates[n] ?? 0n) + part('mode', 'exclusive'));
        expect(price.tax).toBe(part('kind', 'tax'));
        expect(part('mode', 'inclusive')).toBeLessThanOrEqual(rates[n] ?? 0n);
        for (const amount of [price.net, price.tax, price.gross, ...charges.map(line => line.amount)])
          expect(amount).toBeGreaterThanOrEqual(0n);
      });
      expect(sum(nights, 'net') + sum(nights, 'tax')).toBe(sum(nights, 'gross'));
    }),
  );
});

test('R20: inclusive percentages leave what the guest saw as it is, and are the tax of the total', () => {
  fc.assert(
    fc.property(prices, fc.integer({ min: 1, max: 10_000 }), (rates, basisPoints) => {
      const nights = chargeNights(nightsOf(rates), [percent('VAT', basisPoints)], stay);
      expect(nights.map(({ price }) => price.gross)).toEqual(rates);
      // Twice the exact tax, so that half a unit is whole.
      const exact = 2n * total(rates) * BigInt(basisPoints);
      const off = exact - 2n * sum(nights, 'tax') * BigInt(10_000 + basisPoints);
      expect(off <= BigInt(10_000 + basisPoints) && -off <= BigInt(10_000 + basisPoints)).toBe(true);
    }),
  );
});

test('exclusive taxes come on top, of the price without what is inside it', () => {
  const both = [percent('BRT', 1_000), percent('CITY', 500, { mode: 'exclusive' })];
  const [night] = chargeNights(nightsOf([11_000n]), both, stay);
  expect(night?.price).toEqual({ net: 10_000n, tax: 1_500n, gross: 11_500n });
});

test('a fee is income of the house, a tax is not', () => {
  const [night] = chargeNights(
    nightsOf([10_000n]),
    [fixed('SVC', 'per_night', 500, { kind: 'fee', mode: 'exclusive' })],
    stay,
  );
  expect(night?.price).toEqual({ net: 10_500n, tax: 0n, gross: 10_500n });
});

test('what is counted by persons, nights and stays is counted so', () => {
  const on = { mode: 'exclusive' };
  const charged = (basis: string, more: object = {}) =>
    chargeNights(nightsOf([1_000n, 1_000n, 1_000n]), [fixed('X', basis, 10, { ...on, ...more })], stay).map(
      ({ price }) => price.tax,
    );
  expect(charged('per_night')).toEqual([10n, 10n, 10n]);
  expect(charged('per_person_night')).toEqual([20n, 20n, 20n]);
  expect(charged('per_person_night', { countsChildren: true })).toEqual([30n, 30n, 30n]);
  expect(charged('per_person_stay')).toEqual([20n, 0n, 0n]);
  expect(charged('per_stay')).toEqual([10n, 0n, 0n]);
});

test('a rate that changes during the stay is taken night by night', () => {
  const old = percent('VAT', 1_000, { validUntil: '2026-03-20' });
  const next = { ...percent('VAT2', 2_000, { validFrom: '2026-03-21' }) };
  const nights = chargeNights(nightsOf([11_000n, 12_000n]), [old, next], stay);
  expect(nights.map(({ price }) => price.tax)).toEqual([1_000n, 2_000n]);
});
