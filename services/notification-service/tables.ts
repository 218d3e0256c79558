import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { bounceReasons, channels, templates } from './contract.ts';
import { emailModes, letterProblems, letterStates, locales, messageStatuses, phoneModes } from './model.ts';
import type { Facts } from './wording/values.ts';

const schema = pgSchema('notification');
const tenantId = uuid('tenant_id').notNull();

/** Facts that guests are told about. */
export const letters = schema.table(
  'letters',
  {
    tenantId,
    id: uuid('id').notNull(),
    cause: text('cause').notNull(),
    template: text('template', { enum: templates }).notNull(),
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    reservationVersion: integer('reservation_version'),
    facts: jsonb('facts').$type<Facts>().notNull(),
    wantedChannel: text('wanted_channel', { enum: channels }),
    state: text('state', { enum: letterStates }).notNull(),
    problem: text('problem', { enum: letterProblems }),
    tries: integer('tries').notNull().default(0),
    nextTryAt: at('next_try_at'),
    occurredAt: at('occurred_at').notNull(),
    expiresAt: at('expires_at').notNull(),
    createdAt: at('created_at').notNull(),
  },
  t => [
    primaryKey({ name: 'letters_pk', columns: [t.tenantId, t.id] }),
    unique('letters_one_per_cause').on(t.tenantId, t.cause),
    index('letters_by_reservation').on(t.tenantId, t.reservationId),
    index('letters_due_now').on(t.nextTryAt).where(sql`next_try_at is not null`),
  ],
);

/** One text to one person over one channel. */
export const messages = schema.table(
  'messages',
  {
    tenantId,
    id: uuid('id').notNull(),
    letterId: uuid('letter_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    guestId: uuid('guest_id').notNull(),
    template: text('template', { enum: templates }).notNull(),
    channel: text('channel', { enum: channels }).notNull(),
    locale: text('locale', { enum: locales }).notNull(),
    status: text('status', { enum: messageStatuses }).notNull(),
    address: text('address'),
    addressHash: text('address_hash'),
    shownAddress: text('shown_address'),
    senderName: text('sender_name'),
    replyTo: text('reply_to'),
    subject: text('subject'),
    body: text('body'),
    html: text('html'),
    provider: text('provider'),
    providerReference: text('provider_reference'),
    reason: text('reason', { enum: bounceReasons }),
    isPermanent: boolean('is_permanent').notNull().default(false),
    attempt: integer('attempt').notNull().default(1),
    calls: integer('calls').notNull().default(0),
    nextTryAt: at('next_try_at'),
    expiresAt: at('expires_at').notNull(),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull(),
    dispatchedAt: at('dispatched_at'),
    deliveredAt: at('delivered_at'),
    bouncedAt: at('bounced_at'),
    purgedAt: at('purged_at'),
  },
  t => [
    primaryKey({ name: 'messages_pk', columns: [t.tenantId, t.id] }),
    unique('messages_one_per_channel').on(t.tenantId, t.letterId, t.channel),
    index('messages_by_reservation').on(t.tenantId, t.reservationId),
    index('messages_due_now').on(t.nextTryAt).where(sql`next_try_at is not null`),
    index('messages_with_text').on(t.createdAt).where(sql`purged_at is null`),
  ],
);

/** Receipts of providers that were taken in; only grows. */
export const receipts = schema.table(
  'receipts',
  {
    tenantId,
    provider: text('provider').notNull(),
    eventId: text('event_id').notNull(),
    messageId: uuid('message_id').notNull(),
    says: text('says', { enum: ['accepted', 'delivered', 'refused'] }).notNull(),
    receivedAt: at('received_at').notNull(),
  },
  t => [primaryKey({ name: 'receipts_pk', columns: [t.tenantId, t.provider, t.eventId] })],
);

/** A house's own words. */
export const templateTexts = schema.table(
  'template_texts',
  {
    tenantId,
    template: text('template', { enum: templates }).notNull(),
    locale: text('locale', { enum: locales }).notNull(),
    subject: text('subject').notNull(),
    body: text('body').notNull(),
    short: text('short').notNull(),
    version: integer('version').notNull().default(1),
    updatedBy: text('updated_by').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [primaryKey({ name: 'template_texts_pk', columns: [t.tenantId, t.template, t.locale] })],
);

/** How a house writes. */
export const settings = schema.table(
  'settings',
  {
    tenantId,
    senderName: text('sender_name'),
    replyTo: text('reply_to'),
    email: text('email', { enum: emailModes }).notNull(),
    sms: text('sms', { enum: phoneModes }).notNull(),
    whatsapp: text('whatsapp', { enum: phoneModes }).notNull(),
    surveys: boolean('surveys').notNull(),
    quietFrom: text('quiet_from').notNull(),
    quietUntil: text('quiet_until').notNull(),
    retentionDays: integer('retention_days').notNull(),
    version: integer('version').notNull().default(1),
    updatedAt: at('updated_at').notNull(),
  },
  t => [primaryKey({ name: 'settings_pk', columns: [t.tenantId] })],
);

/** Addresses nobody writes to any more. */
export const suppressions = schema.table(
  'suppressions',
  {
    tenantId,
    channel: text('channel', { enum: channels }).notNull(),
    addressHash: text('address_hash').notNull(),
    scope: text('scope', { enum: ['surveys', 'all'] }).notNull(),
    source: text('source', { enum: ['staff', 'bounce', 'provider'] }).notNull(),
    since: at('since').notNull(),
  },
  t => [primaryKey({ name: 'suppressions_pk', columns: [t.tenantId, t.channel, t.addressHash] })],
);

/** When a tenant's next ordinary message may leave. */
export const pace = schema.table('pace', { tenantId, nextAt: at('next_at').notNull() }, t => [
  primaryKey({ name: 'pace_pk', columns: [t.tenantId] }),
]);
