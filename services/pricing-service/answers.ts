import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { readSold } from './commands/calendar.ts';
import { previewDelta } from './commands/deltas.ts';
import { listOffers, listPlansOnSale } from './commands/offers.ts';
import { makeQuote as freeze } from './commands/quotes.ts';
import { calendarOf, cancellationTermsOf, makeQuote, quoteOf } from './contract/questions.ts';
import { dateChangePreview, offersOf, plansOnSale } from './contract/site-questions.ts';
import { errors } from './errors.ts';
import { listedDays, partiesOf } from './model/listing.ts';
import { listCharges } from './queries/charges.ts';
import { findProperty, findRoomTypes } from './queries/houses.ts';
import { listPlans } from './queries/plans.ts';
import { findQuote } from './queries/quotes.ts';
import { leavingTermsOf, moneyIn, quoteToView, taxedIn } from './quote-view.ts';

const self: Actor = { type: 'service', id: 'pricing-service' };

/** Prices a stay for another service; restrictions are never put aside here. */
export const makeQuoteAnswer = answer(makeQuote, ({ db, log }, { tenantId, ...request }) =>
  tenantTransaction(db, { tenantId, actor: self, log }, ctx => freeze(ctx, request)),
);

/** Reads what was promised. */
export const quoteOfAnswer = answer(quoteOf, ({ db, log }, { tenantId, quoteId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    const found = await findQuote(tx, quoteId);
    return found === undefined ? null : quoteToView(found);
  }),
);

/** Counts what leaving costs by the terms the guest agreed to. */
export const cancellationTermsAnswer = answer(
  cancellationTermsOf,
  ({ db, log }, { tenantId, quoteId, at, because, paid }) =>
    tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
      const found = await findQuote(tx, quoteId);
      if (found === undefined) return null;
      if (paid !== null && paid.currency !== found.currency)
        throw errors.CURRENCY_DIFFERS({ currency: found.currency });
      const given = paid === null ? null : BigInt(paid.amount);
      return leavingTermsOf(found, { at: new Date(at), because, paid: given });
    }),
);

/** What a house asks for on which nights; five statements, whatever the number of plans. */
export const calendarAnswer = answer(calendarOf, ({ db, log }, { tenantId, propertyId, from, until }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const property = await findProperty(ctx.tx, propertyId);
    if (property === undefined) return null;
    const plans = (await listPlans(ctx.tx, propertyId)).filter(({ status }) => status === 'published');
    const ids = [...new Set(plans.flatMap(({ roomTypeIds }) => roomTypeIds))];
    const roomTypes = await findRoomTypes(ctx.tx, propertyId, ids);
    const rules = await listCharges(ctx.tx, propertyId);
    const window = { from: from as LocalDate, until: until as LocalDate };
    const sold = await readSold(ctx, plans, { roomTypes: [...roomTypes.keys()], window });
    return {
      currency: property.currency,
      rates: sold.flatMap(({ plan, roomType: roomTypeId, days }) => {
        const roomType = roomTypes.get(roomTypeId);
        if (roomType === undefined) return [];
        const { id: ratePlanId, board, guarantee, refundable } = plan;
        const listed = listedDays(days.values(), { plan, roomType, rules });
        return {
          ...{ ratePlanId, roomTypeId, board, guarantee, refundable, parties: partiesOf(roomType) },
          days: listed.map(({ gross, onArrival, ...day }) => ({
            ...day,
            gross: gross === null ? null : gross.map(String),
            onArrival: onArrival.map(String),
          })),
        };
      }),
    };
  }),
);

/** The list a guest chooses from. */
export const offersAnswer = answer(offersOf, ({ db, log }, { tenantId, ...asked }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const offers = await listOffers(ctx, asked);
    return offers === undefined ? null : { offers };
  }),
);

/** What a house sells on. */
export const plansOnSaleAnswer = answer(plansOnSale, ({ db, log }, { tenantId, propertyId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => ({
    plans: await listPlansOnSale(ctx, propertyId),
  })),
);

/** Shows a guest what other dates would cost before he asks for them. */
export const dateChangePreviewAnswer = answer(dateChangePreview, ({ db, log }, { tenantId, ...asked }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const found = await previewDelta(ctx, asked);
    if (found === undefined) return null;
    const { before, delta } = found;
    const [json, taxed] = [moneyIn(before.currency), taxedIn(before.currency)];
    return {
      previousTotal: taxed(delta.previousTotal),
      newTotal: taxed(delta.newTotal),
      fee: json(delta.fee),
      delta: json(delta.delta),
    };
  }),
);
