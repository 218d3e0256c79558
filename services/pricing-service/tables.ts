import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  day,
  index,
  integer,
  jsonb,
  minor,
  pgSchema,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { quoteStatuses, type Refusal } from './contract/questions.ts';
import {
  type ChargeValues,
  type Derivation,
  type ExtraGuests,
  type PlanValues,
  type PromoValues,
  planStatuses,
  policyKinds,
} from './contract/resources.ts';
import { boards, guarantees } from './contract.ts';
import type { Policies } from './model/policies.ts';

const schema = pgSchema('pricing');
type Names = PlanValues['name'];

/** Our copy of the houses. */
export const properties = schema.table(
  'properties',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    zone: text('zone').notNull(),
    currency: text('currency').notNull(),
    checkInFrom: text('check_in_from').notNull(),
    version: integer('version').notNull(),
  },
  t => [primaryKey({ name: 'properties_pk', columns: [t.tenantId, t.id] })],
);

/** Our copy of the room types. */
export const roomTypes = schema.table(
  'room_types',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    maxAdults: integer('max_adults').notNull(),
    maxChildren: integer('max_children').notNull(),
    maxGuests: integer('max_guests').notNull(),
    version: integer('version').notNull(),
  },
  t => [primaryKey({ name: 'room_types_pk', columns: [t.tenantId, t.id] })],
);

/** Cancellation, no-show and deposit policies. */
export const policies = schema.table(
  'policies',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    kind: text('kind', { enum: policyKinds }).notNull(),
    name: jsonb('name').$type<Names>().notNull(),
    terms: jsonb('terms').$type<object>().notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'policies_pk', columns: [t.tenantId, t.id] }),
    index('policies_of_property').on(t.tenantId, t.propertyId),
  ],
);

/** Rate plans, base and derived. */
export const ratePlans = schema.table(
  'rate_plans',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    name: jsonb('name').$type<Names>().notNull(),
    roomTypeIds: uuid('room_type_ids').array().notNull(),
    currency: text('currency').notNull(),
    board: text('board', { enum: boards }).notNull(),
    guarantee: text('guarantee', { enum: guarantees }).notNull(),
    refundable: boolean('refundable').notNull(),
    cancellationPolicyId: uuid('cancellation_policy_id').notNull(),
    noShowPolicyId: uuid('no_show_policy_id').notNull(),
    depositPolicyId: uuid('deposit_policy_id'),
    sellFrom: day('sell_from').notNull(),
    sellUntil: day('sell_until'),
    derivedFrom: uuid('derived_from'),
    derivation: jsonb('derivation').$type<Derivation>(),
    extraGuests: jsonb('extra_guests').$type<ExtraGuests>(),
    status: text('status', { enum: planStatuses }).notNull().default('draft'),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'rate_plans_pk', columns: [t.tenantId, t.id] }),
    index('rate_plans_of_property').on(t.tenantId, t.propertyId),
  ],
);

/** One calendar for each plan and room type. */
export const calendars = schema.table(
  'calendars',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    ratePlanId: uuid('rate_plan_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    version: integer('version').notNull().default(0),
  },
  t => [
    primaryKey({ name: 'calendars_pk', columns: [t.tenantId, t.id] }),
    unique('calendars_one').on(t.tenantId, t.ratePlanId, t.roomTypeId),
  ],
);

/** Prices and restrictions by date. */
export const calendarDays = schema.table(
  'calendar_days',
  {
    tenantId: uuid('tenant_id').notNull(),
    ratePlanId: uuid('rate_plan_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    date: day('date').notNull(),
    priceMinor: minor('price_minor'),
    minNights: integer('min_nights').notNull().default(1),
    maxNights: integer('max_nights'),
    closedToArrival: boolean('closed_to_arrival').notNull().default(false),
    closedToDeparture: boolean('closed_to_departure').notNull().default(false),
    closed: boolean('closed').notNull().default(false),
  },
  t => [primaryKey({ name: 'calendar_days_pk', columns: [t.tenantId, t.ratePlanId, t.roomTypeId, t.date] })],
);

const coded = {
  tenantId: uuid('tenant_id').notNull(),
  propertyId: uuid('property_id').notNull(),
  code: text('code').notNull(),
};

/** Taxes and fees. */
export const charges = schema.table(
  'charges',
  {
    ...coded,
    rule: jsonb('rule').$type<ChargeValues>().notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [primaryKey({ name: 'charges_pk', columns: [t.tenantId, t.propertyId, t.code] })],
);

/** Promo codes. */
export const promos = schema.table(
  'promos',
  {
    ...coded,
    rule: jsonb('rule').$type<PromoValues>().notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [primaryKey({ name: 'promos_pk', columns: [t.tenantId, t.propertyId, t.code] })],
);

/** Amounts and versions inside JSON: minor units as text. */
export type StoredAdjustment = { kind: string; amount: string };
export type StoredCharge = {
  code: string;
  kind: string;
  mode: string;
  basis: string;
  amount: string;
  version: number;
};

/** What was promised. */
export const quotes = schema.table(
  'quotes',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    previousQuoteId: uuid('previous_quote_id'),
    bookingDraftId: uuid('booking_draft_id'),
    status: text('status', { enum: quoteStatuses }).notNull().default('open'),
    arrival: day('arrival').notNull(),
    departure: day('departure').notNull(),
    currency: text('currency').notNull(),
    zone: text('zone').notNull(),
    checkInFrom: text('check_in_from').notNull(),
    promoCode: text('promo_code'),
    guarantee: text('guarantee', { enum: guarantees }).notNull(),
    refundable: boolean('refundable').notNull(),
    policies: jsonb('policies').$type<Policies>().notNull(),
    chargeNames: jsonb('charge_names').$type<Record<string, Names>>().notNull(),
    override: jsonb('override').$type<{ reason: string; by: string; broken: Refusal[] }>(),
    netMinor: minor('net_minor').notNull(),
    taxMinor: minor('tax_minor').notNull(),
    grossMinor: minor('gross_minor').notNull(),
    quotedAt: at('quoted_at').notNull(),
    expiresAt: at('expires_at').notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'quotes_pk', columns: [t.tenantId, t.id] }),
    index('quotes_of_promo').on(t.tenantId, t.propertyId, t.promoCode).where(sql`promo_code is not null`),
    index('quotes_open').on(t.expiresAt).where(sql`status = 'open'`),
  ],
);

/** The rooms of a quote. */
export const quoteRooms = schema.table(
  'quote_rooms',
  {
    tenantId: uuid('tenant_id').notNull(),
    quoteId: uuid('quote_id').notNull(),
    room: smallint('room').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    ratePlanId: uuid('rate_plan_id').notNull(),
    planVersion: integer('plan_version').notNull(),
    board: text('board').$type<(typeof boards)[number]>().notNull(),
    bookedRoomId: uuid('booked_room_id'),
    arrival: day('arrival').notNull(),
    departure: day('departure').notNull(),
    adults: smallint('adults').notNull(),
    children: smallint('children').notNull(),
    remainderOn: day('remainder_on').notNull(),
  },
  t => [primaryKey({ name: 'quote_rooms_pk', columns: [t.tenantId, t.quoteId, t.room] })],
);

/** One frozen row for each night (R21). */
export const quoteNights = schema.table(
  'quote_nights',
  {
    tenantId: uuid('tenant_id').notNull(),
    quoteId: uuid('quote_id').notNull(),
    room: smallint('room').notNull(),
    date: day('date').notNull(),
    baseMinor: minor('base_minor').notNull(),
    adjustments: jsonb('adjustments').$type<StoredAdjustment[]>().notNull(),
    charges: jsonb('charges').$type<StoredCharge[]>().notNull(),
    netMinor: minor('net_minor').notNull(),
    taxMinor: minor('tax_minor').notNull(),
    grossMinor: minor('gross_minor').notNull(),
  },
  t => [primaryKey({ name: 'quote_nights_pk', columns: [t.tenantId, t.quoteId, t.room, t.date] })],
);

/** Which booking uses which quote. */
export const quoteUses = schema.table(
  'quote_uses',
  {
    tenantId: uuid('tenant_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    quoteId: uuid('quote_id'),
    status: text('status', { enum: ['booked', 'given_back'] }).notNull(),
  },
  t => [
    primaryKey({ name: 'quote_uses_pk', columns: [t.tenantId, t.reservationId] }),
    index('quote_uses_of_quote').on(t.tenantId, t.quoteId),
  ],
);

/** Price differences of date changes; only grows. */
export const deltas = schema.table(
  'deltas',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    reservationVersion: integer('reservation_version').notNull(),
    quoteId: uuid('quote_id').notNull(),
    newQuoteId: uuid('new_quote_id').notNull(),
    feeMinor: minor('fee_minor').notNull(),
    deltaMinor: minor('delta_minor').notNull(),
    appliedAt: at('applied_at').notNull(),
  },
  t => [
    primaryKey({ name: 'deltas_pk', columns: [t.tenantId, t.id] }),
    unique('deltas_one_per_version').on(t.tenantId, t.reservationId, t.reservationVersion),
  ],
);
