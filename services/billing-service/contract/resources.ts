import { currency, locale, sha256, version } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, line, localDate, money, price } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { chargeSource, closingOccasions, fees, services, voidReasons } from '../contract.ts';

/** At most 11 digits of minor units, so that no folio can outgrow our money. */
const positive = price.refine(({ amount }) => amount !== '0' && amount.length <= 11, 'is zero or too large');
const split = z.int().min(1).max(9);

/** A line of a folio. */
export const lineView = z.strictObject({
  lineId: idText('fln'),
  position: z.int(),
  kind: z.string(),
  split: z.int(),
  source: chargeSource.nullable(),
  paymentId: idText('pay').nullable(),
  refundId: idText('rfd').nullable(),
  reversedLineId: idText('fln').nullable(),
  text: z.string().nullable(),
  /** Of a charge. */
  net: money,
  tax: money,
  /** What each split owes more after it; below zero less. */
  effects: z.array(z.strictObject({ split: z.int(), amount: money })),
  /** What the guest owes after it, over all splits. */
  balance: money,
  businessDate: localDate,
  occurredAt: instant,
  recordedBy: z.string(),
});

/** A folio with everything that happened to it. */
export const folioView = z.strictObject({
  folioId: idText('fol'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  guestId: idText('gst').nullable(),
  status: z.enum(['open', 'closed']),
  stage: z.string(),
  currency,
  balance: money,
  depositsHeld: price,
  /** What is left to pay of what was charged so far; below zero the house owes the guest. */
  due: money,
  charges: money,
  payments: money,
  refunds: price,
  splits: z.array(
    z.strictObject({
      split: z.int(),
      payer: z.enum(['guest', 'company']),
      name: z.string().nullable(),
      balance: money,
    }),
  ),
  routes: z.strictObject({
    rooms: z.int().optional(),
    fees: z.int().optional(),
    services: z.int().optional(),
    consumptions: z.int().optional(),
  }),
  deposits: z.array(
    z.strictObject({
      paymentId: idText('pay'),
      amount: price,
      state: z.enum(['held', 'applied', 'refunded', 'forfeited']),
    }),
  ),
  lines: z.array(lineView),
  /** What a guest who leaves was asked for, and whether payment took it on. */
  collections: z.array(
    z.strictObject({
      amount: price,
      rail: z.string(),
      outcome: z.enum(['asked', 'refused']),
      paymentId: idText('pay').nullable(),
      at: instant,
    }),
  ),
  occasion: z.enum(closingOccasions).nullable(),
  openedOn: localDate.nullable(),
  closedOn: localDate.nullable(),
  version,
});

/** Something the desk sells or charges. The price has its tax in it (R20). */
export const newCharge = z.strictObject({
  what: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('service'), service: z.enum(services) }),
    z.strictObject({
      kind: z.literal('fee'),
      fee: z.enum(fees).extract(['early_departure', 'late_check_out']),
      bookedRoomId: idText('brm'),
    }),
  ]),
  quantity: z.int().min(1).max(999),
  unitPrice: positive,
  /** The tax inside the price; null: none. */
  tax: z
    .strictObject({
      code: z.string().regex(/^[A-Z][A-Z0-9_]{0,19}$/),
      basisPoints: z.int().min(1).max(10_000),
    })
    .nullable()
    .default(null),
  /** Null: as routed. */
  split: split.nullable().default(null),
  text: line(120).nullable().default(null),
});

export const reversal = z.strictObject({ reason: line(200) });
export const newSplit = z.strictObject({ name: line(120) });
export const newRoutes = z
  .strictObject({ rooms: split, fees: split, services: split, consumptions: split })
  .partial()
  .refine(routes => Object.keys(routes).length > 0, 'routes nothing');
export const newTransfer = z.strictObject({ from: split, to: split, amount: positive });

/** Something that came too late for its folio. */
export const latePostingView = z.strictObject({
  id: z.uuid(),
  propertyId: idText('pro'),
  reservationId: idText('rsv'),
  folioId: idText('fol').nullable(),
  kind: z.string(),
  reason: z.string(),
  net: money,
  tax: money,
  text: z.string().nullable(),
  status: z.string(),
  note: z.string().nullable(),
  arrivedAt: instant,
});
export const resolution = z.strictObject({
  as: z.enum(['paid_otherwise', 'written_off']),
  note: line(200),
});

const recipient = z.strictObject({
  name: line(120),
  address: line(200).nullable().default(null),
});
const papers = {
  /** Null: the guest's language. */
  locale: locale.nullable().default(null),
  /** Null: the guest, by the name he booked with. */
  recipient: recipient.nullable().default(null),
};
export const newInvoice = z.strictObject({ split: split.default(1), ...papers });
export const voiding = z.strictObject({
  reason: z.enum(voidReasons),
  /** Another invoice of the same lines in its place; null: none. */
  reissue: z.strictObject(papers).nullable().default(null),
});
export const seriesName = z.strictObject({ prefix: z.string().regex(/^[A-Z][A-Z0-9]{0,9}$/) });

/** An invoice. */
export const invoiceView = z.strictObject({
  invoiceId: idText('inv'),
  invoiceNumber: z.string(),
  folioId: idText('fol'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  split: z.int(),
  issuedOn: localDate,
  net: money,
  tax: money,
  gross: money,
  taxes: z.array(z.strictObject({ taxCode: z.string(), basisPoints: z.int(), taxable: money, tax: money })),
  document: z.strictObject({ fileId: idText('fil'), locale, sha256 }),
  voided: z
    .strictObject({ reason: z.enum(voidReasons), replacedBy: idText('inv').nullable(), at: instant })
    .nullable(),
});
