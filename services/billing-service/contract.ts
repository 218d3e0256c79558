import { defineEvent } from '@melmastoon/catalog/define-event';
import { currency, sha256, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate, money, price } from '@melmastoon/catalog/parts';
import { sameSum } from '@melmastoon/catalog/same-sum';
import { refundReasons } from '@melmastoon/payment-gateway-service/contract';
import { z } from 'zod';

/** Fees a house may charge by policy. */
export const fees = ['cancellation', 'no_show', 'early_departure', 'late_check_out'] as const;

/** What the desk sells beside rooms. */
export const services = [
  'restaurant',
  'laundry',
  'transfer',
  'telephone',
  'parking',
  'damage',
  'other',
] as const;

/** Why a folio is final. `late_settlement`: its balance was paid after the guest had left. */
export const closingOccasions = ['check_out', 'late_settlement', 'cancellation', 'no_show'] as const;

/** Why an invoice counts no more. */
export const voidReasons = ['wrong_amount', 'wrong_recipient', 'duplicate', 'booking_cancelled'] as const;

const folio = { folioId: idText('fol'), reservationId: idText('rsv'), propertyId: idText('pro') };

/** The one folio of a reservation is open. */
export const FolioOpened = defineEvent({
  subject: 'melmastoon.billing.folio.opened.v1',
  summary: 'a folio was opened',
  retention: 'cold',
  payload: z.strictObject({
    ...folio,
    guestId: idText('gst'),
    currency,
    /** At confirmation; check-in opens it only where that did not happen. */
    occasion: z.enum(['confirmation', 'check_in']),
    businessDate: localDate,
  }),
  aggregateId: p => p.folioId,
  idempotencyKey: p => `${p.reservationId}:folio`,
});

/** What a charge comes from; it also decides that the same thing is charged once. */
export const chargeSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('room_night'), bookedRoomId: idText('brm'), date: localDate }),
  z.strictObject({ kind: z.literal('date_change'), deltaId: idText('pdl') }),
  z.strictObject({ kind: z.literal('consumption'), consumptionId: idText('cns') }),
  z.strictObject({ kind: z.literal('fee'), fee: z.enum(fees), bookedRoomId: idText('brm') }),
  z.strictObject({ kind: z.literal('service'), service: z.enum(services) }),
  /** Takes back one line, in full: lines are never edited (R22). */
  z.strictObject({ kind: z.literal('reversal'), reversedLineId: idText('fln') }),
]);

/** Net and tax make gross (R20). Negative in a reversal only. */
const chargeAmount = z
  .strictObject({ net: money, tax: money, gross: money })
  .refine(({ net, tax, gross }) => sameSum([net, tax], [gross]), 'net and tax do not make gross');

/** One more line the guest owes, or a line taken back. */
export const FolioChargePosted = defineEvent({
  subject: 'melmastoon.billing.folio.charge_posted.v1',
  summary: 'a charge landed on a folio',
  retention: 'cold',
  payload: z
    .strictObject({
      ...folio,
      lineId: idText('fln'),
      source: chargeSource,
      amount: chargeAmount,
      /** What the guest owes after this line; negative: the house owes him. */
      balance: money,
      /** The day it counts for; it may lag the calendar (R1). */
      businessDate: localDate,
    })
    .refine(hasRightSign, 'only a reversal is negative')
    .refine(p => p.balance.currency === p.amount.gross.currency, 'the balance is in another currency'),
  aggregateId: p => p.folioId,
  idempotencyKey: p => `${p.folioId}:charge:${chargedThing(p)}`,
});

/** Money of one payment went back to the guest, and the folio says so. */
export const FolioRefundPosted = defineEvent({
  subject: 'melmastoon.billing.folio.refund_posted.v1',
  summary: 'a refund landed on a folio',
  retention: 'cold',
  payload: z
    .strictObject({
      ...folio,
      lineId: idText('fln'),
      refundId: idText('rfd'),
      /** The payment it gives back (R22). */
      paymentId: idText('pay'),
      amount: price.refine(({ amount }) => amount !== '0', 'is zero'),
      reason: z.enum(refundReasons),
      balance: money,
      businessDate: localDate,
    })
    .refine(p => p.balance.currency === p.amount.currency, 'the balance is in another currency'),
  aggregateId: p => p.folioId,
  idempotencyKey: p => `${p.refundId}:posted`,
});

/** A folio is final. It closes at zero only: what was charged is what was paid and not given back. */
export const FolioClosed = defineEvent({
  subject: 'melmastoon.billing.folio.closed.v1',
  summary: 'a folio was closed',
  retention: 'cold',
  payload: z
    .strictObject({
      ...folio,
      occasion: z.enum(closingOccasions),
      charges: price,
      payments: price,
      refunds: price,
      businessDate: localDate,
    })
    .refine(p => sameSum([p.charges, p.refunds], [p.payments]), 'has a balance'),
  aggregateId: p => p.folioId,
  idempotencyKey: p => `${p.folioId}:closed`,
});

const invoice = {
  invoiceId: idText('inv'),
  /** As printed, without gaps per property: `BH-2026-000417`. */
  invoiceNumber: z.string().regex(/^[A-Z0-9][A-Z0-9/-]{0,39}$/),
  ...folio,
};

/** One tax on an invoice. */
const invoiceTax = z.strictObject({
  taxCode: z.string().regex(/^[A-Z][A-Z0-9_]{0,19}$/),
  basisPoints: z.int().min(0).max(10_000),
  taxable: price,
  tax: price,
});

/** An invoice document exists; its file and the hash of its bytes prove which one. */
export const InvoiceIssued = defineEvent({
  subject: 'melmastoon.billing.invoice.issued.v1',
  summary: 'an invoice document was issued',
  retention: 'cold',
  payload: z
    .strictObject({
      ...invoice,
      guestId: idText('gst'),
      issuedOn: localDate,
      total: taxedPrice,
      taxes: z.array(invoiceTax).max(20),
      document: z.strictObject({ fileId: idText('fil'), sha256 }),
    })
    .refine(
      p =>
        sameSum(
          p.taxes.map(({ tax }) => tax),
          [p.total.tax],
        ),
      'the taxes do not make the total',
    ),
  aggregateId: p => p.invoiceId,
  idempotencyKey: p => `${p.invoiceId}:issued`,
});

/** An invoice counts no more; its number is never used again. */
export const InvoiceVoided = defineEvent({
  subject: 'melmastoon.billing.invoice.voided.v1',
  summary: 'an invoice was voided',
  retention: 'cold',
  payload: z
    .strictObject({
      ...invoice,
      gross: price,
      reason: z.enum(voidReasons),
      /** The invoice that took its place, if there is one. */
      replacedBy: idText('inv').nullable(),
      voidedBy: idText('usr'),
    })
    .refine(p => p.replacedBy !== p.invoiceId, 'replaces itself'),
  aggregateId: p => p.invoiceId,
  idempotencyKey: p => `${p.invoiceId}:voided`,
});

/** All events of billing-service. */
export const events = [
  FolioOpened,
  FolioChargePosted,
  FolioRefundPosted,
  FolioClosed,
  InvoiceIssued,
  InvoiceVoided,
];

/** What a charge comes from. */
export type ChargeSource = z.output<typeof chargeSource>;

type Charge = { source: ChargeSource; amount: z.output<typeof chargeAmount> };

function hasRightSign({ source, amount }: Charge): boolean {
  const isReversal = source.kind === 'reversal';
  return [amount.net, amount.tax, amount.gross].every(
    part => part.amount === '0' || part.amount.startsWith('-') === isReversal,
  );
}

/** What is charged, as text: the same thing never lands on a folio twice (GEN-22). */
function chargedThing({ source, lineId }: { source: Charge['source']; lineId: string }): string {
  switch (source.kind) {
    case 'room_night':
      return `${source.bookedRoomId}:${source.date}`;
    case 'date_change':
      return source.deltaId;
    case 'consumption':
      return source.consumptionId;
    case 'fee':
      return `${source.fee}:${source.bookedRoomId}`;
    case 'service':
      return lineId; // two dinners are two charges
    case 'reversal':
      return `reversal:${source.reversedLineId}`;
  }
}
