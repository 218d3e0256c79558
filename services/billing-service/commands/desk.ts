import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Money } from '@ghasi/domain-primitives/money';
import type { fees, services } from '../contract.ts';
import { errors } from '../errors.ts';
import { type Book, change, closeIfDone, post } from '../model/book.ts';
import { type Folio, MOST_SPLITS, type Routes, type Split } from '../model/folio.ts';
import { type ChargeSource, chargeLine, type LineKind, reversalLine, transferLine } from '../model/line.ts';
import { salePrice } from '../model/sale.ts';
import { lockFolio } from '../queries/folios.ts';
import { invoicedLines } from '../queries/invoices.ts';
import { findByCause, readLine } from '../queries/lines.ts';
import { listNights } from '../queries/nights.ts';
import { keepBook, postingAt } from './keep-book.ts';

/** The folio, open and in the hands of this transaction alone. */
export async function openFolio(ctx: Ctx, folioId: Id<'fol'>): Promise<Folio> {
  const folio = await lockFolio(ctx.tx, { folioId });
  if (folio === undefined || folio.status === 'prepared') throw coreErrors.NOT_FOUND({ entity: 'Folio' });
  if (folio.status === 'closed') throw errors.FOLIO_CLOSED();
  return folio;
}

/** What the desk sells: so many at a price that has the tax in it (R20). */
export type Sale = {
  readonly folioId: Id<'fol'>;
  readonly what:
    | { readonly kind: 'service'; readonly service: (typeof services)[number] }
    | { readonly kind: 'fee'; readonly fee: (typeof fees)[number]; readonly bookedRoomId: Id<'brm'> };
  readonly quantity: number;
  readonly unitPrice: Money;
  readonly tax: { readonly code: string; readonly basisPoints: number } | null;
  readonly split: number | null;
  readonly text: string | null;
};

/** Charges a service, or a fee by policy. The price the guest saw stays; net and tax are derived from it (R20). */
export async function chargeSale(ctx: Ctx, sale: Sale): Promise<Accepted<Folio>> {
  const folio = await openFolio(ctx, sale.folioId);
  if (sale.unitPrice.currency !== folio.currency) throw errors.CURRENCY_DIFFERS({ currency: folio.currency });
  if (sale.split !== null) assertSplit(folio, sale.split);
  const { cause, source } = await causeOf(ctx, folio, sale);
  const price = salePrice(sale.unitPrice, sale.quantity, sale.tax?.basisPoints ?? 0);
  const count = sale.quantity === 1 ? '' : `${sale.quantity} × `;
  const text = sale.text === null ? undefined : `${count}${sale.text}`;
  const at = await postingAt(ctx, folio.propertyId);
  const charge = { cause, source, ...price, taxCode: sale.tax?.code, text };
  return kept(ctx, folio, book =>
    post(book, chargeLine(book.folio, { ...charge, split: sale.split ?? undefined }), at),
  );
}

/** A service is charged as often as it is sold; a fee once for a room, for its event says so. */
async function causeOf(
  ctx: Ctx,
  folio: Folio,
  { what }: Sale,
): Promise<{ cause: string; source: ChargeSource }> {
  if (what.kind === 'service') return { cause: `service:${ctx.newId('fln')}`, source: what };
  const nights = await listNights(ctx.tx, { folioId: folio.id });
  if (!nights.some(({ bookedRoomId }) => bookedRoomId === what.bookedRoomId))
    throw errors.ROOM_NOT_IN_FOLIO();
  const cause = `fee:${what.fee}:${what.bookedRoomId}`;
  if (await findByCause(ctx.tx, { folioId: folio.id, cause })) throw errors.FEE_POSTED();
  return { cause, source: what };
}

const reversible: readonly LineKind[] = ['room_night', 'consumption', 'fee', 'service'];

/** Takes a line back, in full and once (R22); one that is on an invoice only after that is voided. */
export async function reverseLine(
  ctx: Ctx,
  { folioId, lineId, text }: { folioId: Id<'fol'>; lineId: Id<'fln'>; text: string },
): Promise<Accepted<Folio>> {
  const folio = await openFolio(ctx, folioId);
  const line = await readLine(ctx.tx, { folioId, lineId });
  if (!reversible.includes(line.kind)) throw errors.LINE_NOT_REVERSIBLE({ kind: line.kind });
  if (await findByCause(ctx.tx, { folioId, cause: `reversal:${lineId}` })) throw errors.LINE_REVERSED();
  const number = (await invoicedLines(ctx.tx, folioId)).get(lineId);
  if (number !== undefined) throw errors.LINE_INVOICED({ number });
  const at = await postingAt(ctx, folio.propertyId);
  return kept(ctx, folio, book => closeIfDone(post(book, reversalLine(line, text), at), at));
}

/** Opens another part of a folio, for somebody else to pay. */
export async function openSplit(
  ctx: Ctx,
  { folioId, payer, name }: { folioId: Id<'fol'> } & Omit<Split, 'number'>,
): Promise<Accepted<Folio>> {
  const folio = await openFolio(ctx, folioId);
  const number = folio.splits.length + 1;
  if (number > MOST_SPLITS) throw errors.TOO_MANY_SPLITS({ most: MOST_SPLITS });
  return kept(ctx, folio, book => change(book, { splits: [...folio.splits, { number, payer, name }] }));
}

/** Says where lines to come go; what is posted stays where it is (R22). */
export async function routeLines(
  ctx: Ctx,
  { folioId, routes }: { folioId: Id<'fol'>; routes: Routes },
): Promise<Accepted<Folio>> {
  const folio = await openFolio(ctx, folioId);
  for (const split of Object.values(routes)) assertSplit(folio, split);
  return kept(ctx, folio, book => change(book, { routes: { ...folio.routes, ...routes } }));
}

/** Moves what one split owes to another, as a line of its own: their sum stays the same. */
export async function moveBalance(
  ctx: Ctx,
  { folioId, from, to, amount }: { folioId: Id<'fol'>; from: number; to: number; amount: Money },
): Promise<Accepted<Folio>> {
  const folio = await openFolio(ctx, folioId);
  for (const split of [from, to]) assertSplit(folio, split);
  if (from === to) throw errors.SAME_SPLIT();
  if (amount.currency !== folio.currency) throw errors.CURRENCY_DIFFERS({ currency: folio.currency });
  const line = transferLine({ from, to, amount: amount.minor, cause: `transfer:${ctx.newId('fln')}` });
  const at = await postingAt(ctx, folio.propertyId);
  return kept(ctx, folio, book => closeIfDone(post(book, line, at), at));
}

function kept(ctx: Ctx, folio: Folio, rule: (book: Book) => Book): Accepted<Folio> {
  const { book, events } = keepBook(ctx, { folio }, rule);
  return accepted(book.folio, events);
}

function assertSplit({ splits }: Folio, split: number): void {
  if (!splits.some(({ number }) => number === split)) throw errors.SPLIT_UNKNOWN({ split });
}
