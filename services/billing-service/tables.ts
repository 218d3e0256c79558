import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  day,
  foreignKey,
  index,
  integer,
  jsonb,
  minor,
  pgSchema,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { paymentPurposes, refundReasons } from '@melmastoon/payment-gateway-service/contract';
import { closingOccasions } from './contract.ts';
import {
  depositStates,
  paymentStates,
  type Routes,
  rails,
  type Split,
  stages,
  statuses,
} from './model/folio.ts';
import { latePostingKinds, latePostingReasons, latePostingStatuses } from './model/late-posting.ts';
import { type ChargeSource, lineKinds, type TaxPart } from './model/line.ts';

const schema = pgSchema('billing');
const locales = ['en', 'ps', 'fa-AF'] as const;
const currency = text('currency').$type<CurrencyCode>().notNull();
const tenantId = uuid('tenant_id').notNull();

/** A text in some languages. */
export type Localised = readonly { readonly locale: string; readonly text: string }[];

/** What billing knows of a house. */
export const houses = schema.table(
  'houses',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    name: jsonb('name').$type<Localised>().notNull(),
    city: jsonb('city').$type<Localised>().notNull(),
    zone: text('zone').notNull(),
    currency,
    businessDate: day('business_date').notNull(),
    version: integer('version').notNull(),
  },
  t => [primaryKey({ name: 'houses_pk', columns: [t.tenantId, t.propertyId] })],
);

/** One per reservation. */
export const folios = schema.table(
  'folios',
  {
    tenantId,
    id: uuid('id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    guestId: uuid('guest_id'),
    locale: text('locale', { enum: locales }).notNull().default('en'),
    currency,
    status: text('status', { enum: statuses }).notNull(),
    stage: text('stage', { enum: stages }).notNull(),
    rail: text('rail', { enum: rails }),
    quoteId: uuid('quote_id'),
    bookingVersion: integer('booking_version').notNull().default(0),
    deltaVersion: integer('delta_version').notNull().default(0),
    closableFrom: day('closable_from'),
    splits: jsonb('splits').$type<readonly Split[]>().notNull(),
    routes: jsonb('routes').$type<Routes>().notNull().default({}),
    occasion: text('occasion', { enum: closingOccasions }),
    openedOn: day('opened_on'),
    closedOn: day('closed_on'),
    version: integer('version').notNull(),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'folios_pk', columns: [t.tenantId, t.id] }),
    unique('folios_one_per_reservation').on(t.tenantId, t.reservationId),
    index('folios_by_property').on(t.tenantId, t.propertyId, t.stage).where(sql`status = 'open'`),
  ],
);

/** What happened on a folio; only grows. */
export const lines = schema.table(
  'lines',
  {
    tenantId,
    id: uuid('id').notNull(),
    folioId: uuid('folio_id').notNull(),
    position: integer('position').notNull(),
    kind: text('kind', { enum: lineKinds }).notNull(),
    cause: text('cause').notNull(),
    split: smallint('split').notNull(),
    net: minor('net').notNull(),
    tax: minor('tax').notNull(),
    currency,
    source: jsonb('source').$type<ChargeSource>(),
    paymentId: uuid('payment_id'),
    refundId: uuid('refund_id'),
    refundReason: text('refund_reason', { enum: refundReasons }),
    reversedLineId: uuid('reversed_line_id'),
    text: text('text'),
    businessDate: day('business_date').notNull(),
    occurredAt: at('occurred_at').notNull(),
    recordedBy: text('recorded_by').notNull(),
  },
  t => [
    primaryKey({ name: 'lines_pk', columns: [t.tenantId, t.id] }),
    unique('lines_once').on(t.tenantId, t.folioId, t.cause),
    unique('lines_in_order').on(t.tenantId, t.folioId, t.position),
    foreignKey({
      name: 'lines_folio',
      columns: [t.tenantId, t.folioId],
      foreignColumns: [folios.tenantId, folios.id],
    }),
    uniqueIndex('lines_one_end').on(t.tenantId, t.paymentId).where(sql`kind like 'deposit\\_%'`),
    uniqueIndex('lines_one_capture')
      .on(t.tenantId, t.paymentId)
      .where(sql`kind in ('deposit', 'payment', 'late_payment')`),
  ],
);

/** The sides of a line: positive is a debit; only grows. */
export const entries = schema.table(
  'entries',
  {
    tenantId,
    lineId: uuid('line_id').notNull(),
    position: smallint('position').notNull(),
    folioId: uuid('folio_id').notNull(),
    account: text('account').notNull(),
    amount: minor('amount').notNull(),
    currency,
  },
  t => [
    primaryKey({ name: 'entries_pk', columns: [t.tenantId, t.lineId, t.position] }),
    foreignKey({
      name: 'entries_line',
      columns: [t.tenantId, t.lineId],
      foreignColumns: [lines.tenantId, lines.id],
    }),
    index('entries_by_folio').on(t.tenantId, t.folioId, t.account),
  ],
);

/** The frozen price of a night. */
export const nights = schema.table(
  'nights',
  {
    tenantId,
    folioId: uuid('folio_id').notNull(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    night: day('night').notNull(),
    room: smallint('room').notNull(),
    net: minor('net').notNull(),
    tax: minor('tax').notNull(),
    taxes: jsonb('taxes').$type<readonly TaxPart<string>[]>(),
    posted: boolean('posted').notNull().default(false),
  },
  t => [
    primaryKey({ name: 'nights_pk', columns: [t.tenantId, t.folioId, t.bookedRoomId, t.night] }),
    index('nights_due').on(t.tenantId, t.folioId, t.night).where(sql`not posted`),
  ],
);

/** Money as payment-gateway-service tells it. */
export const payments = schema.table(
  'payments',
  {
    tenantId,
    id: uuid('id').notNull(),
    folioId: uuid('folio_id').notNull(),
    purpose: text('purpose', { enum: paymentPurposes }).notNull(),
    rail: text('rail', { enum: rails }).notNull(),
    state: text('state', { enum: paymentStates }).notNull(),
    amount: minor('amount').notNull(),
    refunded: minor('refunded').notNull().default(0n),
    deposit: text('deposit', { enum: depositStates }),
    version: integer('version').notNull(),
    createdAt: at('created_at').notNull(),
  },
  t => [
    primaryKey({ name: 'payments_pk', columns: [t.tenantId, t.id] }),
    index('payments_by_folio').on(t.tenantId, t.folioId),
  ],
);

/** Refunds that were posted and are not with the guest yet. */
export const promisedRefunds = schema.table(
  'promised_refunds',
  {
    tenantId,
    id: uuid('id').notNull(),
    folioId: uuid('folio_id').notNull(),
    paymentId: uuid('payment_id').notNull(),
    amount: minor('amount').notNull(),
    settledBy: uuid('settled_by'),
  },
  t => [
    primaryKey({ name: 'promised_refunds_pk', columns: [t.tenantId, t.id] }),
    index('promised_refunds_open').on(t.tenantId, t.paymentId).where(sql`settled_by is null`),
  ],
);

/** What was asked of payment-gateway-service; only grows. */
export const collections = schema.table(
  'collections',
  {
    tenantId,
    id: uuid('id').notNull(),
    folioId: uuid('folio_id').notNull(),
    amount: minor('amount').notNull(),
    rail: text('rail').notNull(),
    outcome: text('outcome', { enum: ['asked', 'refused'] }).notNull(),
    paymentId: uuid('payment_id'),
    at: at('at').notNull(),
  },
  t => [
    primaryKey({ name: 'collections_pk', columns: [t.tenantId, t.id] }),
    index('collections_by_folio').on(t.tenantId, t.folioId),
  ],
);

/** What came too late for its folio. */
export const latePostings = schema.table(
  'late_postings',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    folioId: uuid('folio_id'),
    kind: text('kind', { enum: latePostingKinds }).notNull(),
    reference: uuid('reference').notNull(),
    reason: text('reason', { enum: latePostingReasons }).notNull(),
    net: minor('net').notNull(),
    tax: minor('tax').notNull(),
    currency,
    text: text('text'),
    status: text('status', { enum: latePostingStatuses }).notNull().default('waiting'),
    note: text('note'),
    resolvedBy: text('resolved_by'),
    resolvedAt: at('resolved_at'),
    arrivedAt: at('arrived_at').notNull(),
  },
  t => [
    primaryKey({ name: 'late_postings_pk', columns: [t.tenantId, t.id] }),
    unique('late_postings_once').on(t.tenantId, t.kind, t.reference),
    index('late_postings_waiting').on(t.tenantId, t.propertyId).where(sql`status = 'waiting'`),
  ],
);
