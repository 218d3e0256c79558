import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import { enqueue } from '@ghasi/jobs/enqueue';
import type { DeltaApplied } from '@melmastoon/pricing-service/contract';
import { applyDelta, type Delta } from '../model/date-change.ts';
import type { Night } from '../model/line.ts';
import { checkOut } from '../model/stay.ts';
import { lockFolio } from '../queries/folios.ts';
import { queue } from '../queries/late-postings.ts';
import { listNights } from '../queries/nights.ts';
import { learnTaxes } from '../tasks.ts';
import { askForBalance } from './check-out.ts';
import { heldBack, keepBook, postingAt } from './keep-book.ts';

type Applied = PayloadOf<typeof DeltaApplied>;

/** SAGA-52, X-126: posts what other dates cost more, or gives back what they cost less. Once for each change. */
export async function postDelta(ctx: Ctx, applied: Applied): Promise<ReactionResult> {
  const { reservationId, propertyId, reservationVersion, quoteId, newQuoteId, deltaId } = applied;
  const folio = await lockFolio(ctx.tx, { reservationId });
  if (folio === undefined || folio.status === 'prepared') throw heldBack('the folio');
  if (reservationVersion <= folio.deltaVersion) return 'noop';
  if (folio.status === 'closed') {
    const size = { net: BigInt(applied.delta.amount), tax: 0n, currency: folio.currency };
    const what = { kind: 'date_change', reference: idToUuid(deltaId), reason: 'folio_closed' } as const;
    queue(ctx, { ...what, ...size, reservationId, propertyId, folioId: folio.id });
    return undefined;
  }
  if (folio.quoteId !== quoteId) throw heldBack('the date change before this one');
  const [at, nights] = await Promise.all([
    postingAt(ctx, propertyId),
    listNights(ctx.tx, { folioId: folio.id }),
  ]);
  const delta = deltaOf(applied, nights);
  const isLeaving = folio.stage === 'leaving' || folio.stage === 'left';
  const { book, events } = keepBook(ctx, { folio, nights }, before => {
    const changed = applyDelta(before, delta, at);
    return isLeaving ? checkOut(changed, at) : changed;
  });
  await askForBalance(ctx, book.folio);
  await enqueue(ctx, learnTaxes, { folioId: folio.id, quoteId: newQuoteId }, { key: folio.id });
  return events;
}

function deltaOf(applied: Applied, known: readonly Night[]): Delta {
  const rooms = new Map(known.map(({ bookedRoomId, room }) => [bookedRoomId, room]));
  return {
    deltaId: applied.deltaId,
    newQuoteId: applied.newQuoteId,
    version: applied.reservationVersion,
    fee: BigInt(applied.fee.amount),
    delta: BigInt(applied.delta.amount),
    nights: applied.nights
      .filter(({ change }) => change !== 'removed')
      .map(({ bookedRoomId, date, price: { net, tax } }) => ({
        ...{ bookedRoomId, date, room: rooms.get(bookedRoomId) ?? 0 },
        ...{ net: BigInt(net.amount), tax: BigInt(tax.amount) },
      })),
  };
}
