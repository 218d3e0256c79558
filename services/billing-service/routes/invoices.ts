import type { Ask } from '@ghasi/backbone/question';
import { type Ctx, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { content } from '@ghasi/http/content';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { contactOf } from '@melmastoon/reservation-service/contract/questions';
import { z } from 'zod';
import { issueInvoice, voidInvoice } from '../commands/invoices.ts';
import { invoiceView, newInvoice, seriesName, voiding } from '../contract/resources.ts';
import { DOCUMENT_POLICY, type Locale, type Recipient } from '../document.ts';
import { errors } from '../errors.ts';
import { readFolio } from '../queries/folios.ts';
import { findHouse } from '../queries/houses.ts';
import { listInvoices, nameSeries, readDocument, readInvoice } from '../queries/invoices.ts';
import { viewInvoice } from '../views.ts';

const readers = operator(['owner', 'manager', 'front_desk', 'accountant', 'auditor']);
const desk = operator(['owner', 'manager', 'front_desk', 'accountant']);
const finance = operator(['owner', 'manager', 'accountant']);
const one = z.strictObject({ invoiceId: idText('inv') });

type Papers = { locale: Locale | null; recipient: Recipient | null };

/** Invoices. Names are asked for before the transaction and stay in the document. */
export function invoiceRoutes(ask: Ask): readonly AnyRoute[] {
  /** Whom to write to, and in which language: as asked for, else as the guest booked. */
  async function papersOf(tenantId: TenantId, reservationId: Id<'rsv'>, { locale, recipient }: Papers) {
    if (locale !== null && recipient !== null) return { locale, recipient };
    const guest = await ask(contactOf, { tenantId, reservationId });
    return {
      locale: locale ?? guest?.locale ?? 'en',
      recipient: recipient ?? { name: guest?.name ?? '', address: null },
    };
  }

  const issue = defineRoute({
    method: 'POST',
    path: '/api/v1/folios/:folioId/invoices',
    summary: 'Issue an invoice of what a split was charged and is on no invoice yet',
    auth: desk,
    transaction: 'late',
    params: z.strictObject({ folioId: idText('fol') }),
    body: newInvoice,
    returns: { 201: invoiceView },
    errors: [coreErrors.NOT_FOUND, errors.SPLIT_UNKNOWN, errors.NOTHING_TO_INVOICE, errors.CHARGED_AHEAD],
    async handler(ctx, { params: { folioId }, body: { split, ...wanted } }) {
      const { reservationId } = await tenantRead(ctx.db, ctx, ({ tx }) => readFolio(tx, folioId));
      const papers = await papersOf(ctx.tenantId, reservationId, wanted);
      return ctx.commit(async inside => {
        const { value, events } = await issueInvoice(inside, { folioId, split, ...papers });
        return { status: 201, body: viewInvoice(value), events };
      });
    },
  });

  const end = defineRoute({
    method: 'POST',
    path: '/api/v1/invoices/:invoiceId/void',
    summary: 'Void an invoice, with or without another in its place; its number is never used again',
    auth: finance,
    transaction: 'late',
    params: one,
    body: voiding,
    returns: { 200: invoiceView },
    errors: [coreErrors.NOT_FOUND, errors.INVOICE_VOIDED, errors.NOTHING_TO_INVOICE, errors.CHARGED_AHEAD],
    async handler(ctx, { params: { invoiceId }, body: { reason, reissue } }) {
      const invoice = await tenantRead(ctx.db, ctx, ({ tx }) => readInvoice(tx, invoiceId));
      const reservationId = idFromUuid('rsv', invoice.reservationId);
      const papers = reissue === null ? null : await papersOf(ctx.tenantId, reservationId, reissue);
      return ctx.commit(async inside => {
        const { value, events } = await voidInvoice(inside, { invoiceId, reason, reissue: papers });
        return { status: 200, body: viewInvoice(value), events };
      });
    },
  });

  return [list, show, document, issue, end, series];
}

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/invoices',
  summary: 'Invoices of a folio, or of a property from a number downwards, the latest first',
  auth: readers,
  query: z
    .strictObject({
      folioId: idText('fol').optional(),
      propertyId: idText('pro').optional(),
      before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
    })
    .refine(({ folioId, propertyId }) => (folioId === undefined) !== (propertyId === undefined), {
      message: 'name a folio or a property',
    }),
  returns: { 200: z.strictObject({ invoices: z.array(invoiceView) }) },
  async handler({ tx }, { query: { folioId, propertyId, before } }) {
    const which = folioId === undefined ? { propertyId: propertyId as Id<'pro'>, before } : { folioId };
    return { status: 200, body: { invoices: (await listInvoices(tx, which)).map(viewInvoice) } };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/invoices/:invoiceId',
  summary: 'An invoice',
  auth: readers,
  params: one,
  returns: { 200: invoiceView },
  errors: [coreErrors.NOT_FOUND],
  handler: async ({ tx }, { params }) => ({
    status: 200,
    body: viewInvoice(await readInvoice(tx, params.invoiceId)),
  }),
});

const document = defineRoute({
  method: 'GET',
  path: '/api/v1/invoices/:invoiceId/document',
  summary: 'The invoice as a page that prints, byte for byte as it was handed out',
  auth: readers,
  params: one,
  returns: { 200: content('text/html; charset=utf-8') },
  errors: [coreErrors.NOT_FOUND],
  async handler({ tx }, { params }) {
    const { html, sha256 } = await readDocument(tx, params.invoiceId);
    const headers = { 'content-security-policy': DOCUMENT_POLICY, etag: `"${sha256}"` };
    return { status: 200, body: html, headers };
  },
});

const series = defineRoute({
  method: 'PUT',
  path: '/api/v1/invoice-series/:propertyId',
  summary: 'Name the invoices of a property; numbers go on where they are',
  auth: finance,
  params: z.strictObject({ propertyId: idText('pro') }),
  body: seriesName,
  returns: { 200: seriesName },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx: Ctx, { params: { propertyId }, body }) {
    if ((await findHouse(ctx.tx, propertyId)) === undefined)
      throw coreErrors.NOT_FOUND({ entity: 'Property' });
    await nameSeries(ctx, { propertyId, ...body });
    return { status: 200, body };
  },
});
