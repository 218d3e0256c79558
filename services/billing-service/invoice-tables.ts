import {
  date,
  index,
  integer,
  jsonb,
  minor,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { voidReasons } from './contract.ts';
import type { InvoiceTax } from './model/invoice.ts';

const schema = pgSchema('billing');
const tenantId = uuid('tenant_id').notNull();

/** The last number of a property's invoices. */
export const invoiceSeries = schema.table(
  'invoice_series',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    prefix: text('prefix').notNull().default('INV'),
    last: integer('last').notNull().default(0),
  },
  t => [primaryKey({ name: 'invoice_series_pk', columns: [t.tenantId, t.propertyId] })],
);

/** What was billed to whom; only grows. */
export const invoices = schema.table(
  'invoices',
  {
    tenantId,
    id: uuid('id').notNull(),
    folioId: uuid('folio_id').notNull(),
    split: smallint('split').notNull(),
    propertyId: uuid('property_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    number: text('number').notNull(),
    sequence: integer('sequence').notNull(),
    issuedOn: date('issued_on', { mode: 'string' }).notNull(),
    currency: text('currency').$type<CurrencyCode>().notNull(),
    net: minor('net').notNull(),
    tax: minor('tax').notNull(),
    taxes: jsonb('taxes').$type<readonly InvoiceTax<string>[]>().notNull(),
    issuedBy: text('issued_by').notNull(),
    issuedAt: timestamp('issued_at', { withTimezone: true }).notNull(),
  },
  t => [
    primaryKey({ name: 'invoices_pk', columns: [t.tenantId, t.id] }),
    unique('invoices_sequence').on(t.tenantId, t.propertyId, t.sequence),
    unique('invoices_number').on(t.tenantId, t.propertyId, t.number),
    index('invoices_by_folio').on(t.tenantId, t.folioId),
  ],
);

/** Which lines an invoice is made of; only grows. */
export const invoiceLines = schema.table(
  'invoice_lines',
  { tenantId, invoiceId: uuid('invoice_id').notNull(), lineId: uuid('line_id').notNull() },
  t => [
    primaryKey({ name: 'invoice_lines_pk', columns: [t.tenantId, t.invoiceId, t.lineId] }),
    index('invoice_lines_by_line').on(t.tenantId, t.lineId),
  ],
);

/** The document as it was handed out; only grows. */
export const invoiceDocuments = schema.table(
  'invoice_documents',
  {
    tenantId,
    id: uuid('id').notNull(),
    invoiceId: uuid('invoice_id').notNull(),
    locale: text('locale', { enum: ['en', 'ps', 'fa-AF'] }).notNull(),
    html: text('html').notNull(),
    sha256: text('sha256').notNull(),
  },
  t => [
    primaryKey({ name: 'invoice_documents_pk', columns: [t.tenantId, t.id] }),
    unique('invoice_documents_one_per_invoice').on(t.tenantId, t.invoiceId),
  ],
);

/** Invoices that count no more; only grows. */
export const invoiceVoids = schema.table(
  'invoice_voids',
  {
    tenantId,
    invoiceId: uuid('invoice_id').notNull(),
    reason: text('reason', { enum: voidReasons }).notNull(),
    replacedBy: uuid('replaced_by'),
    voidedBy: text('voided_by').notNull(),
    voidedAt: timestamp('voided_at', { withTimezone: true }).notNull(),
  },
  t => [primaryKey({ name: 'invoice_voids_pk', columns: [t.tenantId, t.invoiceId] })],
);
