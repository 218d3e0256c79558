import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { fromJson, type Money, parseCurrency } from '@ghasi/domain-primitives/money';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import type {
  CashReconciled,
  IntentCaptured,
  IntentCreated,
  IntentFailed,
  IntentRefunded,
} from '@melmastoon/payment-gateway-service/contract';
import type { Folio, Payment } from '../model/folio.ts';
import {
  capture,
  endDeposits,
  expectPayment,
  forgetPayment,
  type PaymentFacts,
  paymentIn,
  refund,
  settleRefund,
} from '../model/money.ts';
import { lockFolio, lockOrPrepare } from '../queries/folios.ts';
import { queue, takeBack } from '../queries/late-postings.ts';
import { findByCause } from '../queries/lines.ts';
import { findPromise, settlePromise } from '../queries/refunds.ts';
import { heldBack, keepBook, postingAt } from './keep-book.ts';

type Captured = PayloadOf<typeof IntentCaptured>;
type Intent = Pick<Captured, 'paymentId' | 'reservationId' | 'propertyId' | 'purpose'>;

/** Somebody is asked for money: what is asked for is not asked for again at check-out. */
export async function hearOfIntent(
  ctx: Ctx,
  created: PayloadOf<typeof IntentCreated>,
  version: number,
): Promise<ReactionResult> {
  const folio = await lockFolio(ctx.tx, { reservationId: created.reservationId });
  const amount = fromJson(created.amount);
  if (folio === undefined || folio.status !== 'open' || folio.currency !== amount.currency) return 'noop';
  const facts = factsOf(created, { rail: created.rail, amount, version });
  return keepBook(ctx, { folio }, book => expectPayment(book, facts, 'asked')).events;
}

/** It will not come. */
export async function hearOfFailure(
  ctx: Ctx,
  { reservationId, paymentId }: PayloadOf<typeof IntentFailed>,
): Promise<ReactionResult> {
  const folio = await lockFolio(ctx.tx, { reservationId });
  if (folio === undefined || paymentIn(folio, paymentId)?.state !== 'asked') return 'noop';
  return keepBook(ctx, { folio }, book => forgetPayment(book, paymentId)).events;
}

/** a capture is money unless its rail is `cash_pending`; that is a promise, kept with `cash.reconciled`. */
export async function hearOfCapture(ctx: Ctx, captured: Captured, version: number): Promise<ReactionResult> {
  if (captured.rail !== 'cash_pending') {
    const amount = fromJson(captured.amount);
    const day = captured.rail === 'cash' ? captured.businessDate : '';
    return takeMoney(ctx, captured, { rail: captured.rail, amount, version, day });
  }
  const amount = fromJson(captured.due);
  const folio = await lockOrPrepare(ctx, originOf(captured, amount));
  if (folio.currency !== amount.currency) return 'noop';
  const facts = factsOf(captured, { rail: captured.rail, amount, version });
  return keepBook(ctx, { folio }, book => expectPayment(book, facts, 'promised')).events;
}

/** The promise became money; less than promised leaves a balance, more is the guest's. */
export function hearOfCash(
  ctx: Ctx,
  cash: PayloadOf<typeof CashReconciled>,
  version: number,
): Promise<ReactionResult> {
  return takeMoney(ctx, cash, {
    ...{ rail: 'cash', amount: fromJson(cash.received), version, day: cash.businessDate },
  });
}

type Taken = { rail: Payment['rail']; amount: Money; version: number; day: string };

async function takeMoney(ctx: Ctx, of: Intent, { day, ...taken }: Taken): Promise<ReactionResult> {
  const folio = await lockOrPrepare(ctx, originOf(of, taken.amount));
  if (paymentIn(folio, of.paymentId)?.state === 'captured') return 'noop';
  const late = { ...of, folioId: folio.id, kind: 'payment', reference: idToUuid(of.paymentId) } as const;
  const size = { net: taken.amount.minor, tax: 0n, currency: taken.amount.currency };
  if (folio.currency !== taken.amount.currency) {
    queue(ctx, { ...lateOf(late), ...size, reason: 'other_currency' });
    return undefined;
  }
  const at = await postingAt(ctx, of.propertyId, day);
  const facts = factsOf(of, taken);
  const { events } = keepBook(ctx, { folio }, book => capture(book, facts, at));
  if (folio.status === 'closed') queue(ctx, { ...lateOf(late), ...size, reason: 'folio_closed' });
  return events;
}

/** Money is back with the guest: one line that names its payment (R22). What billing had promised is settled by it. */
export async function hearOfRefund(
  ctx: Ctx,
  refunded: PayloadOf<typeof IntentRefunded>,
): Promise<ReactionResult> {
  const { refundId, paymentId, reservationId, propertyId, reason } = refunded;
  const folio = await lockFolio(ctx.tx, { reservationId });
  const payment = folio === undefined ? undefined : paymentIn(folio, paymentId);
  if (folio === undefined || payment?.state !== 'captured') throw heldBack('the payment of this refund');
  if (await isPosted(ctx, folio, refundId)) return 'noop';
  const amount = fromJson(refunded.amount).minor;
  const at = await postingAt(ctx, propertyId);
  const promise = await findPromise(ctx.tx, { refundId, paymentId, amount, reason });
  if (promise !== undefined) {
    settlePromise(ctx, promise, refundId);
    const arrived = { by: refundId, payment, amount };
    return keepBook(ctx, { folio }, book => settleRefund(book, arrived, at)).events;
  }
  const { events } = keepBook(ctx, { folio }, book => {
    // A hold that never became a booking: its deposit ends with this refund.
    const ended = folio.status === 'prepared' ? endDeposits(book, 'refunded', at) : book;
    const known = paymentIn(ended.folio, paymentId) ?? payment;
    return refund(ended, { refundId, payment: known, amount, reason }, at);
  });
  if (folio.status === 'closed') await afterTheEnd(ctx, { folio, refunded, amount });
  return events;
}

/** A refund that was promised has a line of its own before it arrives; what arrives has one once. */
async function isPosted({ tx }: Ctx, { id: folioId }: Folio, refundId: Id<'rfd'>): Promise<boolean> {
  if (await findByCause(tx, { folioId, cause: `settled:${refundId}` })) return true;
  const line = await findByCause(tx, { folioId, cause: `refund:${refundId}` });
  return line?.entries.some(({ account }) => account.startsWith('money:')) ?? false;
}

type LateRefund = { folio: Folio; refunded: PayloadOf<typeof IntentRefunded>; amount: bigint };

/** Money that came after the end went back: nobody has to see to it. Any other refund is for the desk to look at. */
async function afterTheEnd(ctx: Ctx, { folio, refunded, amount }: LateRefund): Promise<void> {
  const { paymentId, refundId } = refunded;
  const cameLate = {
    kind: 'payment',
    reference: idToUuid(paymentId),
    note: `refunded: ${refundId}`,
  } as const;
  if (await takeBack(ctx, cameLate)) return;
  const late = { ...refunded, folioId: folio.id, kind: 'refund', reference: idToUuid(refundId) } as const;
  queue(ctx, {
    ...{ ...lateOf(late), net: amount, tax: 0n, currency: folio.currency },
    reason: 'folio_closed',
  });
}

function lateOf<T extends Pick<Intent, 'reservationId' | 'propertyId'>, K>(
  of: T & { folioId: Folio['id']; kind: K; reference: string },
) {
  const { reservationId, propertyId, folioId, kind, reference } = of;
  return { reservationId, propertyId, folioId, kind, reference };
}

function factsOf(
  { paymentId: id, purpose }: Intent,
  { rail, amount, version }: Omit<Taken, 'day'>,
): PaymentFacts {
  return { id, purpose, rail, amount: amount.minor, version };
}

function originOf({ reservationId, propertyId }: Intent, { currency }: Money) {
  return { reservationId, propertyId, currency: parseCurrency(currency) };
}
