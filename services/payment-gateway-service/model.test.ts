import { currencies } from '@ghasi/domain-primitives/currencies';
import { fromDecimal, money, toDecimal } from '@ghasi/domain-primitives/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCount, expectedCash, received } from './cash.ts';
import {
  assertNext,
  intentStatuses,
  isOpen,
  isPayable,
  nextCheck,
  nextStatuses,
  type Standing,
  settle,
  spreadRefund,
} from './model.ts';

const amount = money(540_000n, 'AFN');
const captured: Standing = { state: 'captured', reference: 'c1', amount };
const status = fc.constantFrom(...intentStatuses);
const standing: fc.Arbitrary<Standing> = fc.constantFrom<Standing>(
  captured,
  { state: 'pending' },
  { state: 'failed', reason: 'declined', providerCode: null },
  { state: 'cancelled' },
  { state: 'absent' },
);

describe('a provider’s word', () => {
  test('whatever it says, the step it leads to is in the table of transitions', () => {
    fc.assert(
      fc.property(status, standing, fc.boolean(), (from, said, unwanted) => {
        const { kind } = settle({ status: from, amount, unwanted }, said);
        if (kind === 'pending' && from !== 'pending' && from !== 'promised') assertNext(from, kind);
        if (kind === 'failed' && from !== 'promised') assertNext(from, kind);
        if (kind === 'captured') assertNext(from, kind);
      }),
    );
  });

  test('R24: money that came stays, whatever arrives afterwards', () => {
    fc.assert(
      fc.property(standing, fc.boolean(), (said, unwanted) => {
        expect(settle({ status: 'captured', amount, unwanted }, said)).toEqual({ kind: 'unchanged' });
      }),
    );
    expect(nextStatuses.captured).toEqual([]);
  });

  test('X-119: money is late exactly when the booking is over or the intent is closed', () => {
    fc.assert(
      fc.property(status, fc.boolean(), (from, unwanted) => {
        fc.pre(from !== 'captured');
        expect(settle({ status: from, amount, unwanted }, captured)).toMatchObject({
          kind: 'captured',
          late: unwanted || !isOpen(from),
        });
      }),
    );
  });

  test('R19: another amount or currency is a mismatch, never a capture', () => {
    for (const said of [money(5_400n, 'AFN'), money(540_000n, 'USD')]) {
      const facing = { status: 'pending', amount, unwanted: false } as const;
      expect(settle(facing, { ...captured, amount: said } as Standing)).toMatchObject({ kind: 'mismatch' });
    }
  });
});

test('SAGA-17: payable only with a hold, its allocation or a later one, and a booking that lives', () => {
  const version = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null });
  const ended = fc.option(fc.constantFrom('cancelled', 'no_show'), { nil: null });
  fc.assert(
    fc.property(version, version, ended, (heldVersion, allocatedVersion, over) => {
      const expected = over === null && heldVersion !== null && (allocatedVersion ?? 0) >= heldVersion;
      expect(isPayable({ heldVersion, allocatedVersion, ended: over })).toBe(expected);
    }),
  );
});

test('R22: a refund is spread over payments without giving any of them back more than it has', () => {
  const payment = fc
    .tuple(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n))
    .map(([a, b]) => ({ captured: a > b ? a : b, refunded: a > b ? b : a }));
  fc.assert(
    fc.property(fc.bigInt(0n, 5_000n), fc.array(payment, { maxLength: 6 }), (wanted, payments) => {
      const named = payments.map((one, index) => ({ id: String(index), ...one }));
      const { parts, short } = spreadRefund(wanted, named);
      expect(parts.reduce((sum, one) => sum + one.amount, short)).toBe(wanted);
      for (const { id, amount: part } of parts) {
        const of = named[Number(id)];
        expect(part > 0n && of !== undefined && of.refunded + part <= of.captured).toBe(true);
      }
    }),
  );
});

test('nothing waits longer than ten minutes for the next question', () => {
  const now = new Date('2026-12-01T10:00:00.000Z');
  for (let checks = 0; checks < 100; checks++) {
    const wait = nextCheck(checks, now).getTime() - now.getTime();
    expect(wait > 0 && wait <= 600_000).toBe(true);
  }
});

test('R19: one minor unit of every currency survives the way to a provider and back', () => {
  for (const code of Object.keys(currencies)) {
    const one = money(1n, code);
    expect(fromDecimal(toDecimal(one), code)).toEqual(one);
  }
  expect(toDecimal(money(540_000n, 'AFN'))).toBe('5400.00');
  expect(toDecimal(money(1_000n, 'IQD'))).toBe('1.000');
});

describe('R25: cash', () => {
  const movement = fc.record({
    direction: fc.constantFrom('in' as const, 'out' as const),
    notes: fc.bigInt(1n, 10_000n),
    isForeign: fc.boolean(),
  });

  test('what was received is in less out, and the drawer holds the notes of each currency', () => {
    fc.assert(
      fc.property(fc.array(movement, { minLength: 1, maxLength: 8 }), piles => {
        const movements = piles.map(({ direction, notes, isForeign }) => ({
          direction,
          cash: isForeign ? money(notes, 'USD') : money(notes * 100n, 'AFN'),
          value: money(notes * 100n, 'AFN'),
        }));
        const sign = (direction: string) => (direction === 'in' ? 1n : -1n);
        const net = piles.reduce((sum, { direction, notes }) => sum + sign(direction) * notes * 100n, 0n);
        if (net > 0n) expect(received('AFN', movements)).toBe(net);
        else expect(() => received('AFN', movements)).toThrow();
        const lines = movements.map(({ direction, cash }) => ({
          fromAccount: direction === 'in' ? 'till' : 'drawer:1',
          toAccount: direction === 'in' ? 'drawer:1' : 'till',
          amount: cash.minor,
          currency: cash.currency,
        }));
        for (const [currency, held] of expectedCash('drawer:1', lines)) {
          const own = movements.filter(({ cash }) => cash.currency === currency);
          expect(held).toBe(own.reduce((sum, { direction, cash }) => sum + sign(direction) * cash.minor, 0n));
        }
      }),
    );
  });

  test('a currency that moved must be counted; one that nobody expected may be', () => {
    const expected = new Map([['AFN', 100n] as const]);
    expect(() => compareCount(new Map([['USD', 1n]]), expected)).toThrow('AFN');
    expect(compareCount(new Map([['AFN', 90n] as const, ['USD', 1n] as const]), expected)).toEqual([
      { currency: 'AFN', counted: 90n, expected: 100n },
      { currency: 'USD', counted: 1n, expected: 0n },
    ]);
  });
});
