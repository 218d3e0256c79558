import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, instant, line } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { makeQuote } from '../commands/quotes.ts';
import { leavingTerms, quoteOutcome, quoteRequest, quoteView } from '../contract/questions.ts';
import { findQuote } from '../queries/quotes.ts';
import { leavingTermsOf, quoteToView } from '../quote-view.ts';
import { sellers } from './plans.ts';

const params = z.strictObject({ quoteId: idText('quo') });

const make = defineRoute({
  method: 'POST',
  path: '/api/v1/quotes',
  summary: 'Price a stay and keep the price for 15 minutes, or hear why it is not sold',
  auth: operator(['owner', 'manager', 'front_desk']),
  body: quoteRequest,
  returns: { 200: quoteOutcome, 201: quoteOutcome },
  handler: async (ctx, { body }) => {
    const outcome = await makeQuote(ctx, body);
    return { status: outcome.kind === 'quoted' ? 201 : 200, body: outcome };
  },
});

// A route of its own, so that the right to do this is a right of its own (R12).
const makeWithOverride = defineRoute({
  method: 'POST',
  path: '/api/v1/quotes/with-override',
  summary: 'Price a stay although restrictions are in its way, and say why',
  auth: operator(['owner', 'manager']),
  body: z.strictObject({ request: quoteRequest, reason: line(300) }),
  returns: { 200: quoteOutcome, 201: quoteOutcome },
  handler: async (ctx, { body }) => {
    const outcome = await makeQuote(ctx, body.request, { reason: body.reason, by: ctx.principal.id });
    return { status: outcome.kind === 'quoted' ? 201 : 200, body: outcome };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/quotes/:quoteId',
  summary: 'A quote as it was promised',
  auth: sellers,
  params,
  returns: { 200: quoteView },
  errors: [coreErrors.NOT_FOUND],
  handler: async ({ tx }, input) => {
    const found = await findQuote(tx, input.params.quoteId);
    if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Quote' });
    return { status: 200, body: quoteToView(found) };
  },
});

const terms = defineRoute({
  method: 'GET',
  path: '/api/v1/quotes/:quoteId/cancellation-terms',
  summary: 'What leaving would cost at a moment, by the terms of the quote',
  auth: sellers,
  params,
  query: z.strictObject({
    at: instant.optional(),
    because: z.enum(['cancellation', 'no_show']).default('cancellation'),
  }),
  returns: { 200: leavingTerms },
  errors: [coreErrors.NOT_FOUND],
  handler: async ({ tx, now }, { params: { quoteId }, query: { at, because } }) => {
    const found = await findQuote(tx, quoteId);
    if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Quote' });
    const when = at === undefined ? now : new Date(at);
    return { status: 200, body: leavingTermsOf(found, { at: when, because, paid: null }) };
  },
});

/** Prices that are promised. */
export const quoteRoutes: readonly AnyRoute[] = [make, makeWithOverride, show, terms];
