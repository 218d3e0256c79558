import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CashReconciled,
  events,
  failureReasons,
  IntentCaptured,
  IntentCreated,
  IntentFailed,
  IntentRefunded,
  refundReasons,
} from './contract.ts';
import { capturedInCash, cashPending, samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const paymentId = 'pay_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';
const afn = (minor: bigint | string) => ({ amount: String(minor), currency: 'AFN' });

describe('EVT-46..50: the events of payment-gateway-service', () => {
  contractConformance(events, samples);

  test('they are the five of the ledger, of the class cold', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.payment.intent.created.v1', 'cold'],
      ['melmastoon.payment.intent.captured.v1', 'cold'],
      ['melmastoon.payment.intent.failed.v1', 'cold'],
      ['melmastoon.payment.intent.refunded.v1', 'cold'],
      ['melmastoon.payment.cash.reconciled.v1', 'cold'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

describe('keys', () => {
  test('EVT-47, ENV-27, X-023: one capture per intent, whatever its version', () => {
    const keys = [1, 2].map(aggregateVersion => keyOf(IntentCaptured, {}, aggregateVersion));
    expect(keys).toEqual([`${paymentId}:capture`, `${paymentId}:capture`]);
  });

  test('EVT-46, EVT-48, EVT-50: each step of an intent happens once', () => {
    expect(keyOf(IntentCreated)).toBe(`${paymentId}:create`);
    expect(keyOf(IntentFailed)).toBe(`${paymentId}:fail`);
    expect(keyOf(CashReconciled)).toBe(`${paymentId}:reconcile`);
  });

  test('EVT-49: several refunds of one payment are several facts', () => {
    const other = { refundId: 'rfd_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2K' };
    expect(keyOf(IntentRefunded)).toBe('rfd_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2J:refund');
    expect(keyOf(IntentRefunded, other)).toBe('rfd_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2K:refund');
  });
});

describe('money', () => {
  test.each([
    ['nothing', afn('0'), 'is zero'],
    ['less than nothing', afn('-1'), 'is negative'],
    ['a fraction', afn('1.5'), 'amount'],
    ['a number', { amount: 540_000, currency: 'AFN' }, 'amount'],
    ['a currency that is none', { amount: '1', currency: 'AFX' }, 'is no currency'],
  ])('EVT-46, safety-14: an intent of %s is refused', (_what, amount, reason) => {
    expect(refusalOf(IntentCreated, { ...samples[IntentCreated.subject], amount })).toContain(reason);
  });

  test('EVT-47, X-116: cash on arrival has an amount due and no amount that somebody could book', () => {
    expect(refusalOf(IntentCaptured, cashPending)).toBeUndefined();
    expect(refusalOf(IntentCaptured, { ...cashPending, amount: afn('1') })).toContain('amount');
    const { due, ...rest } = cashPending;
    expect(refusalOf(IntentCaptured, { ...rest, amount: due })).toContain('due');
  });

  test('EVT-47: cash at the desk names who took it and on which business date (R1)', () => {
    expect(refusalOf(IntentCaptured, capturedInCash)).toBeUndefined();
    for (const field of ['takenBy', 'shiftId', 'businessDate']) {
      expect(refusalOf(IntentCaptured, { ...capturedInCash, [field]: undefined })).toContain(field);
    }
  });

  test('EVT-48: a promise to pay cash cannot be declined', () => {
    const payload = { ...samples[IntentFailed.subject], rail: 'cash_pending' };
    expect(refusalOf(IntentFailed, payload)).toContain('rail');
  });

  test('EVT-49, R22, safety-14: refunds never exceed what was captured', () => {
    const minor = fc.bigInt({ min: 1n, max: 1_000n });
    fc.assert(
      fc.property(minor, minor, minor, (amount, total, captured) => {
        const change = { amount: afn(amount), refundedTotal: afn(total), captured: afn(captured) };
        const refusal = refusalOf(IntentRefunded, { ...samples[IntentRefunded.subject], ...change });
        expect(refusal === undefined).toBe(amount <= total && total <= captured);
      }),
    );
  });

  test('EVT-49: a refund in another currency than the capture is refused', () => {
    const captured = { amount: '999999', currency: 'USD' };
    expect(refusalOf(IntentRefunded, { ...samples[IntentRefunded.subject], captured })).toContain(
      'refunds more',
    );
  });

  test('EVT-50, R25: what went into the drawer less what came out is what was received', () => {
    const movement = fc.record({
      direction: fc.constantFrom('in', 'out'),
      value: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    });
    fc.assert(
      fc.property(
        fc.array(movement, { minLength: 1, maxLength: 6 }),
        fc.bigInt(1n, 10n),
        (movements, off) => {
          const net = movements.reduce(
            (sum, { direction, value }) => sum + (direction === 'in' ? value : -value),
            0n,
          );
          fc.pre(net > off);
          const drawer = movements.map(({ direction, value }) => ({
            direction,
            cash: { amount: String(value * 3n), currency: 'PKR' },
            value: afn(value),
          }));
          const reconciled = (received: bigint) =>
            refusalOf(CashReconciled, {
              ...samples[CashReconciled.subject],
              drawer,
              received: afn(received),
            });
          expect(reconciled(net)).toBeUndefined();
          expect(reconciled(net - off)).toContain('the drawer');
        },
      ),
    );
  });

  test('EVT-50: notes of the currency that was due are worth what they say', () => {
    const drawer = [{ direction: 'in', cash: afn('540000'), value: afn('540001') }];
    const change = { drawer, received: afn('540001') };
    expect(refusalOf(CashReconciled, { ...samples[CashReconciled.subject], ...change })).toContain(
      'than itself',
    );
  });

  test('EVT-50: money in another currency than due is refused', () => {
    const received = { amount: '540000', currency: 'PKR' };
    const refusal = refusalOf(CashReconciled, { ...samples[CashReconciled.subject], received });
    expect(refusal).toContain('another currency');
  });
});

test.each(failureReasons)('EVT-48: a capture can fail as %s', reason => {
  expect(refusalOf(IntentFailed, { ...samples[IntentFailed.subject], reason })).toBeUndefined();
});

test.each(refundReasons)('EVT-49: money can go back for %s', reason => {
  expect(refusalOf(IntentRefunded, { ...samples[IntentRefunded.subject], reason })).toBeUndefined();
});

function keyOf(event: (typeof events)[number], change: object = {}, aggregateVersion = 1): string {
  return event.from({ ...samples[event.subject], ...change } as never, { aggregateVersion }).idempotencyKey;
}
