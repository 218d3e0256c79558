import type { Ask } from '@ghasi/backbone/question';
import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { type Money, money, toJson } from '@ghasi/domain-primitives/money';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type CheckoutFacts, collect } from '@melmastoon/payment-gateway-service/contract';
import type { BookingCheckOutStarted } from '@melmastoon/reservation-service/contract';
import { errors } from '../errors.ts';
import { change } from '../model/book.ts';
import { type Folio, owed, type Rail, underWay } from '../model/folio.ts';
import { checkOut } from '../model/stay.ts';
import { insertCollection } from '../queries/collections.ts';
import { findFolio, lockFolio, readFolio } from '../queries/folios.ts';
import { listNights } from '../queries/nights.ts';
import { collectBalance } from '../tasks.ts';
import { heldBack, keepBook, postingAt } from './keep-book.ts';

/** SAGA-42, X-113: final charges, and at zero the folio closes. Where something is owed a job asks for it. */
export async function startCheckOut(
  ctx: Ctx,
  started: PayloadOf<typeof BookingCheckOutStarted>,
  version: number,
): Promise<ReactionResult> {
  const { reservationId, propertyId, businessDate } = started;
  const [folio, nights] = await Promise.all([
    lockFolio(ctx.tx, { reservationId }),
    listNights(ctx.tx, { reservationId }),
  ]);
  if (folio === undefined || nights.length === 0) throw heldBack('the booking');
  if (version <= folio.bookingVersion) return 'noop';
  const at = await postingAt(ctx, propertyId, businessDate);
  const { book, events } = keepBook(ctx, { folio, nights }, before =>
    checkOut(change(before, { bookingVersion: version }), at),
  );
  await askForBalance(ctx, book.folio);
  return events;
}

/** Has a job ask for what a guest who leaves still owes; never inside this transaction. */
export async function askForBalance(ctx: Ctx, folio: Folio): Promise<void> {
  if (toCollect(folio) === undefined) return;
  await enqueue(ctx, collectBalance, { folioId: folio.id }, { key: folio.id });
}

/** What is to be asked for: what is owed and not asked for or promised already. */
function toCollect(folio: Folio): Money | undefined {
  const isLeaving = folio.stage === 'leaving' || folio.stage === 'left';
  const amount = owed(folio) - underWay(folio);
  if (folio.status !== 'open' || !isLeaving || amount <= 0n) return undefined;
  return money(amount, folio.currency);
}

/** The desk asks once more, e.g. after a page that nobody paid. */
export async function collectAgain(ctx: Ctx, folioId: Id<'fol'>): Promise<Folio> {
  const folio = await readFolio(ctx.tx, folioId);
  if (toCollect(folio) === undefined) throw errors.NOTHING_TO_COLLECT();
  await askForBalance(ctx, folio);
  return folio;
}

/** What the job works with: short transactions of its own, and a question between them. */
export type Collector = {
  readonly ask: Ask;
  readonly tenantId: TenantId;
  transaction<R>(work: (ctx: Ctx) => Promise<R>): Promise<R>;
};

/**
 * SAGA-43: asks payment-gateway-service for the remainder, by the rail of the booking, else in cash. The key is the
 * folio's version: run again after a crash, it asks for the same payment.
 */
export async function collectNow(
  { ask, tenantId, transaction }: Collector,
  folioId: Id<'fol'>,
): Promise<'nothing' | 'asked' | 'refused'> {
  const folio = await transaction(({ tx }) => findFolio(tx, { folioId }));
  const amount = folio === undefined ? undefined : toCollect(folio);
  if (folio === undefined || amount === undefined) return 'nothing';
  const { reservationId, version } = folio;
  const asked = { tenantId, reservationId, purpose: 'check_out', amount: toJson(amount) } as const;
  const wanted = folio.rail === null || folio.rail === 'cash_pending' ? 'cash' : folio.rail;
  const rails = [...new Set<Rail>([wanted, 'cash'])];
  let made: CheckoutFacts | null = null;
  for (const rail of rails)
    made ??= await ask(collect, { ...asked, rail, key: `${folioId}:${version}:${rail}` });
  const outcome = made === null ? 'refused' : 'asked';
  const paymentId = made === null ? null : idToUuid(made.paymentId);
  const said = { amount: amount.minor, rail: made?.rail ?? wanted, outcome, paymentId } as const;
  await transaction(ctx => insertCollection(ctx, folioId, said));
  return outcome;
}
