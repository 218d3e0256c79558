import type { Accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { fromJson } from '@ghasi/domain-primitives/money';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { collectAgain } from '../commands/check-out.ts';
import { chargeSale, moveBalance, openSplit, reverseLine, routeLines } from '../commands/desk.ts';
import {
  folioView,
  latePostingView,
  newCharge,
  newRoutes,
  newSplit,
  newTransfer,
  resolution,
  reversal,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Folio, Routes } from '../model/folio.ts';
import { listCollections } from '../queries/collections.ts';
import { listFolios, readFolio } from '../queries/folios.ts';
import { listWaiting, lockLate, resolve } from '../queries/late-postings.ts';
import { listLines } from '../queries/lines.ts';
import { viewFolio, viewLate } from '../views.ts';

const readers = operator(['owner', 'manager', 'front_desk', 'accountant', 'auditor']);
const desk = operator(['owner', 'manager', 'front_desk']);
const money = operator(['owner', 'manager', 'accountant']);
const one = z.strictObject({ folioId: idText('fol') });
const postingErrors = [coreErrors.NOT_FOUND, errors.FOLIO_CLOSED];

async function viewOf(tx: Ctx['tx'], folio: Folio) {
  const [lines, collections] = [await listLines(tx, folio.id), await listCollections(tx, folio.id)];
  return viewFolio(folio, { lines, collections });
}

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/folios',
  summary: 'The folio of a reservation; none until its booking is confirmed',
  auth: readers,
  query: z.strictObject({ reservationId: idText('rsv') }),
  returns: { 200: z.strictObject({ folios: z.array(folioView) }) },
  async handler({ tx }, { query }) {
    const found = await listFolios(tx, [query.reservationId]);
    const folios = [];
    for (const folio of found) folios.push(await viewOf(tx, folio));
    return { status: 200, body: { folios } };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/folios/:folioId',
  summary: 'A folio: lines, balance, splits, deposits',
  auth: readers,
  params: one,
  returns: { 200: folioView },
  errors: [coreErrors.NOT_FOUND],
  async handler({ tx }, { params }) {
    const folio = await readFolio(tx, params.folioId);
    return { status: 200, body: await viewOf(tx, folio) };
  },
});

/** What a use case made of a folio, and what others hear of it. */
async function told(ctx: Ctx, done: Promise<Accepted<Folio>>) {
  const { value, events } = await done;
  return { body: await viewOf(ctx.tx, value), events };
}

const charge = defineRoute({
  method: 'POST',
  path: '/api/v1/folios/:folioId/charges',
  summary: 'Charge a service, or a fee by policy; the price has its tax in it',
  auth: desk,
  params: one,
  body: newCharge,
  returns: { 201: folioView },
  errors: [
    ...postingErrors,
    errors.CURRENCY_DIFFERS,
    errors.SPLIT_UNKNOWN,
    errors.ROOM_NOT_IN_FOLIO,
    errors.FEE_POSTED,
  ],
  async handler(ctx, { params, body }) {
    const sale = { ...params, ...body, unitPrice: fromJson(body.unitPrice) };
    return { status: 201, ...(await told(ctx, chargeSale(ctx, sale))) };
  },
});

const reverse = defineRoute({
  method: 'POST',
  path: '/api/v1/folios/:folioId/lines/:lineId/reverse',
  summary: 'Take a charge back, in full and once',
  auth: desk,
  params: z.strictObject({ folioId: idText('fol'), lineId: idText('fln') }),
  body: reversal,
  returns: { 201: folioView },
  errors: [...postingErrors, errors.LINE_NOT_REVERSIBLE, errors.LINE_REVERSED, errors.LINE_INVOICED],
  async handler(ctx, { params, body }) {
    return { status: 201, ...(await told(ctx, reverseLine(ctx, { ...params, text: body.reason }))) };
  },
});

const split = defineRoute({
  method: 'POST',
  path: '/api/v1/folios/:folioId/splits',
  summary: 'Open another part of a folio, for a company to pay',
  auth: desk,
  params: one,
  body: newSplit,
  returns: { 201: folioView },
  errors: [...postingErrors, errors.TOO_MANY_SPLITS],
  async handler(ctx, { params, body: { name } }) {
    return { status: 201, ...(await told(ctx, openSplit(ctx, { ...params, payer: 'company', name }))) };
  },
});

const route = defineRoute({
  method: 'PUT',
  path: '/api/v1/folios/:folioId/routes',
  summary: 'Say which split future lines go to; posted lines stay where they are',
  auth: desk,
  params: one,
  body: newRoutes,
  returns: { 200: folioView },
  errors: [...postingErrors, errors.SPLIT_UNKNOWN],
  async handler(ctx, { params, body }) {
    return { status: 200, ...(await told(ctx, routeLines(ctx, { ...params, routes: body as Routes }))) };
  },
});

const transfer = defineRoute({
  method: 'POST',
  path: '/api/v1/folios/:folioId/transfers',
  summary: 'Move what one split owes to another; their sum stays the same',
  auth: desk,
  params: one,
  body: newTransfer,
  returns: { 201: folioView },
  errors: [...postingErrors, errors.SPLIT_UNKNOWN, errors.SAME_SPLIT, errors.CURRENCY_DIFFERS],
  async handler(ctx, { params, body: { from, to, amount } }) {
    const move = { ...params, from, to, amount: fromJson(amount) };
    return { status: 201, ...(await told(ctx, moveBalance(ctx, move))) };
  },
});

const collect = defineRoute({
  method: 'POST',
  path: '/api/v1/folios/:folioId/collect',
  summary: 'Ask a guest who leaves, or has left, once more for what he owes',
  auth: desk,
  params: one,
  returns: { 202: folioView },
  errors: [coreErrors.NOT_FOUND, errors.NOTHING_TO_COLLECT],
  async handler(ctx, { params }) {
    const folio = await collectAgain(ctx, params.folioId);
    return { status: 202, body: await viewOf(ctx.tx, folio) };
  },
});

const late = defineRoute({
  method: 'GET',
  path: '/api/v1/late-postings',
  summary: 'What came too late for its folio and waits for somebody',
  auth: readers,
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ latePostings: z.array(latePostingView) }) },
  handler: async ({ tx }, { query }) => ({
    status: 200,
    body: { latePostings: (await listWaiting(tx, query.propertyId)).map(viewLate) },
  }),
});

const settleLate = defineRoute({
  method: 'POST',
  path: '/api/v1/late-postings/:id/resolve',
  summary: 'Say what became of something that came too late',
  auth: money,
  params: z.strictObject({ id: z.uuid() }),
  body: resolution,
  returns: { 200: latePostingView },
  errors: [coreErrors.NOT_FOUND, errors.ALREADY_RESOLVED],
  async handler(ctx, { params, body: { as, note } }) {
    const waiting = await lockLate(ctx.tx, params.id);
    if (waiting.status !== 'waiting') throw errors.ALREADY_RESOLVED();
    return { status: 200, body: viewLate(await resolve(ctx, waiting, { status: as, note })) };
  },
});

/** Folios for the desk, and the queue of what came too late. */
export const folioRoutes: readonly AnyRoute[] = [
  ...[list, show, charge, reverse, split, route, transfer, collect],
  ...[late, settleLate],
];
