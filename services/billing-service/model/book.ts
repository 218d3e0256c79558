import type { Id } from '@ghasi/domain-primitives/ids';
import type { closingOccasions } from '../contract.ts';
import { errors } from '../errors.ts';
import { add, balanceOf } from './accounts.ts';
import { type Folio, owed, owedBy, type Payment, totals } from './folio.ts';
import type { Line, NewLine, Night } from './line.ts';

/** When and by whom lines are posted. The hotel day may lag the calendar (R1). */
export type Posting = {
  readonly businessDate: string;
  readonly now: Date;
  readonly by: string;
  readonly newId: <P extends 'fln' | 'rfd'>(prefix: P) => Id<P>;
};

/** A refund that the folio has posted and the guest does not have yet. */
export type Promised = {
  readonly refundId: Id<'rfd'>;
  readonly paymentId: Id<'pay'>;
  readonly amount: bigint;
};

/** What happened to a folio in one go, in its order. */
export type Fact =
  | { readonly kind: 'opened'; readonly occasion: 'confirmation' | 'check_in'; readonly version: number }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'closed'; readonly totals: ReturnType<typeof totals>; readonly version: number };

/** A folio in the hands of one transaction: as it is now, and what has happened to it since it was opened. */
export type Book = {
  readonly folio: Folio;
  readonly nights: readonly Night[];
  readonly facts: readonly Fact[];
  readonly promised: readonly Promised[];
};

/** Opens the book of a folio. */
export function bookOf(folio: Folio, nights: readonly Night[] = []): Book {
  return { folio, nights, facts: [], promised: [] };
}

/** The same book with something else known of its folio. */
export function change(book: Book, known: Partial<Folio>): Book {
  return { ...book, folio: { ...book.folio, ...known } };
}

/** The same book with another state of one payment. */
export function withPayment(book: Book, payment: Payment): Book {
  const others = book.folio.payments.filter(({ id }) => id !== payment.id);
  return change(book, { payments: [...others, payment] });
}

/** The reservation has its folio, and everybody hears of it. */
export function open(book: Book, occasion: 'confirmation' | 'check_in', at: Posting): Book {
  const version = book.folio.version + 1;
  const opened = change(book, { status: 'open', openedOn: at.businessDate, version });
  return { ...opened, facts: [...book.facts, { kind: 'opened', occasion, version }] };
}

/** Posts one line. A closed folio takes nothing that a guest would owe or get (R22, X-127). */
export function post(book: Book, line: NewLine, at: Posting): Book {
  const { folio } = book;
  if (folio.status === 'closed' && line.entries.some(({ account }) => account.startsWith('guest:')))
    throw errors.FOLIO_CLOSED();
  const balances = add(folio.balances, line.entries);
  const version = folio.version + 1;
  const posted: Line = {
    ...line,
    id: at.newId('fln'),
    position: version,
    balance: owed({ balances }),
    businessDate: at.businessDate,
    occurredAt: at.now,
    recordedBy: at.by,
  };
  const after = change(book, { balances, version });
  return { ...after, facts: [...book.facts, { kind: 'line', line: posted }] };
}

/** Posts some lines, one after the other; each is made from the folio as it then is. */
export function postEach<T>(
  book: Book,
  things: readonly T[],
  [lineOf, at]: readonly [(folio: Folio, thing: T) => NewLine, Posting],
): Book {
  return things.reduce((so, thing) => post(so, lineOf(so.folio, thing), at), book);
}

/** The lines that were posted in this book. */
export function postedIn({ facts }: Book): Line[] {
  return facts.flatMap(fact => (fact.kind === 'line' ? [fact.line] : []));
}

/** True when no split owes anything, nothing is charged ahead, and no deposit waits. */
export function isSettled({ balances, splits, payments }: Folio): boolean {
  return (
    splits.every(({ number }) => owedBy({ balances }, number) === 0n) &&
    splits.every(({ number }) => balanceOf(balances, `unearned:${number}`) === 0n) &&
    splits.every(({ number }) => balanceOf(balances, `unearned_tax:${number}`) === 0n) &&
    payments.every(({ deposit }) => deposit !== 'held')
  );
}

type Occasion = (typeof closingOccasions)[number];

/** Why a folio could be closed now; undefined while its stay goes on, or could begin again by an undo (R17, R18). */
export function closingOccasion({ stage, closableFrom }: Folio, businessDate: string): Occasion | undefined {
  if (stage === 'leaving') return 'check_out';
  if (stage === 'left') return 'late_settlement';
  if (stage !== 'cancelled' && stage !== 'no_show') return undefined;
  if (closableFrom !== null && businessDate < closableFrom) return undefined;
  return stage === 'cancelled' ? 'cancellation' : 'no_show';
}

/** closes an open folio whose stay is over, at zero only. Otherwise it is left as it is. */
export function closeIfDone(book: Book, at: Posting): Book {
  const { folio } = book;
  const occasion = closingOccasion(folio, at.businessDate);
  if (folio.status !== 'open' || occasion === undefined || !isSettled(folio)) return book;
  const version = folio.version + 1;
  const closed = change(book, { status: 'closed', occasion, closedOn: at.businessDate, version });
  return { ...closed, facts: [...book.facts, { kind: 'closed', totals: totals(folio), version }] };
}
