import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { makeQuote as freeze } from './commands/quotes.ts';
import { cancellationTermsOf, makeQuote, quoteOf } from './contract/questions.ts';
import { errors } from './errors.ts';
import { findQuote } from './queries/quotes.ts';
import { leavingTermsOf, quoteToView } from './quote-view.ts';

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
