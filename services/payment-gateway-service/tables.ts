import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  date,
  index,
  integer,
  jsonb,
  minor,
  pgSchema,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { failureReasons, paymentPurposes, refundReasons } from './contract.ts';
import {
  drawerStatuses,
  intentStatuses,
  journalEntries,
  ledgerKinds,
  noticeKinds,
  rails,
  refundStatuses,
} from './model.ts';

const schema = pgSchema('payment_gateway');
const currencyOf = (name: string) => text(name).$type<CurrencyCode>();
const tenantId = uuid('tenant_id').notNull();

/** What this service remembers of a booking. */
export const bookings = schema.table(
  'bookings',
  {
    tenantId,
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    version: integer('version').notNull().default(0),
    heldVersion: integer('held_version'),
    allocatedVersion: integer('allocated_version'),
    rail: text('rail', { enum: rails }),
    purpose: text('purpose', { enum: paymentPurposes }),
    due: minor('due'),
    currency: currencyOf('currency'),
    expiresAt: at('expires_at'),
    ended: text('ended', { enum: ['cancelled', 'no_show'] }),
    folioId: uuid('folio_id'),
    folioVersion: integer('folio_version').notNull().default(0),
  },
  t => [primaryKey({ name: 'bookings_pk', columns: [t.tenantId, t.reservationId] })],
);

/** One try to get one amount once. */
export const intents = schema.table(
  'intents',
  {
    tenantId,
    id: uuid('id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    folioId: uuid('folio_id'),
    purpose: text('purpose', { enum: paymentPurposes }).notNull(),
    cause: text('cause'),
    rail: text('rail', { enum: rails }).notNull(),
    provider: text('provider'),
    amount: minor('amount').notNull(),
    currency: currencyOf('currency').notNull(),
    status: text('status', { enum: intentStatuses }).notNull(),
    providerReference: text('provider_reference'),
    redirectUrl: text('redirect_url'),
    failureReason: text('failure_reason', { enum: failureReasons }),
    providerCode: text('provider_code'),
    captured: minor('captured').notNull().default(0n),
    refunded: minor('refunded').notNull().default(0n),
    expiresAt: at('expires_at'),
    nextCheckAt: at('next_check_at'),
    checks: integer('checks').notNull().default(0),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'intents_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('intents_one_open')
      .on(t.tenantId, t.reservationId, t.purpose)
      .where(sql`status in ('created', 'pending', 'unknown', 'promised')`),
    uniqueIndex('intents_one_per_cause').on(t.tenantId, t.cause).where(sql`cause is not null`),
    index('intents_by_reservation').on(t.tenantId, t.reservationId),
    index('intents_due').on(t.nextCheckAt).where(sql`next_check_at is not null`),
  ],
);

/** Money on its way back. */
export const refunds = schema.table(
  'refunds',
  {
    tenantId,
    id: uuid('id').notNull(),
    paymentId: uuid('payment_id').notNull(),
    amount: minor('amount').notNull(),
    currency: currencyOf('currency').notNull(),
    reason: text('reason', { enum: refundReasons }).notNull(),
    cause: text('cause').notNull(),
    status: text('status', { enum: refundStatuses }).notNull(),
    providerReference: text('provider_reference'),
    providerCode: text('provider_code'),
    nextCheckAt: at('next_check_at'),
    checks: integer('checks').notNull().default(0),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'refunds_pk', columns: [t.tenantId, t.id] }),
    unique('refunds_one_per_cause').on(t.tenantId, t.paymentId, t.cause),
    index('refunds_due').on(t.nextCheckAt).where(sql`next_check_at is not null`),
  ],
);

/** Money that moved; only grows. */
export const ledger = schema.table(
  'ledger',
  {
    tenantId,
    id: uuid('id').notNull(),
    kind: text('kind', { enum: ledgerKinds }).notNull(),
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    amount: minor('amount').notNull(),
    currency: currencyOf('currency').notNull(),
    valueAmount: minor('value_amount'),
    valueCurrency: currencyOf('value_currency'),
    propertyId: uuid('property_id').notNull(),
    reservationId: uuid('reservation_id'),
    paymentId: uuid('payment_id'),
    refundId: uuid('refund_id'),
    shiftId: uuid('shift_id'),
    provider: text('provider'),
    providerReference: text('provider_reference'),
    reason: text('reason'),
    businessDate: date('business_date', { mode: 'string' }),
    occurredAt: at('occurred_at').notNull(),
    recordedBy: text('recorded_by').notNull(),
  },
  t => [
    primaryKey({ name: 'ledger_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('ledger_one_capture').on(t.tenantId, t.paymentId).where(sql`kind = 'capture'`),
    uniqueIndex('ledger_one_refund').on(t.tenantId, t.refundId).where(sql`kind = 'refund'`),
    uniqueIndex('ledger_one_per_reference')
      .on(t.tenantId, t.provider, t.providerReference, t.kind)
      .where(sql`provider_reference is not null`),
    index('ledger_by_shift').on(t.tenantId, t.shiftId).where(sql`shift_id is not null`),
  ],
);

/** Webhooks that arrived, each once; only grows. */
export const notices = schema.table(
  'notices',
  {
    tenantId,
    provider: text('provider').notNull(),
    eventId: text('event_id').notNull(),
    paymentId: uuid('payment_id').notNull(),
    says: text('says', { enum: noticeKinds }).notNull(),
    bodySha256: text('body_sha256').notNull(),
    receivedAt: at('received_at').notNull(),
  },
  t => [primaryKey({ name: 'notices_pk', columns: [t.tenantId, t.provider, t.eventId] })],
);

/** What somebody in finance should know and no event says; only grows. */
export const journal = schema.table(
  'journal',
  {
    tenantId,
    id: uuid('id').notNull(),
    entry: text('entry', { enum: journalEntries }).notNull(),
    reservationId: uuid('reservation_id'),
    paymentId: uuid('payment_id'),
    detail: jsonb('detail').$type<Record<string, unknown>>().notNull(),
    actorType: text('actor_type', { enum: ['user', 'system', 'service', 'api_key'] }).notNull(),
    actorId: text('actor_id').notNull(),
    at: at('at').notNull(),
  },
  t => [primaryKey({ name: 'journal_pk', columns: [t.tenantId, t.id] })],
);

/** Shifts as staff-service tells them. */
export const shifts = schema.table(
  'shifts',
  {
    tenantId,
    shiftId: uuid('shift_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    operatorId: uuid('operator_id').notNull(),
    businessDate: date('business_date', { mode: 'string' }).notNull(),
    closed: boolean('closed').notNull().default(false),
  },
  t => [primaryKey({ name: 'shifts_pk', columns: [t.tenantId, t.shiftId] })],
);

/** The cash drawer of a shift. */
export const drawers = schema.table(
  'drawers',
  {
    tenantId,
    shiftId: uuid('shift_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    businessDate: date('business_date', { mode: 'string' }).notNull(),
    status: text('status', { enum: drawerStatuses }).notNull(),
    openedBy: text('opened_by').notNull(),
    openedAt: at('opened_at').notNull(),
    countedAt: at('counted_at'),
    closedAt: at('closed_at'),
    version: integer('version').notNull().default(1),
  },
  t => [primaryKey({ name: 'drawers_pk', columns: [t.tenantId, t.shiftId] })],
);

/** What was counted in a drawer, per currency. */
export const drawerCounts = schema.table(
  'drawer_counts',
  {
    tenantId,
    shiftId: uuid('shift_id').notNull(),
    currency: currencyOf('currency').notNull(),
    counted: minor('counted').notNull(),
    expected: minor('expected').notNull(),
    reason: text('reason'),
  },
  t => [primaryKey({ name: 'drawer_counts_pk', columns: [t.tenantId, t.shiftId, t.currency] })],
);
