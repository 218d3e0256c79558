import { parseId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { nightDates } from '@ghasi/domain-primitives/stay';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChargeValues, Fee } from '../contract/resources.ts';
import { type ChargeRule, chargeNights } from './charges.ts';
import { deltaOf } from './delta.ts';
import { type QuotedRoom, totalOf } from './quote.ts';
import { type Day, unrestricted } from './restrictions.ts';
import { total } from './split.ts';

const first = parseLocalDate('2026-03-20');
const day = (n: number) => addDays(first, n);
const none: Fee = { kind: 'none' };
const terms = { steps: [], lateFee: none, changeFee: none, earlyDepartureFee: none };
const ids = {
  roomTypeId: parseId('rty', 'rty_01J8ZQ4T3Y5V6W7X8Y9Z0A1B33'),
  ratePlanId: parseId('rpl', 'rpl_01J8ZQ4T3Y5V6W7X8Y9Z0A1B34'),
};
const bookedRoomId = parseId('brm', 'brm_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2T');
const guests = { adults: 2, children: 0 };
const rule = (code: string, values: object): ChargeRule => ({
  code,
  version: 1,
  values: {
    ...{ kind: 'tax', name: [{ locale: 'en', text: code }], countsChildren: false },
    ...{ validFrom: '2020-01-01', validUntil: null },
    ...values,
  } as ChargeValues,
});
const vat = rule('VAT', { mode: 'inclusive', basis: 'percent', basisPoints: 1_000 });
const once = rule('ONCE', {
  mode: 'exclusive',
  basis: 'per_stay',
  amount: { amount: '500', currency: 'AFN' },
});

function quotedRoom(from: number, until: number, price: bigint): QuotedRoom {
  const stay = { arrival: day(from), departure: day(until) };
  const listed = nightDates(stay).map(date => ({ date, price }));
  const charged = chargeNights(listed, [vat, once], { guests, perStay: true });
  return {
    ...{ ...ids, ...guests, stay, planVersion: 1, board: 'room_only', bookedRoomId, remainderOn: day(from) },
    nights: listed.map(({ date }, n) => ({
      ...{ date, base: price, adjustments: [] },
      ...(charged[n] as (typeof charged)[number]),
    })),
  };
}

function change(before: QuotedRoom, [from, until]: [number, number], prices: (n: number) => bigint | null) {
  const newStay = { arrival: day(from), departure: day(until) };
  const days = new Map<ReturnType<typeof day>, Day>(
    nightDates(newStay).map((date, n) => [date, { date, price: prices(n), restrictions: unrestricted }]),
  );
  return deltaOf({
    previous: [before],
    rooms: [
      {
        ...{ ...ids, ...guests, bookedRoomId, newStay, days, baseDays: null },
        plan: { version: 2, board: 'room_only', extraGuests: null },
      },
    ],
    ...{ previousStay: before.stay, newStay, rules: [vat, once], terms, today: day(-30) },
  });
}

test('what is paid once for a stay goes on with it when its night is given back', () => {
  const delta = change(quotedRoom(0, 3, 11_000n), [1, 3], () => 99n);
  expect(delta.nights.map(night => night.change)).toEqual(['removed', 'repriced', 'kept']);
  expect(delta.newTotal.gross).toBe(22_500n);
  expect(delta.delta).toBe(-11_000n);
  const earlier = change(quotedRoom(0, 3, 11_000n), [-1, 3], () => 11_000n);
  expect(earlier.delta).toBe(11_000n);
});

const start = fc.integer({ min: -10, max: 10 });
const length = fc.integer({ min: 1, max: 12 });
const price = fc.bigInt(0n, 10n ** 8n);

test('R20, X-126: previous total and delta make the new total and the fee, and nights make totals', () => {
  fc.assert(
    fc.property(length, start, length, price, fc.option(price), (was, from, long, before, after) => {
      const room = quotedRoom(0, was, before);
      const { nights, rooms, previousTotal, newTotal, fee, delta } = change(
        room,
        [from, from + long],
        () => after,
      );
      expect(previousTotal.gross + delta).toBe(newTotal.gross + fee);
      expect(totalOf(rooms)).toEqual(newTotal);
      const slept = nights.filter(night => night.change !== 'removed');
      for (const part of ['net', 'tax', 'gross'] as const) {
        expect(total(slept.map(night => night.price[part]))).toBe(newTotal[part]);
        for (const night of nights) expect(night.price[part]).toBeGreaterThanOrEqual(0n);
      }
      const frozen = new Map(room.nights.map(night => [night.date, night.price]));
      for (const night of nights)
        if (night.change === 'kept' || night.change === 'removed')
          expect(night.price).toEqual(frozen.get(night.date));
      expect(slept).toHaveLength(long);
    }),
  );
});
