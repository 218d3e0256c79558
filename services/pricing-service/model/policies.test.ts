import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CancellationTerms, Fee } from '../contract/resources.ts';
import { deadlines, dueByRail, feeAt, feeOf, freeUntil, keptUntil } from './policies.ts';

const night = (date: string, gross: bigint) => ({
  date: parseLocalDate(date),
  price: { net: gross, tax: 0n, gross },
});
const rooms = [
  { nights: [night('2026-03-20', 1_000n), night('2026-03-21', 1_500n)] },
  { nights: [night('2026-03-20', 2_000n), night('2026-03-21', 2_000n)] },
];
const amount = (minor: number): Fee => ({
  kind: 'amount',
  amount: { amount: String(minor), currency: 'AFN' },
});
const none: Fee = { kind: 'none' };

test('a fee is a share, the first nights of every room, or a sum, and never more than the price', () => {
  expect(feeOf(none, rooms)).toBe(0n);
  expect(feeOf({ kind: 'percent', basisPoints: 5_000 }, rooms)).toBe(3_250n);
  expect(feeOf({ kind: 'nights', nights: 1 }, rooms)).toBe(3_000n);
  expect(feeOf({ kind: 'nights', nights: 99 }, rooms)).toBe(6_500n);
  expect(feeOf(amount(500), rooms)).toBe(500n);
  expect(feeOf(amount(9_999), rooms)).toBe(6_500n);
});

const checkIn = { zone: parseZone('Asia/Kabul'), date: parseLocalDate('2026-03-20'), from: '14:00' };
const terms: CancellationTerms = {
  steps: [
    { hoursBefore: 48, fee: none },
    { hoursBefore: 0, fee: { kind: 'nights', nights: 1 } },
  ],
  lateFee: { kind: 'percent', basisPoints: 10_000 },
  changeFee: none,
  earlyDepartureFee: none,
};

test('R6: deadlines count from the check-in hour on the clock of the house', () => {
  const steps = deadlines(terms, rooms, checkIn);
  expect(steps.map(({ until }) => until?.toISOString())).toEqual([
    '2026-03-18T09:30:00.000Z', // 14:00 in Kabul
    '2026-03-20T09:30:00.000Z',
    undefined,
  ]);
  expect(freeUntil(steps)?.toISOString()).toBe('2026-03-18T09:30:00.000Z');
});

test('at the deadline itself the better fee still holds', () => {
  const steps = deadlines(terms, rooms, checkIn);
  const at = (text: string) => feeAt(steps, new Date(text));
  expect(at('2026-03-01T00:00:00Z')).toBe(0n);
  expect(at('2026-03-18T09:30:00Z')).toBe(0n);
  expect(at('2026-03-18T09:30:00.001Z')).toBe(3_000n);
  expect(at('2026-03-20T09:30:00Z')).toBe(3_000n);
  expect(at('2026-03-20T09:30:00.001Z')).toBe(6_500n);
});

test('R17: the room of a guest who did not come is kept until an hour of the next day, or not at all', () => {
  expect(keptUntil({ fee: none, keptUntil: '06:00' }, checkIn)?.toISOString()).toBe(
    '2026-03-21T01:30:00.000Z',
  );
  expect(keptUntil({ fee: none, keptUntil: null }, checkIn)).toBeNull();
});

test('X-116: cash on arrival is due later; on other rails the deposit is due now, or all of it', () => {
  const due = (guarantee: 'prepaid' | 'deposit' | 'cash_on_arrival', deposit: bigint | null) =>
    Object.fromEntries(dueByRail(guarantee, 1_000n, deposit).map(({ rail, dueNow }) => [rail, dueNow]));
  expect(due('prepaid', 300n)).toEqual({ card: 1_000n, paypal: 1_000n, mobile_money: 1_000n, cash: 1_000n });
  expect(due('deposit', 300n)).toEqual({ card: 300n, paypal: 300n, mobile_money: 300n, cash: 300n });
  expect(due('cash_on_arrival', null)).toMatchObject({ cash_pending: 0n, card: 1_000n });
  expect(due('cash_on_arrival', 300n)).toMatchObject({ cash_pending: 0n, mobile_money: 300n });
});

test('what is due now and later is always the price', () => {
  const guarantee = fc.constantFrom('prepaid', 'deposit', 'cash_on_arrival');
  fc.assert(
    fc.property(
      guarantee,
      fc.bigInt(0n, 10n ** 12n),
      fc.integer({ min: 0, max: 100 }),
      (kind, gross, share) => {
        const dues = dueByRail(kind as 'prepaid', gross, (gross * BigInt(share)) / 100n);
        for (const { dueNow, dueLater } of dues) expect(dueNow + dueLater).toBe(gross);
      },
    ),
  );
});
