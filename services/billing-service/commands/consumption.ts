import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { fromJson } from '@ghasi/domain-primitives/money';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import type { ConsumptionCreated } from '@melmastoon/housekeeping-service/contract';
import { post } from '../model/book.ts';
import type { Folio } from '../model/folio.ts';
import { chargeLine, reversalLine } from '../model/line.ts';
import { lockFolio } from '../queries/folios.ts';
import { queue, takeBack } from '../queries/late-postings.ts';
import { findByCause } from '../queries/lines.ts';
import { heldBack, keepBook, postingAt } from './keep-book.ts';

type Consumed = PayloadOf<typeof ConsumptionCreated>;

/** GEN-22: one charge for one consumption. After the folio has closed it waits for the desk. */
export async function chargeConsumption(ctx: Ctx, consumed: Consumed): Promise<ReactionResult> {
  const { paidBy, reservationId, reverses } = consumed;
  if (paidBy === 'house' || reservationId === null) return 'noop';
  const folio = await lockFolio(ctx.tx, { reservationId });
  if (reverses !== null) return takeBackConsumption(ctx, { folio, consumed, reverses });
  const currency = fromJson(consumed.total.gross).currency;
  if (folio?.status !== 'open' || folio.currency !== currency) {
    queue(ctx, lateOf(consumed, { reservationId, folio, currency }));
    return undefined;
  }
  const { consumptionId, productName: text } = consumed;
  const cause = `consumption:${consumptionId}`;
  if (await findByCause(ctx.tx, { folioId: folio.id, cause })) return 'noop'; // pushed twice under two names
  const at = await postingAt(ctx, folio.propertyId, consumed.businessDate);
  const source = { kind: 'consumption', consumptionId } as const;
  const charge = { cause, source, ...partsOf(consumed), text };
  return keepBook(ctx, { folio }, book => post(book, chargeLine(book.folio, charge), at)).events;
}

/** a correction takes the whole consumption back, wherever it is: on the folio, or still in the queue. */
async function takeBackConsumption(
  ctx: Ctx,
  { folio, consumed, reverses }: { folio: Folio | undefined; consumed: Consumed; reverses: Id<'cns'> },
): Promise<ReactionResult> {
  const { consumptionId } = consumed;
  const late = {
    kind: 'consumption',
    reference: idToUuid(reverses),
    note: `reversed: ${consumptionId}`,
  } as const;
  if (await takeBack(ctx, late)) return undefined;
  const cause = `consumption:${reverses}`;
  const line = folio && (await findByCause(ctx.tx, { folioId: folio.id, cause }));
  if (folio === undefined || line === undefined) throw heldBack('the consumption that is taken back');
  if (await findByCause(ctx.tx, { folioId: folio.id, cause: `reversal:${line.id}` })) return 'noop';
  if (folio.status === 'closed') {
    const { reservationId, currency } = folio;
    const parts = lateOf(consumed, { reservationId, folio, currency });
    queue(ctx, { ...parts, net: -parts.net, tax: -parts.tax });
    return undefined;
  }
  const at = await postingAt(ctx, folio.propertyId, consumed.businessDate);
  return keepBook(ctx, { folio }, book => post(book, reversalLine(line), at)).events;
}

function lateOf(
  consumed: Consumed,
  {
    reservationId,
    folio,
    currency,
  }: Pick<Folio, 'reservationId' | 'currency'> & { folio: Folio | undefined },
) {
  const { propertyId, consumptionId, productName: text } = consumed;
  const isKnown = folio !== undefined && folio.status !== 'prepared';
  const reason = !isKnown ? 'no_folio' : folio.status === 'closed' ? 'folio_closed' : 'other_currency';
  return {
    ...({ kind: 'consumption', reference: idToUuid(consumptionId), reason, text, currency } as const),
    ...{ ...partsOf(consumed), propertyId, reservationId, folioId: isKnown ? folio.id : null },
  };
}

function partsOf({ total }: Consumed) {
  return { net: BigInt(total.net.amount), tax: BigInt(total.tax.amount) };
}
