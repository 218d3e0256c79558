import { defineQuestion } from '@ghasi/backbone/question';
import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, rail } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price, tenantIdText } from '@melmastoon/catalog/parts';
import { sameSum } from '@melmastoon/catalog/same-sum';
import { z } from 'zod';

/** Rails that go through a provider; the others are `cash` and, a promise and no money, `cash_pending`. */
export const providerRails = ['card', 'paypal', 'mobile_money'] as const;

/** What a payment is for. One intent per purpose and capture: a remainder or a delta gets its own (X-023, R24). */
export const paymentPurposes = ['booking', 'deposit', 'date_change', 'check_out', 'incidental'] as const;

/** Why a capture failed. */
export const failureReasons = [
  'declined',
  'insufficient_funds',
  'authentication_failed',
  'gateway_error',
  'expired',
  'abandoned',
] as const;

/** Why money goes back. `late_capture`: it arrived after the booking was gone. */
export const refundReasons = [
  'cancellation',
  'date_change',
  'late_capture',
  'overpayment',
  'service_recovery',
] as const;

const positive = price.refine(({ amount }) => amount !== '0', 'is zero');

/** What the provider calls it; never card data. */
const providerReference = z.string().regex(/^[\w.:-]{1,100}$/);

const intent = {
  paymentId: idText('pay'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  /** Null until the folio is open, at confirmation. */
  folioId: idText('fol').nullable(),
  purpose: z.enum(paymentPurposes),
};

/** Somebody is about to pay. */
export const IntentCreated = defineEvent({
  subject: 'melmastoon.payment.intent.created.v1',
  summary: 'a payment intent was created',
  retention: 'cold',
  payload: z.strictObject({
    ...intent,
    rail,
    amount: positive,
    /** Null: it waits for as long as its booking does. */
    expiresAt: instant.nullable(),
  }),
  aggregateId: p => p.paymentId,
  idempotencyKey: p => `${p.paymentId}:create`,
});

/**
 * The intent is settled. Only where there is an `amount` did money move: with `cash_pending` there is `due` instead, so
 * that nobody can book it by mistake; that money comes with CashReconciled.
 */
export const IntentCaptured = defineEvent({
  subject: 'melmastoon.payment.intent.captured.v1',
  summary: 'a payment was captured, or promised as cash on arrival',
  retention: 'cold',
  payload: z.discriminatedUnion('rail', [
    z.strictObject({
      ...intent,
      rail: z.enum(providerRails),
      amount: positive,
      provider: code,
      providerReference,
    }),
    z.strictObject({
      ...intent,
      rail: z.literal('cash'),
      amount: positive,
      takenBy: idText('usr'),
      /** Null: taken by somebody without an open shift. */
      shiftId: idText('shf').nullable(),
      businessDate: localDate,
    }),
    z.strictObject({
      ...intent,
      rail: z.literal('cash_pending'),
      due: positive,
      /** Until when the house keeps the room for it; null: no limit. */
      holdUntil: instant.nullable(),
    }),
  ]),
  aggregateId: p => p.paymentId,
  idempotencyKey: p => `${p.paymentId}:capture`,
});

/** The capture failed for good: another try is another intent. */
export const IntentFailed = defineEvent({
  subject: 'melmastoon.payment.intent.failed.v1',
  summary: 'a capture failed',
  retention: 'cold',
  payload: z.strictObject({
    ...intent,
    rail: z.enum(providerRails),
    amount: positive,
    reason: z.enum(failureReasons),
    provider: code,
    /** The provider's own code, for the runbook; null when it gave none. */
    providerCode: z
      .string()
      .regex(/^[\w.:-]{1,60}$/)
      .nullable(),
  }),
  aggregateId: p => p.paymentId,
  idempotencyKey: p => `${p.paymentId}:fail`,
});

/** Money of one captured payment is back with the guest; several refunds never exceed it (R22). */
export const IntentRefunded = defineEvent({
  subject: 'melmastoon.payment.intent.refunded.v1',
  summary: 'a refund completed end to end',
  retention: 'cold',
  payload: z
    .strictObject({
      ...intent,
      refundId: idText('rfd'),
      rail: z.enum([...providerRails, 'cash']),
      amount: positive,
      /** Of all refunds of this payment, this one included. */
      refundedTotal: positive,
      captured: positive,
      reason: z.enum(refundReasons),
      /** Null for cash. */
      providerReference: providerReference.nullable(),
    })
    .refine(p => isRising([p.amount, p.refundedTotal, p.captured]), 'refunds more than was captured'),
  aggregateId: p => p.paymentId,
  idempotencyKey: p => `${p.refundId}:refund`,
});

/** Notes into or out of the drawer, and what they were worth in the currency that was due at that moment. */
const drawerMovement = z
  .strictObject({ direction: z.enum(['in', 'out']), cash: positive, value: positive })
  .refine(
    ({ cash, value }) => cash.currency !== value.currency || cash.amount === value.amount,
    'is worth more or less than itself',
  );

/** The promise of `cash_pending` became money: from here on it is paid. */
export const CashReconciled = defineEvent({
  subject: 'melmastoon.payment.cash.reconciled.v1',
  summary: 'cash on arrival was reconciled at the front desk',
  retention: 'cold',
  payload: z
    .strictObject({
      ...intent,
      folioId: idText('fol'),
      due: positive,
      /** What counts as paid: less than `due` leaves a balance, more is the guest's. */
      received: positive,
      drawer: z.array(drawerMovement).min(1),
      takenBy: idText('usr'),
      shiftId: idText('shf').nullable(),
      businessDate: localDate,
    })
    .refine(p => p.due.currency === p.received.currency, 'is received in another currency than due')
    .refine(p => isBalanced(p.received, p.drawer), 'the drawer does not hold what was received'),
  aggregateId: p => p.paymentId,
  idempotencyKey: p => `${p.paymentId}:reconcile`,
});

/** Life of a payment. `unknown`: the provider did not answer and is asked again; nothing is assumed. */
export const paymentStatuses = [
  'created',
  'pending',
  'unknown',
  'promised',
  'captured',
  'failed',
  'cancelled',
] as const;

/** Where a payment is, as much as a guest's page or another service needs to know. */
export const checkoutFacts = z.strictObject({
  paymentId: idText('pay'),
  purpose: z.enum(paymentPurposes),
  rail,
  status: z.enum(paymentStatuses),
  amount: price,
  /** The provider's own page; null until the provider has made it, and for cash. */
  redirectUrl: z.string().nullable(),
  expiresAt: instant.nullable(),
});
export type CheckoutFacts = z.output<typeof checkoutFacts>;

/** The newest payment of a reservation and purpose; null when nothing was asked for. For the page that sends guests on. */
export const checkoutOf = defineQuestion({
  name: 'payment_gateway.checkout-of',
  input: z.strictObject({
    tenantId: tenantIdText,
    reservationId: idText('rsv'),
    purpose: z.enum(paymentPurposes),
  }),
  output: checkoutFacts.nullable(),
});

/** A browser came back from the provider's page: asks the provider, never believes the address bar (R24). */
export const settleReturn = defineQuestion({
  name: 'payment_gateway.settle-return',
  input: z.strictObject({ tenantId: tenantIdText, paymentId: idText('pay') }),
  output: checkoutFacts.nullable(),
});

/**
 * Asks for money outside the booking saga, e.g. the remainder at check-out. The same `key` asks once; another
 * amount for the same purpose replaces what is open. Null: no such booking, it has ended, or nobody takes this rail.
 */
export const collect = defineQuestion({
  name: 'payment_gateway.collect',
  input: z.strictObject({
    tenantId: tenantIdText,
    reservationId: idText('rsv'),
    purpose: z.enum(paymentPurposes),
    rail,
    amount: positive,
    key: z.string().regex(/^[\w.:-]{1,120}$/),
  }),
  output: checkoutFacts.nullable(),
});

/** Ways to pay that somebody takes here: those of the installation's providers, and cash. */
export const railsOffered = defineQuestion({
  name: 'payment_gateway.rails-offered',
  input: z.strictObject({ tenantId: tenantIdText }),
  output: z.strictObject({ rails: z.array(rail) }),
});

/** All events of payment-gateway-service. */
export const events = [IntentCreated, IntentCaptured, IntentFailed, IntentRefunded, CashReconciled];

type Price = z.output<typeof price>;

/** Of one currency, none greater than the next. */
function isRising(amounts: readonly Price[]): boolean {
  return amounts.slice(1).every((next, index) => {
    const before = amounts[index] as Price;
    return before.currency === next.currency && minor(before) <= minor(next);
  });
}

function isBalanced(received: Price, drawer: readonly z.output<typeof drawerMovement>[]): boolean {
  const value = (wanted: 'in' | 'out') =>
    drawer.filter(({ direction }) => direction === wanted).map(movement => movement.value);
  return sameSum([received, ...value('out')], value('in'));
}

/** Zod asks the law also of amounts it has already refused: those count as nothing. */
function minor({ amount }: Price): bigint {
  return /^-?[0-9]+$/.test(amount) ? BigInt(amount) : 0n;
}
