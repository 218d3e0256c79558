import { and, desc, eq, inArray, isNull, lt, sql } from '@ghasi/db/drizzle';
import { row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { invoiceDocuments, invoiceLines, invoiceSeries, invoices, invoiceVoids } from '../invoice-tables.ts';

type Tx = Ctx['tx'];
type Row = typeof invoices.$inferSelect;

/** An invoice, with its end if it has one. */
export type Invoice = Row & {
  readonly voided: typeof invoiceVoids.$inferSelect | null;
  readonly document: Pick<typeof invoiceDocuments.$inferSelect, 'id' | 'sha256' | 'locale'>;
};

/**
 * The next number of a property. Its row stays locked until the invoice commits: who comes later waits, and a
 * transaction that fails gives its number back. So there is no gap and no double, whoever issues at once.
 */
export async function nextNumber(
  { tx, tenantId }: Ctx,
  propertyId: Id<'pro'>,
): Promise<{ prefix: string; sequence: number }> {
  const next = await row<{ prefix: string; sequence: number }>(
    tx,
    sql`insert into billing.invoice_series as s (tenant_id, property_id, last)
        values (${tenantId}, ${idToUuid(propertyId)}, 1)
        on conflict (tenant_id, property_id) do update set last = s.last + 1
        returning prefix, last as sequence`,
  );
  return next as { prefix: string; sequence: number };
}

/** Names the series of a property; numbers that were given stay as they are. */
export async function nameSeries(ctx: Ctx, of: { propertyId: Id<'pro'>; prefix: string }): Promise<void> {
  const { tx, tenantId } = ctx;
  await tx
    .insert(invoiceSeries)
    .values({ tenantId, propertyId: idToUuid(of.propertyId), prefix: of.prefix })
    .onConflictDoUpdate({
      target: [invoiceSeries.tenantId, invoiceSeries.propertyId],
      set: { prefix: of.prefix },
    });
}

/** What an invoice is written down with. */
export type NewInvoice = Omit<Row, 'tenantId' | 'issuedAt'> & {
  readonly lineIds: readonly Id<'fln'>[];
  readonly document: Omit<typeof invoiceDocuments.$inferSelect, 'tenantId' | 'invoiceId'>;
};

export async function insertInvoice({ tx, tenantId, now }: Ctx, invoice: NewInvoice): Promise<void> {
  const { lineIds, document, ...values } = invoice;
  const invoiceId = invoice.id;
  await tx.insert(invoices).values({ ...values, tenantId, issuedAt: now });
  await tx
    .insert(invoiceLines)
    .values(lineIds.map(lineId => ({ tenantId, invoiceId, lineId: idToUuid(lineId) })));
  await tx.insert(invoiceDocuments).values({ ...document, tenantId, invoiceId });
}

export async function insertVoid(
  { tx, tenantId, now }: Ctx,
  voided: Omit<typeof invoiceVoids.$inferInsert, 'tenantId' | 'voidedAt'>,
): Promise<void> {
  await tx.insert(invoiceVoids).values({ ...voided, tenantId, voidedAt: now });
}

/** Which lines of a folio are on an invoice that counts, and on which. */
export async function invoicedLines(tx: Tx, folioId: Id<'fol'>): Promise<Map<Id<'fln'>, string>> {
  const found = await tx
    .select({ lineId: invoiceLines.lineId, number: invoices.number })
    .from(invoiceLines)
    .innerJoin(invoices, eq(invoices.id, invoiceLines.invoiceId))
    .leftJoin(invoiceVoids, eq(invoiceVoids.invoiceId, invoices.id))
    .where(and(eq(invoices.folioId, idToUuid(folioId)), isNull(invoiceVoids.invoiceId)));
  return new Map(found.map(({ lineId, number }) => [idFromUuid('fln', lineId), number]));
}

/** Which invoices to list: of a folio, or of a property from a number downwards. */
export type InvoiceQuery =
  | { readonly folioId: Id<'fol'> }
  | { readonly propertyId: Id<'pro'>; readonly before?: number | undefined };

/** Invoices, the latest first. */
export function listInvoices(tx: Tx, query: InvoiceQuery): Promise<Invoice[]> {
  if ('folioId' in query) return select(tx, eq(invoices.folioId, idToUuid(query.folioId)));
  const of = eq(invoices.propertyId, idToUuid(query.propertyId));
  return select(tx, query.before === undefined ? of : and(of, lt(invoices.sequence, query.before)));
}

/** An invoice that must be there. */
export async function readInvoice(tx: Tx, invoiceId: Id<'inv'>): Promise<Invoice> {
  const [found] = await select(tx, eq(invoices.id, idToUuid(invoiceId)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Invoice' });
  return found;
}

async function select(tx: Tx, which: ReturnType<typeof and>): Promise<Invoice[]> {
  const found = await tx.select().from(invoices).where(which).orderBy(desc(invoices.sequence)).limit(200);
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const voids = await tx.select().from(invoiceVoids).where(inArray(invoiceVoids.invoiceId, ids));
  const { id, invoiceId, sha256, locale } = invoiceDocuments;
  const documents = await tx
    .select({ id, invoiceId, sha256, locale })
    .from(invoiceDocuments)
    .where(inArray(invoiceId, ids));
  return found.map(one => ({
    ...one,
    voided: voids.find(end => end.invoiceId === one.id) ?? null,
    document: documents.find(of => of.invoiceId === one.id) as Invoice['document'],
  }));
}

/** The document of an invoice, byte for byte. */
export async function readDocument(tx: Tx, invoiceId: Id<'inv'>) {
  const [found] = await tx
    .select()
    .from(invoiceDocuments)
    .where(eq(invoiceDocuments.invoiceId, idToUuid(invoiceId)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Invoice' });
  return found;
}
