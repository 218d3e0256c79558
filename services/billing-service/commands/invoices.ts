import { createHash } from 'node:crypto';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { type Id, idFromUuid, idToUuid, parseId } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import { InvoiceIssued, InvoiceVoided, type voidReasons } from '../contract.ts';
import { type Locale, type Recipient, renderInvoice } from '../document.ts';
import { errors } from '../errors.ts';
import type { Folio } from '../model/folio.ts';
import { billable, type InvoiceSums, invoiceNumber, sumInvoice } from '../model/invoice.ts';
import { chargedAhead } from '../model/line.ts';
import { lockFolio } from '../queries/folios.ts';
import { findHouse, type House } from '../queries/houses.ts';
import {
  type Invoice,
  insertInvoice,
  insertVoid,
  invoicedLines,
  nextNumber,
  readInvoice,
} from '../queries/invoices.ts';
import { listLines } from '../queries/lines.ts';

/** Who gets an invoice of what. */
export type Issue = {
  readonly folioId: Id<'fol'>;
  readonly split: number;
  readonly locale: Locale;
  readonly recipient: Recipient;
  /** Where it has a name already; default: a new one. */
  readonly invoiceId?: Id<'inv'>;
};

/**
 * Issues an invoice of everything a split was charged and that is on no valid invoice. The number is drawn last, under
 * the series' lock, and committed with the document (EVT-44).
 */
export async function issueInvoice(ctx: Ctx, issue: Issue): Promise<Accepted<Invoice>> {
  const folio = await lockFolio(ctx.tx, issue);
  if (folio === undefined || folio.status === 'prepared') throw coreErrors.NOT_FOUND({ entity: 'Folio' });
  const split = folio.splits.find(({ number }) => number === issue.split);
  if (split === undefined) throw errors.SPLIT_UNKNOWN({ split: issue.split });
  const ahead = chargedAhead(folio, issue.split);
  if (ahead.net + ahead.tax !== 0n) throw errors.CHARGED_AHEAD();
  const invoiced = new Set<string>((await invoicedLines(ctx.tx, folio.id)).keys());
  const lines = billable(await listLines(ctx.tx, folio.id), { split: issue.split, invoiced });
  const sums = sumInvoice(lines);
  if (lines.length === 0 || sums.net < 0n || sums.tax < 0n) throw errors.NOTHING_TO_INVOICE();
  const house = await findHouse(ctx.tx, folio.propertyId);
  if (house === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  const issuedOn = house.businessDate;
  const { prefix, sequence } = await nextNumber(ctx, folio.propertyId);
  await failpoint('billing.invoice-numbered');
  const number = invoiceNumber({ prefix, sequence, issuedOn });
  const recipient = { ...issue.recipient, name: split.name ?? issue.recipient.name };
  const html = renderInvoice(
    { number, issuedOn, house, recipient, lines, sums, currency: folio.currency },
    issue.locale,
  );
  const invoiceId = issue.invoiceId ?? ctx.newId('inv');
  const fileId = ctx.newId('fil');
  const sha256 = createHash('sha256').update(html).digest('hex');
  await insertInvoice(ctx, {
    ...{
      id: idToUuid(invoiceId),
      folioId: idToUuid(folio.id),
      split: issue.split,
      number,
      sequence,
      issuedOn,
    },
    ...{ propertyId: house.propertyId, reservationId: idToUuid(folio.reservationId) },
    ...{ currency: folio.currency, net: sums.net, tax: sums.tax, taxes: textOf(sums) },
    issuedBy: ctx.actor.id,
    lineIds: lines.map(({ id }) => id),
    document: { id: idToUuid(fileId), locale: issue.locale, html, sha256 },
  });
  const event = issuedEvent(folio, { invoiceId, number, issuedOn, sums, document: { fileId, sha256 } });
  return accepted(await readInvoice(ctx.tx, invoiceId), [event]);
}

type Issued = {
  invoiceId: Id<'inv'>;
  number: string;
  issuedOn: House['businessDate'];
  sums: InvoiceSums;
  document: { fileId: Id<'fil'>; sha256: string };
};

function issuedEvent(folio: Folio, { invoiceId, number, issuedOn, sums, document }: Issued) {
  const inMoney = (minor: bigint) => toJson(money(minor, folio.currency));
  const { reservationId, propertyId, guestId } = folio;
  if (guestId === null) throw new TypeError(`folio ${folio.id} is nobody's`);
  return InvoiceIssued.from(
    {
      ...{
        invoiceId,
        invoiceNumber: number,
        folioId: folio.id,
        reservationId,
        propertyId,
        guestId,
        issuedOn,
      },
      total: { net: inMoney(sums.net), tax: inMoney(sums.tax), gross: inMoney(sums.net + sums.tax) },
      taxes: sums.taxes.map(({ taxCode, basisPoints, taxable, tax }) => ({
        ...{ taxCode, basisPoints, taxable: inMoney(taxable), tax: inMoney(tax) },
      })),
      document,
    },
    { aggregateVersion: 1 },
  );
}

function textOf({ taxes }: InvoiceSums) {
  return taxes.map(({ taxCode, basisPoints, taxable, tax }) => ({
    ...{ taxCode, basisPoints, taxable: String(taxable), tax: String(tax) },
  }));
}

/** Why an invoice counts no more, and who gets another one of its lines instead. */
export type Voiding = {
  readonly invoiceId: Id<'inv'>;
  readonly reason: (typeof voidReasons)[number];
  readonly reissue: Pick<Issue, 'locale' | 'recipient'> | null;
};

/** An invoice counts no more; its number is never used again, its lines are free for the one that replaces it (EVT-45). */
export async function voidInvoice(
  ctx: Ctx,
  { invoiceId, reason, reissue }: Voiding,
): Promise<Accepted<Invoice>> {
  const { folioId: uuid } = await readInvoice(ctx.tx, invoiceId);
  const folioId = idFromUuid('fol', uuid);
  await lockFolio(ctx.tx, { folioId });
  const invoice = await readInvoice(ctx.tx, invoiceId); // again: somebody may have been faster
  if (invoice.voided !== null) throw errors.INVOICE_VOIDED();
  const replacedBy = reissue === null ? null : ctx.newId('inv');
  await insertVoid(ctx, {
    ...{ invoiceId: invoice.id, reason, voidedBy: ctx.actor.id },
    replacedBy: replacedBy === null ? null : idToUuid(replacedBy),
  });
  const next =
    reissue === null || replacedBy === null
      ? undefined
      : await issueInvoice(ctx, { ...reissue, folioId, split: invoice.split, invoiceId: replacedBy });
  const event = InvoiceVoided.from(
    {
      ...{ invoiceId, invoiceNumber: invoice.number, folioId, reason, replacedBy },
      reservationId: idFromUuid('rsv', invoice.reservationId),
      propertyId: idFromUuid('pro', invoice.propertyId),
      gross: toJson(money(invoice.net + invoice.tax, invoice.currency)),
      voidedBy: parseId('usr', ctx.actor.id),
    },
    { aggregateVersion: 2 },
  );
  return accepted(await readInvoice(ctx.tx, invoiceId), [...(next?.events ?? []), event]);
}
