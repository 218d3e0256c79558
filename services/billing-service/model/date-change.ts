import type { Id } from '@ghasi/domain-primitives/ids';
import { atLeastZero, entries, least, sumOf } from './accounts.ts';
import { type Book, change, type Posting, post } from './book.ts';
import { type Folio, heldAmount, owed, splitFor } from './folio.ts';
import { chargedAhead, chargeLine, type NewLine, type Night, type Taxed, UNNAMED_TAX } from './line.ts';
import { promiseRefund, spreadRefund } from './money.ts';
import { aheadCredit } from './stay.ts';

/** What pricing made of other dates. `nights` are those of the new stay. */
export type Delta = {
  readonly deltaId: Id<'pdl'>;
  readonly newQuoteId: Id<'quo'>;
  readonly version: number;
  readonly fee: bigint;
  /** New total and fee without the old total. */
  readonly delta: bigint;
  readonly nights: readonly Omit<Night, 'posted' | 'taxes'>[];
};

/**
 * SAGA-52, X-126: a dearer stay is charged at once, as nights to come; each of them takes its part back when it is
 * slept. A cheaper one gives back what was charged ahead, and what was paid too much. In the end the guest has been
 * charged the nights of the new stay and the fee, neither more nor less.
 */
export function applyDelta(book: Book, delta: Delta, at: Posting): Book {
  const nights = replan(book.nights, delta);
  const folio = { ...book.folio, quoteId: delta.newQuoteId, deltaVersion: delta.version };
  const lines = linesOf(folio, { before: book.nights, after: nights, delta });
  const changed = { ...change(book, folio), nights };
  const charged = lines.reduce<Book>((so, line) => post(so, line, at), changed);
  return delta.delta < 0n ? giveBack(charged, -delta.delta, at) : charged;
}

/**
 * The nights of the new stay. One that was posted stays posted, and where it is none of his any more it costs nothing:
 * if it comes back it is not posted a second time.
 */
function replan(before: readonly Night[], { nights }: Delta): Night[] {
  const known = new Map(before.map(night => [keyOf(night), night]));
  const planned = new Set(nights.map(keyOf));
  const gone = before.filter(night => night.posted && !planned.has(keyOf(night)));
  return [
    ...nights.map(night => {
      const was = known.get(keyOf(night));
      const isSame = was?.net === night.net && was.tax === night.tax;
      return { ...night, posted: was?.posted ?? false, taxes: isSame ? (was?.taxes ?? null) : null };
    }),
    ...gone.map(night => ({ ...night, net: 0n, tax: 0n, taxes: null })),
  ];
}

type Plans = { before: readonly Night[]; after: readonly Night[]; delta: Delta };

function linesOf(folio: Folio, { before, after, delta }: Plans): NewLine[] {
  const split = splitFor(folio, 'rooms');
  const ahead = chargedAhead(folio, split);
  const coming = minus(sumNights(after, false), sumNights(before, false));
  const slept = minus(sumNights(after, true), sumNights(before, true));
  // Charged now for nights to come, and given back of what was charged so; part by part, so that no tax is lost.
  const more = { net: atLeastZero(coming.net), tax: atLeastZero(coming.tax) };
  const less = {
    net: least(ahead.net, atLeastZero(-coming.net)),
    tax: least(ahead.tax, atLeastZero(-coming.tax)),
  };
  // Where the stay got cheaper than the fee is high, only the difference is asked for; the rest is a fee of its own.
  const isCheaper = gross(coming) + gross(slept) < 0n;
  const feeNow = isCheaper ? atLeastZero(delta.delta) : delta.fee;
  return [
    dateChangeLine(split, { more, slept, fee: feeNow, deltaId: delta.deltaId }),
    feeLine(folio, delta, delta.fee - feeNow),
    gross(less) === 0n ? undefined : aheadCredit({ split, ...less }, `credit:${delta.deltaId}`),
    sleptCredit(split, slept, delta.deltaId),
  ].filter(line => line !== undefined);
}

type Dearer = { more: Taxed; slept: Taxed; fee: bigint; deltaId: Id<'pdl'> };

function dateChangeLine(split: number, { more, slept, fee, deltaId }: Dearer): NewLine | undefined {
  const now = { net: atLeastZero(slept.net), tax: atLeastZero(slept.tax) };
  const [net, tax] = [more.net + now.net + fee, more.tax + now.tax];
  if (net + tax === 0n) return undefined;
  return {
    kind: 'date_change',
    cause: `delta:${deltaId}`,
    ...{ split, net, tax },
    source: { kind: 'date_change', deltaId },
    entries: entries(
      [`guest:${split}`, net + tax],
      [`unearned:${split}`, -more.net],
      [`unearned_tax:${split}`, -more.tax],
      ['revenue:rooms', -now.net],
      [`tax:${UNNAMED_TAX}`, -now.tax],
      ['revenue:fees', -fee],
    ),
  };
}

function feeLine(folio: Folio, { deltaId, nights }: Delta, fee: bigint): NewLine | undefined {
  const bookedRoomId = nights[0]?.bookedRoomId;
  if (fee === 0n || bookedRoomId === undefined) return undefined;
  const source = { kind: 'fee', fee: 'early_departure', bookedRoomId } as const;
  return chargeLine(folio, { cause: `fee:${deltaId}`, source, net: fee, tax: 0n });
}

/** Nights that were posted and cost less now, or are none of his; rare, for who has slept has slept. */
function sleptCredit(split: number, slept: Taxed, deltaId: Id<'pdl'>): NewLine | undefined {
  const [net, tax] = [atLeastZero(-slept.net), atLeastZero(-slept.tax)];
  if (net + tax === 0n) return undefined;
  return {
    kind: 'date_change_credit',
    cause: `slept:${deltaId}`,
    ...{ split, net: -net, tax: -tax },
    entries: entries([`guest:${split}`, -net - tax], ['revenue:rooms', net], [`tax:${UNNAMED_TAX}`, tax]),
  };
}

/** Gives back what was paid beyond all that will be owed; who has not paid gets nothing back. */
function giveBack(book: Book, most: bigint, at: Posting): Book {
  const { folio, nights } = book;
  const toCome =
    gross(sumNights(nights, false)) +
    sumOf(folio.balances, 'unearned') +
    sumOf(folio.balances, 'unearned_tax');
  const paidTooMuch = atLeastZero(heldAmount(folio) - owed(folio) - toCome);
  const parts = spreadRefund(folio.payments, least(most, paidTooMuch));
  return parts.reduce(
    (so, part) => promiseRefund(so, { ...part, refundId: at.newId('rfd'), reason: 'date_change' }, at),
    book,
  );
}

function sumNights(nights: readonly Night[], posted: boolean): Taxed {
  return nights
    .filter(night => night.posted === posted)
    .reduce((sum, { net, tax }) => ({ net: sum.net + net, tax: sum.tax + tax }), { net: 0n, tax: 0n });
}

function minus(a: Taxed, b: Taxed): Taxed {
  return { net: a.net - b.net, tax: a.tax - b.tax };
}

function gross({ net, tax }: Taxed): bigint {
  return net + tax;
}

function keyOf({ bookedRoomId, date }: Pick<Night, 'bookedRoomId' | 'date'>): string {
  return `${bookedRoomId} ${date}`;
}
