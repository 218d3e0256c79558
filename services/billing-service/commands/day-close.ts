import type { Accepted, ValueOf } from '@ghasi/db/accepted';
import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Id } from '@ghasi/domain-primitives/ids';
import { closeIfDone } from '../model/book.ts';
import { postNights } from '../model/stay.ts';
import { listDue, lockFolio } from '../queries/folios.ts';
import { findHouse } from '../queries/houses.ts';
import { listNights } from '../queries/nights.ts';
import { keepBook, postingAt, postingOn } from './keep-book.ts';

/** A hotel day that was closed. */
export type ClosedDay = { readonly propertyId: Id<'pro'>; readonly closedDate: string };

/** Opens transactions of a tenant, one after the other. */
export type Run = { transaction<R>(work: (ctx: Ctx) => Promise<R>): Promise<ValueOf<R>> };

/**
 * R2: charges the night of a closed day, folio by folio, each in a transaction of its own. Whenever it dies it is run
 * again: what was posted is found posted, and the rest follows. Nights of earlier days that were missed come with it.
 */
export async function postDay(run: Run, day: ClosedDay): Promise<{ folios: number }> {
  const due = await run.transaction(async ({ tx }) => {
    const house = await findHouse(tx, day.propertyId);
    return house === undefined ? [] : listDue(tx, { ...day, businessDate: house.businessDate });
  });
  for (const folioId of due) {
    await run.transaction(ctx => postFolio(ctx, folioId, day));
    await failpoint('billing.night-posted');
  }
  return { folios: due.length };
}

async function postFolio(ctx: Ctx, folioId: Id<'fol'>, day: ClosedDay): Promise<Accepted<undefined>> {
  const folio = await lockFolio(ctx.tx, { folioId });
  if (folio === undefined || folio.status !== 'open') return accepted(undefined, []);
  const [now, nights] = await Promise.all([postingAt(ctx, day.propertyId), listNights(ctx.tx, { folioId })]);
  const { events } = keepBook(ctx, { folio, nights }, book =>
    folio.stage === 'in_house'
      ? postNights(book, day.closedDate, postingOn(ctx, day.closedDate))
      : closeIfDone(book, now),
  );
  return accepted(undefined, events);
}
