import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  events,
  FolioChargePosted,
  FolioClosed,
  FolioOpened,
  FolioRefundPosted,
  InvoiceIssued,
  InvoiceVoided,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const folioId = 'fol_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';
const lineId = 'fln_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2H';
const afn = (minor: bigint | number | string) => ({ amount: String(minor), currency: 'AFN' });
const minor = fc.bigInt({ min: 0n, max: 10n ** 12n });

describe('EVT-40..45: the events of billing-service', () => {
  contractConformance(events, samples);

  test('they are the six of the ledger, of the class cold', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.billing.folio.opened.v1', 'cold'],
      ['melmastoon.billing.folio.charge_posted.v1', 'cold'],
      ['melmastoon.billing.folio.refund_posted.v1', 'cold'],
      ['melmastoon.billing.folio.closed.v1', 'cold'],
      ['melmastoon.billing.invoice.issued.v1', 'cold'],
      ['melmastoon.billing.invoice.voided.v1', 'cold'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-07: eight at a time on up to twenty instances, in order per folio', () => {
  expect(service.delivery).toEqual({ mode: 'push', instances: 20, concurrency: 8, order: 'required' });
});

test('EVT-40, X-112: a reservation has one folio, whenever and by whomever it is opened', () => {
  const key = 'rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D:folio';
  expect(keyOf(FolioOpened, { occasion: 'confirmation' }, 1)).toBe(key);
  const second = { occasion: 'check_in', folioId: 'fol_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2S' };
  expect(keyOf(FolioOpened, second, 2)).toBe(key);
});

describe('charges', () => {
  const reversal = { kind: 'reversal', reversedLineId: lineId };
  const brm = 'brm_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2T';

  test.each([
    [
      { kind: 'consumption', consumptionId: 'cns_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2J' },
      'cns_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2J',
    ],
    [{ kind: 'room_night', bookedRoomId: brm, date: '2026-03-21' }, `${brm}:2026-03-21`],
    [{ kind: 'date_change', deltaId: 'pdl_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2V' }, 'pdl_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2V'],
    [{ kind: 'fee', fee: 'no_show', bookedRoomId: brm }, `no_show:${brm}`],
  ])('EVT-41, GEN-22: $0.kind is charged once, under whichever line', (source, thing) => {
    const first = keyOf(FolioChargePosted, { source }, 4);
    expect(first).toBe(`${folioId}:charge:${thing}`);
    expect(keyOf(FolioChargePosted, { source, lineId: 'fln_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2W' }, 9)).toBe(first);
  });

  test('EVT-41, R22: a line is taken back once', () => {
    const amount = { net: afn(-10000), tax: afn(-1000), gross: afn(-11000) };
    expect(keyOf(FolioChargePosted, { source: reversal, amount })).toBe(
      `${folioId}:charge:reversal:${lineId}`,
    );
  });

  test('EVT-41: two dinners are two charges', () => {
    const source = { kind: 'service', service: 'restaurant' };
    const keys = [lineId, 'fln_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2W'].map(line =>
      keyOf(FolioChargePosted, { source, lineId: line }),
    );
    expect(new Set(keys).size).toBe(2);
  });

  test('EVT-41, R20: net and tax make gross; only a reversal is negative, and a reversal always', () => {
    fc.assert(
      fc.property(minor, minor, fc.boolean(), (net, tax, isReversal) => {
        fc.pre(net + tax > 0n);
        const sign = isReversal ? -1n : 1n;
        const amount = { net: afn(sign * net), tax: afn(sign * tax), gross: afn(sign * (net + tax)) };
        const right = isReversal ? { source: reversal, amount } : { amount };
        const wrong = isReversal ? { amount } : { source: reversal, amount };
        const short = { ...right, amount: { ...amount, gross: afn(sign * (net + tax + 1n)) } };
        expect(refusalOf(FolioChargePosted, sampleOf(FolioChargePosted, right))).toBeUndefined();
        expect(refusalOf(FolioChargePosted, sampleOf(FolioChargePosted, wrong))).toContain('only a reversal');
        expect(refusalOf(FolioChargePosted, sampleOf(FolioChargePosted, short))).toContain(
          'do not make gross',
        );
      }),
    );
  });

  test('EVT-41: a balance in another currency than the charge is refused', () => {
    const balance = { amount: '11000', currency: 'USD' };
    expect(refusalOf(FolioChargePosted, sampleOf(FolioChargePosted, { balance }))).toContain(
      'another currency',
    );
  });
});

test.each([
  ['negative', afn(-1), 'is negative'],
  ['zero', afn(0), 'is zero'],
  ['of no currency', { amount: '1', currency: 'XYZ' }, 'is no currency'],
])('EVT-42: a refund that is %s is refused', (_what, amount, reason) => {
  expect(refusalOf(FolioRefundPosted, sampleOf(FolioRefundPosted, { amount }))).toContain(reason);
});

test('EVT-42: a refund is posted once, on whichever line', () => {
  const other = { lineId: 'fln_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2W' };
  expect(keyOf(FolioRefundPosted, other, 7)).toBe('rfd_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2M:posted');
});

test('EVT-43, X-113: a folio closes at zero only', () => {
  fc.assert(
    fc.property(minor, minor, fc.bigInt(-3n, 3n), (charges, refunds, owed) => {
      const payments = charges + refunds - owed;
      fc.pre(payments >= 0n);
      const totals = { charges: afn(charges), refunds: afn(refunds), payments: afn(payments) };
      const refusal = refusalOf(FolioClosed, sampleOf(FolioClosed, totals));
      expect(refusal).toEqual(owed === 0n ? undefined : expect.stringContaining('has a balance'));
    }),
  );
});

test('EVT-44: the taxes of an invoice make its tax, of whichever kinds they are', () => {
  fc.assert(
    fc.property(fc.array(minor, { maxLength: 5 }), fc.bigInt(0n, 2n), (parts, off) => {
      const tax = parts.reduce((sum, part) => sum + part, 0n) + off;
      const total = { net: afn(500), tax: afn(tax), gross: afn(500n + tax) };
      const line = { taxCode: 'BRT', basisPoints: 1000, taxable: afn(500) };
      const taxes = parts.map(part => ({ ...line, tax: afn(part) }));
      const refusal = refusalOf(InvoiceIssued, sampleOf(InvoiceIssued, { total, taxes }));
      expect(refusal).toEqual(off === 0n ? undefined : expect.stringContaining('do not make the total'));
    }),
  );
});

test('EVT-45: an invoice says why it was voided and never replaces itself', () => {
  const itself = { replacedBy: 'inv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F' };
  expect(refusalOf(InvoiceVoided, sampleOf(InvoiceVoided, itself))).toContain('replaces itself');
  expect(refusalOf(InvoiceVoided, sampleOf(InvoiceVoided, { reason: '' }))).toContain('reason');
  expect(refusalOf(InvoiceVoided, sampleOf(InvoiceVoided, { replacedBy: null }))).toBeUndefined();
});

function sampleOf({ subject }: { subject: string }, change: object) {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], change: object, aggregateVersion = 1): string {
  return event.from(sampleOf(event, change) as never, { aggregateVersion }).idempotencyKey;
}
