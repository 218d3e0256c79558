import type { Id } from '@ghasi/domain-primitives/ids';
import { entries, least } from './accounts.ts';
import { type Book, closeIfDone, type Posting, post, withPayment } from './book.ts';
import { type DepositEnd, type Folio, held, type Payment } from './folio.ts';
import { moneyAt, moneyLine, type NewLine, type RefundReason } from './line.ts';

/** What the folio should know of a payment. */
export type PaymentFacts = Pick<Payment, 'id' | 'purpose' | 'rail' | 'amount' | 'version'>;

/** The payment of a folio, if it has heard of it. */
export function paymentIn({ payments }: Folio, id: Id<'pay'>): Payment | undefined {
  return payments.find(payment => payment.id === id);
}

/**
 * Somebody is asked for money, or has promised to bring it: no money moved. Of one purpose only the newest
 * counts, for payment-gateway-service has closed the one before (R24).
 */
export function expectPayment(book: Book, facts: PaymentFacts, state: 'asked' | 'promised'): Book {
  const known = paymentIn(book.folio, facts.id);
  if (known?.state === 'captured' || known?.state === 'over') return book;
  const before = book.folio.payments.filter(
    ({ id, purpose, state: is }) =>
      id !== facts.id && purpose === facts.purpose && (is === 'asked' || is === 'promised'),
  );
  const without = before.reduce((so, one) => withPayment(so, { ...one, state: 'over' }), book);
  return withPayment(without, { ...facts, state, refunded: 0n, deposit: null });
}

/** The capture failed for good. */
export function forgetPayment(book: Book, id: Id<'pay'>): Book {
  const known = paymentIn(book.folio, id);
  if (known?.state !== 'asked') return book;
  return withPayment(book, { ...known, state: 'over' });
}

/**
 * Money came, once. What is paid for a booking before the guest leaves is a deposit: owed to him until it is applied
 * (R23). Anything else pays what is owed now. Into a closed folio goes nothing: the money waits in suspense.
 */
export function capture(book: Book, facts: PaymentFacts, at: Posting): Book {
  const { folio } = book;
  if (paymentIn(folio, facts.id)?.state === 'captured') return book;
  const isAhead = facts.purpose === 'booking' || facts.purpose === 'deposit';
  const isStaying = folio.stage === 'expected' || folio.stage === 'in_house';
  const isDeposit = isAhead && isStaying && folio.status !== 'closed';
  const deposit = isDeposit ? ('held' as const) : null;
  const known = withPayment(book, { ...facts, state: 'captured', refunded: 0n, deposit });
  return closeIfDone(post(known, captureLine(folio, facts, isDeposit), at), at);
}

function captureLine({ status }: Folio, payment: PaymentFacts, isDeposit: boolean): NewLine {
  const { id: paymentId, amount } = payment;
  const kind = status === 'closed' ? 'late_payment' : isDeposit ? 'deposit' : 'payment';
  const owes = { late_payment: 'suspense', deposit: 'deposits', payment: 'guest:1' } as const;
  const sides = entries([moneyAt(payment), amount], [owes[kind], -amount]);
  return moneyLine(kind, { cause: `capture:${paymentId}`, paymentId, entries: sides });
}

/** A refund of a payment. */
export type Refund = {
  readonly refundId: Id<'rfd'>;
  readonly payment: Payment;
  readonly amount: bigint;
  readonly reason: RefundReason;
};

/** Money of a payment went back to the guest, and the folio says so; on a closed one it is taken from suspense. */
export function refund(book: Book, { refundId, payment, amount, reason }: Refund, at: Posting): Book {
  const isLate = book.folio.status === 'closed';
  const kind = isLate ? 'late_refund' : 'refund';
  const line = moneyLine(kind, {
    cause: `refund:${refundId}`,
    ...{ paymentId: payment.id, refundId, refundReason: reason },
    entries: entries([isLate ? 'suspense' : 'guest:1', amount], [moneyAt(payment), -amount]),
  });
  // What goes back of a closed folio's payment is no part of its totals: those are final.
  const known = isLate ? book : withPayment(book, { ...payment, refunded: payment.refunded + amount });
  return closeIfDone(post(known, line, at), at);
}

/** the stay costs less, so money is to go back; it is owed to the guest until payment says that it is there. */
export function promiseRefund(book: Book, { refundId, payment, amount, reason }: Refund, at: Posting): Book {
  const line = moneyLine('refund', {
    cause: `refund:${refundId}`,
    ...{ paymentId: payment.id, refundId, refundReason: reason },
    entries: entries(['guest:1', amount], ['refunds_due', -amount]),
  });
  const known = withPayment(book, { ...payment, refunded: payment.refunded + amount });
  const promised = [...book.promised, { refundId, paymentId: payment.id, amount }];
  return post({ ...known, promised }, line, at);
}

/** What was promised is with the guest. `by` is the refund that arrived: another one after a retry. */
export function settleRefund(
  book: Book,
  { by, payment, amount }: { by: Id<'rfd'>; payment: Payment; amount: bigint },
  at: Posting,
): Book {
  const line = moneyLine('refund_settled', {
    cause: `settled:${by}`,
    ...{ paymentId: payment.id, refundId: by },
    entries: entries(['refunds_due', amount], [moneyAt(payment), -amount]),
  });
  return post(book, line, at);
}

/** R23: every deposit that is held reaches its one end; its money is the guest's on the folio from here on. */
export function endDeposits(book: Book, end: DepositEnd, at: Posting): Book {
  return held(book.folio).reduce((so, payment) => {
    const line = moneyLine(`deposit_${end}`, {
      cause: `deposit-end:${payment.id}`,
      paymentId: payment.id,
      entries: entries(['deposits', payment.amount], ['guest:1', -payment.amount]),
    });
    return post(withPayment(so, { ...payment, deposit: end }), line, at);
  }, book);
}

/** How an amount is given back: newest payment first, never more of one than came (R22). */
export function spreadRefund(payments: readonly Payment[], amount: bigint) {
  let left = amount;
  const parts: { payment: Payment; amount: bigint }[] = [];
  const captured = payments.filter(({ state }) => state === 'captured');
  for (const payment of captured.sort((a, b) => (a.id < b.id ? 1 : -1))) {
    const part = least(left, payment.amount - payment.refunded);
    if (part > 0n) parts.push({ payment, amount: part });
    left -= part;
  }
  return parts;
}
