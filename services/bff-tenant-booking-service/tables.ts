import { sql } from '@ghasi/db/drizzle';
import {
  at,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { Draft } from './contract/booking-draft.ts';

const schema = pgSchema('bff_tenant_booking');

/** Which draft became which booking: claimed once, before anybody is asked for rooms. */
export const draftBookings = schema.table(
  'draft_bookings',
  {
    tenantId: uuid('tenant_id').notNull(),
    draftId: text('draft_id').notNull(),
    sessionId: text('session_id').notNull(),
    reservationId: text('reservation_id'),
    code: text('code'),
    state: text('state', { enum: ['confirming', 'converted', 'failed'] }).notNull(),
    facts: jsonb('facts').$type<Draft>().notNull(),
    rail: text('rail').notNull(),
    guestEmailHash: text('guest_email_hash'),
    guestPhoneHash: text('guest_phone_hash').notNull(),
    correlationId: text('correlation_id').notNull(),
    claimedUntil: at('claimed_until').notNull(),
    attempts: integer('attempts').notNull().default(1),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'draft_bookings_pk', columns: [t.tenantId, t.draftId] }),
    uniqueIndex('draft_bookings_reservation')
      .on(t.tenantId, t.reservationId)
      .where(sql`reservation_id is not null`),
    index('draft_bookings_session').on(t.tenantId, t.sessionId),
    index('draft_bookings_unsettled').on(t.updatedAt).where(sql`state = 'confirming'`),
  ],
);

/** How a draft ended (TB-33). */
export const bookingDraftSnapshots = schema.table(
  'booking_draft_snapshots',
  {
    id: uuid('id').notNull().defaultRandom(),
    draftId: text('draft_id').notNull(),
    tenantId: uuid('tenant_id').notNull(),
    sessionId: text('session_id').notNull(),
    reservationId: text('reservation_id'),
    propertyId: text('property_id'),
    roomTypeId: text('room_type_id'),
    ratePlanId: text('rate_plan_id'),
    finalState: text('final_state', { enum: ['converted', 'abandoned', 'failed'] }).notNull(),
    createdAt: at('created_at').notNull(),
    finalizedAt: at('finalized_at').notNull().defaultNow(),
    totalMinor: bigint('total_minor', { mode: 'bigint' }),
    currency: text('currency'),
    guestEmailHash: text('guest_email_hash'),
    guestPhoneHash: text('guest_phone_hash'),
    marketing: jsonb('marketing').$type<Draft['attribution']>(),
    flowStateHistory: jsonb('flow_state_history').$type<unknown[]>().notNull().default([]),
    errorTrail: jsonb('error_trail').$type<unknown[]>().notNull().default([]),
    paymentMethod: text('payment_method'),
    paymentProvider: text('payment_provider'),
    deviceClass: text('device_class'),
    locale: text('locale'),
    displayCurrency: text('display_currency'),
  },
  t => [
    primaryKey({ name: 'booking_draft_snapshots_pk', columns: [t.tenantId, t.id] }),
    unique('booking_draft_snapshots_once').on(t.tenantId, t.draftId),
    index('ix_drafts_tenant_finalized').on(t.tenantId, t.finalizedAt.desc()),
    index('ix_drafts_state').on(t.finalState, t.finalizedAt.desc()),
    index('ix_drafts_session').on(t.sessionId, t.finalizedAt.desc()),
  ],
);

/** Every handoff that arrived, once per signature (TB-34). */
export const handoffArrivalLog = schema.table(
  'handoff_arrival_log',
  {
    id: text('id').notNull(),
    tenantId: uuid('tenant_id').notNull(),
    consumerSessionId: text('consumer_session_id').notNull(),
    propertyId: text('property_id').notNull(),
    receivedAt: at('received_at').notNull().defaultNow(),
    expiresAt: at('expires_at').notNull(),
    consumed: boolean('consumed').notNull().default(false),
    consumedAt: at('consumed_at'),
    payload: jsonb('payload').$type<Record<string, unknown>>().notNull(),
    hmacSignatureFingerprint: text('hmac_signature_fingerprint').notNull(),
    bookingDraftId: text('booking_draft_id'),
    signingKeyId: text('signing_key_id').notNull(),
    remoteIpHash: text('remote_ip_hash').notNull(),
    userAgentClass: text('user_agent_class').notNull(),
  },
  t => [
    primaryKey({ name: 'handoff_arrival_log_pk', columns: [t.tenantId, t.id] }),
    unique('handoff_arrival_log_once').on(t.tenantId, t.hmacSignatureFingerprint),
    index('ix_handoff_tenant_received').on(t.tenantId, t.receivedAt.desc()),
    index('ix_handoff_consumer_session').on(t.consumerSessionId),
    index('ix_handoff_consumed').on(t.consumed, t.expiresAt),
  ],
);
