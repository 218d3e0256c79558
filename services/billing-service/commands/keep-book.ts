import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { RetryLater } from '@ghasi/jobs/outcome';
import { eventsOf } from '../events.ts';
import { type Book, bookOf, type Posting, postedIn } from '../model/book.ts';
import type { Folio } from '../model/folio.ts';
import type { Night } from '../model/line.ts';
import { saveFolio, savePayments } from '../queries/folios.ts';
import { holdHouse } from '../queries/houses.ts';
import { appendLines } from '../queries/lines.ts';
import { saveNights } from '../queries/nights.ts';
import { insertPromised } from '../queries/refunds.ts';

/** A book that is saved, and what others hear of it. */
export type Kept = { readonly book: Book; readonly events: PendingEvent[] };

/** Lets a pure rule work on a folio that is locked, and saves whatever it did. */
export function keepBook(
  ctx: Ctx,
  { folio, nights = [] }: { folio: Folio; nights?: readonly Night[] },
  rule: (book: Book) => Book,
): Kept {
  const before = bookOf(folio, nights);
  const book = rule(before);
  if (book === before) return { book, events: [] };
  // Lines first: once the folio's row says closed, the database takes no more of them.
  appendLines(ctx, book.folio, postedIn(book));
  saveFolio(ctx, book.folio);
  savePayments(ctx, folio.payments, book.folio);
  insertPromised(ctx, folio.id, book.promised);
  if (book.nights !== nights) saveNights(ctx, folio.id, { before: nights, after: book.nights });
  return { book, events: eventsOf(book) };
}

/** So long an event waits at first for one that should have come before it, then twice as long, six times in all. */
const HELD_BACK_MS = 2_000;

/** Holds an event back until what it builds on has arrived. */
export function heldBack(what: string): RetryLater {
  return new RetryLater(HELD_BACK_MS, `${what} has not been heard of yet`);
}

/**
 * The posting of this transaction: on the hotel day of the house, which is held until the end (R1). An event of the
 * next day may overtake the close that began it, hence `atLeast`; a day that is closed is never posted to.
 */
export async function postingAt(ctx: Ctx, propertyId: Id<'pro'>, atLeast = ''): Promise<Posting> {
  const house = await holdHouse(ctx.tx, propertyId);
  if (house === undefined) throw heldBack('the house');
  const businessDate = house.businessDate < atLeast ? atLeast : house.businessDate;
  return postingOn(ctx, businessDate);
}

/** A posting on a hotel day that is known. */
export function postingOn({ now, actor, newId }: Ctx, businessDate: string): Posting {
  return { businessDate, now, by: `${actor.type}:${actor.id}`, newId };
}
