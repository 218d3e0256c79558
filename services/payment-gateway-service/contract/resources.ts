import { code, rail } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, money, price } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { failureReasons, paymentPurposes, paymentStatuses, refundReasons } from '../contract.ts';

const positive = price.refine(({ amount }) => amount !== '0', 'is zero');

/** A refund as the desk sees it. */
export const refundView = z.strictObject({
  refundId: idText('rfd'),
  paymentId: idText('pay'),
  amount: price,
  reason: z.enum(refundReasons),
  status: z.enum(['requested', 'unknown', 'at_desk', 'completed', 'failed']),
  providerCode: z.string().nullable(),
  createdAt: instant,
});

/** One movement of money. `value`: what foreign notes were worth at that moment. */
export const lineView = z.strictObject({
  kind: z.enum(['capture', 'refund', 'float', 'cash_in', 'cash_out', 'variance']),
  from: z.string(),
  to: z.string(),
  amount: price,
  value: price.nullable(),
  refundId: idText('rfd').nullable(),
  shiftId: idText('shf').nullable(),
  reason: z.string().nullable(),
  businessDate: localDate.nullable(),
  occurredAt: instant,
});

/** A payment as the desk sees it. */
export const paymentView = z.strictObject({
  paymentId: idText('pay'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  folioId: idText('fol').nullable(),
  purpose: z.enum(paymentPurposes),
  rail,
  provider: z.string().nullable(),
  status: z.enum(paymentStatuses),
  amount: price,
  captured: price,
  refunded: price,
  redirectUrl: z.string().nullable(),
  failureReason: z.enum(failureReasons).nullable(),
  providerCode: z.string().nullable(),
  expiresAt: instant.nullable(),
  createdAt: instant,
  version: z.int(),
});

/** A payment with everything that happened to it. */
export const paymentHistory = z.strictObject({
  payment: paymentView,
  refunds: z.array(refundView),
  lines: z.array(lineView),
});

/** Somebody at the desk asks for money. */
export const newPayment = z.strictObject({
  reservationId: idText('rsv'),
  purpose: z.enum(paymentPurposes),
  rail,
  amount: positive,
});

/** Notes into or out of the drawer, and what they were worth in the currency that is due. */
export const drawerMovement = z.strictObject({
  direction: z.enum(['in', 'out']),
  cash: positive,
  value: positive,
});

/** Notes over the desk. */
export const cashHandling = z.strictObject({
  shiftId: idText('shf'),
  drawer: z.array(drawerMovement).min(1).max(20),
});

export const newRefund = z.strictObject({ amount: positive, reason: z.enum(refundReasons) });

const perCurrency = z
  .array(price)
  .max(10)
  .refine(list => new Set(list.map(one => one.currency)).size === list.length, 'has a currency twice');

export const newDrawer = z.strictObject({ shiftId: idText('shf'), float: perCurrency });
export const blindCount = z.strictObject({ counts: perCurrency.min(1) });
export const drawerClosing = z.strictObject({
  reasons: z
    .array(z.strictObject({ currency: z.string().regex(/^[A-Z]{3}$/), reason: z.string().min(3).max(300) }))
    .max(10)
    .default([]),
});

/** A drawer; `counts` is empty until somebody has counted blind (R25). */
export const drawerView = z.strictObject({
  shiftId: idText('shf'),
  propertyId: idText('pro'),
  businessDate: localDate,
  status: z.enum(['open', 'counted', 'closed']),
  openedAt: instant,
  closedAt: instant.nullable(),
  counts: z.array(
    z.strictObject({
      counted: price,
      expected: money,
      variance: money,
      reason: z.string().nullable(),
    }),
  ),
});

/** Which provider calls, and for whom. */
export const webhookParams = z.strictObject({ provider: code, account: z.uuid() });

/**
 * A webhook's body is the provider's: any JSON object, read by its adapter after the signature was checked. Every value
 * has a type, so nothing is stored or answered from here.
 */
export const anyObject = z.record(z.string().max(200), z.json());
