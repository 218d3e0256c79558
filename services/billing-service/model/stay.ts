import type { Id } from '@ghasi/domain-primitives/ids';
import { entries } from './accounts.ts';
import { type Book, change, closeIfDone, type Posting, post, postEach } from './book.ts';
import { type Folio, nextStages, type Stage } from './folio.ts';
import { chargedAhead, chargeLine, type NewLine, nightLine, reversalLine, type StoredLine } from './line.ts';
import { endDeposits } from './money.ts';

/** The stay goes on to another stage, if it may from where it is. */
export function enter(book: Book, stage: Stage): Book {
  const { stage: now } = book.folio;
  return now === stage || !nextStages[now].includes(stage) ? book : change(book, { stage });
}

/** Posts the frozen nights up to and including a date that are not posted yet: each once, however often this runs (R2). */
export function postNights(book: Book, until: string | null, at: Posting): Book {
  const due = book.nights.filter(({ posted, date }) => !posted && (until === null || date <= until));
  if (due.length === 0) return book;
  const posted = postEach(book, due, [nightLine, at]);
  return {
    ...posted,
    nights: book.nights.map(night => (due.includes(night) ? { ...night, posted: true } : night)),
  };
}

/**
 * SAGA-42, X-114: the guest leaves. Nights that are not posted are posted first, what was charged ahead and not slept is
 * given back, deposits are applied; at zero the folio closes.
 */
export function checkOut(book: Book, at: Posting): Book {
  const slept = releaseAhead(postNights(enter(book, 'leaving'), null, at), at);
  return closeIfDone(endDeposits(slept, 'applied', at), at);
}

/** What was charged for nights to come is given back: there are none. */
function releaseAhead(book: Book, at: Posting): Book {
  const ahead = book.folio.splits
    .map(({ number: split }) => ({ split, ...chargedAhead(book.folio, split) }))
    .filter(({ net, tax }) => net !== 0n || tax !== 0n);
  return postEach(book, ahead, [({ version }, of) => aheadCredit(of, `ahead:${version}`), at]);
}

/** Gives back what was charged for nights that nobody sleeps. */
export function aheadCredit(of: { split: number; net: bigint; tax: bigint }, cause: string): NewLine {
  const { split, net, tax } = of;
  return {
    kind: 'date_change_credit',
    ...{ cause, split, net: -net, tax: -tax },
    entries: entries(
      [`guest:${split}`, -net - tax],
      [`unearned:${split}`, net],
      [`unearned_tax:${split}`, tax],
    ),
  };
}

/** How a booking ended before its stay. */
export type Ending = {
  readonly stage: 'cancelled' | 'no_show';
  /** What the policy keeps. */
  readonly fee: bigint;
  readonly bookedRoomId: Id<'brm'>;
  /** The booking's version: after an undo it may end again. */
  readonly version: number;
  /** From which hotel day on it cannot be undone; null: it cannot be undone at all. */
  readonly closableFrom: string | null;
};

/**
 * The fee is charged and the deposits end: forfeited where the house keeps something of them, else refunded. What is
 * left is the guest's, and goes back when payment says so.
 */
export function endBooking(book: Book, ending: Ending, at: Posting): Book {
  const { stage, fee, bookedRoomId, version, closableFrom } = ending;
  const ended = change(enter(book, stage), { closableFrom });
  if (ended.folio.stage !== stage) return book;
  const name = stage === 'no_show' ? 'no_show' : 'cancellation';
  const source = { kind: 'fee', fee: name, bookedRoomId } as const;
  const cause = `fee:${name}:${bookedRoomId}:${version}`;
  const isOwed = fee > 0n && ended.folio.status === 'open';
  const charged = isOwed
    ? post(ended, chargeLine(ended.folio, { cause, source, net: fee, tax: 0n }), at)
    : ended;
  const released = releaseAhead(charged, at);
  return closeIfDone(endDeposits(released, isOwed ? 'forfeited' : 'refunded', at), at);
}

/**
 * R17, R18: the booking lives again. Its fees are taken back; what the house kept of its deposits stays the guest's on
 * the folio, and pays his nights.
 */
export function revive(book: Book, fees: readonly StoredLine[], at: Posting): Book {
  const alive = change(enter(book, 'expected'), { closableFrom: null });
  return postEach(alive, fees, [(_folio: Folio, line: StoredLine) => reversalLine(line), at]);
}
