import { sql } from '@ghasi/db/drizzle';
import {
  at,
  bigint,
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  minor,
  pgSchema,
  primaryKey,
  smallint,
  text,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { checkpointStatuses, handlers, type Localised } from './model.ts';

const schema = pgSchema('search_aggregation');
const day = (name: string) => date(name).$type<LocalDate>();
const version = (name: string) => bigint(name, { mode: 'number' });
const localised = (name: string) => jsonb(name).$type<Localised>();
const currency = text('currency').$type<CurrencyCode>().notNull();
const tenantId = uuid('tenant_id').notNull();
const propertyId = uuid('property_id').notNull();
const roomTypeId = uuid('room_type_id').notNull();
const ratePlanId = uuid('rate_plan_id').notNull();
const place = { latitude: doublePrecision('latitude'), longitude: doublePrecision('longitude') };

/** Life of a tenant, as far as it matters here. */
export const tenantStatuses = ['active', 'suspended', 'closed'] as const;

/** What is known of a tenant. */
export const tenants = schema.table(
  'tenants',
  {
    tenantId,
    slug: text('slug'),
    status: text('status', { enum: tenantStatuses }).notNull().default('active'),
    version: version('version').notNull().default(0),
  },
  t => [primaryKey({ name: 'tenants_pk', columns: [t.tenantId] })],
);

/** What is known of a house. */
export const houses = schema.table(
  'houses',
  {
    tenantId,
    propertyId,
    name: localised('name').notNull(),
    city: localised('city').notNull(),
    country: text('country').notNull(),
    ...place,
    currency,
    zone: text('zone').notNull(),
    amenities: text('amenities').array().notNull(),
    amenitiesVersion: version('amenities_version').notNull(),
    wanted: boolean('wanted').notNull().default(true),
  },
  t => [primaryKey({ name: 'houses_pk', columns: [t.tenantId, t.propertyId] })],
);

/** What is known of a room type. */
export const roomTypes = schema.table(
  'room_types',
  {
    tenantId,
    roomTypeId,
    propertyId,
    name: localised('name').notNull(),
    maxAdults: smallint('max_adults').notNull(),
    maxChildren: smallint('max_children').notNull(),
    maxGuests: smallint('max_guests').notNull(),
    amenities: text('amenities').array().notNull(),
    coverPhotoId: uuid('cover_photo_id'),
    version: version('version').notNull(),
  },
  t => [
    primaryKey({ name: 'room_types_pk', columns: [t.tenantId, t.roomTypeId] }),
    index('room_types_of_property').on(t.tenantId, t.propertyId),
  ],
);

/** Which rooms there are; from and until when they are sold. */
export const rooms = schema.table(
  'rooms',
  {
    tenantId,
    roomId: uuid('room_id').notNull(),
    propertyId,
    roomTypeId,
    sellableFrom: day('sellable_from'),
    closedFrom: day('closed_from'),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.roomId] }),
    index('rooms_of_property').on(t.tenantId, t.propertyId),
  ],
);

/** How many rooms of a type can be sold on a night. */
export const nights = schema.table(
  'nights',
  { tenantId, propertyId, roomTypeId, date: day('date').notNull(), free: integer('free').notNull() },
  t => [primaryKey({ name: 'nights_pk', columns: [t.tenantId, t.propertyId, t.roomTypeId, t.date] })],
);

/** A room type on a plan. */
export const rates = schema.table(
  'rates',
  {
    tenantId,
    propertyId,
    roomTypeId,
    ratePlanId,
    board: text('board').notNull(),
    guarantee: text('guarantee').notNull(),
    refundable: boolean('refundable').notNull(),
    partyAdults: smallint('party_adults').notNull(),
    partyChildren: smallint('party_children').notNull(),
  },
  t => [primaryKey({ name: 'rates_pk', columns: [t.tenantId, t.propertyId, t.roomTypeId, t.ratePlanId] })],
);

/** What a night costs on a plan. */
export const rateDays = schema.table(
  'rate_days',
  {
    tenantId,
    propertyId,
    roomTypeId,
    ratePlanId,
    date: day('date').notNull(),
    gross: minor('gross').array(),
    onArrival: minor('on_arrival').array().notNull(),
    minNights: integer('min_nights').notNull(),
    maxNights: integer('max_nights'),
    closedToArrival: boolean('closed_to_arrival').notNull(),
    closedToDeparture: boolean('closed_to_departure').notNull(),
  },
  t => [
    primaryKey({
      name: 'rate_days_pk',
      columns: [t.tenantId, t.propertyId, t.roomTypeId, t.ratePlanId, t.date],
    }),
  ],
);

/** How far each part of a listing is behind what was heard. */
export const checkpoints = schema.table(
  'checkpoints',
  {
    tenantId,
    propertyId,
    handler: text('handler', { enum: handlers }).notNull(),
    watermark: version('watermark').notNull(),
    startedWatermark: version('started_watermark').notNull().default(0),
    sourceWatermark: version('source_watermark').notNull().default(0),
    status: text('status', { enum: checkpointStatuses }).notNull(),
    error: text('error'),
    markedAt: at('marked_at').notNull(),
    computedAt: at('computed_at'),
  },
  t => [
    primaryKey({ name: 'checkpoints_pk', columns: [t.tenantId, t.propertyId, t.handler] }),
    index('checkpoints_behind').on(t.markedAt).where(sql`status <> 'COMPLETED'`),
  ],
);

/** What a search shows of a house. */
export const listings = schema.table(
  'listings',
  {
    tenantId,
    propertyId,
    version: version('version').notNull(),
    status: text('status', { enum: ['listed', 'gone'] }).notNull(),
    reason: text('reason'),
    contentHash: text('content_hash'),
    slug: text('slug').notNull(),
    name: localised('name').notNull(),
    country: text('country').notNull(),
    city: localised('city').notNull(),
    ...place,
    amenities: text('amenities').array().notNull(),
    coverPhotoId: uuid('cover_photo_id'),
    currency,
    fromMinor: minor('from_minor'),
    cities: text('cities').array().notNull(),
    words: text('words').notNull(),
    indexedAt: at('indexed_at').notNull(),
  },
  t => [
    primaryKey({ name: 'listings_pk', columns: [t.tenantId, t.propertyId] }),
    index('listings_by_city').using('gin', t.cities).where(sql`status = 'listed'`),
    index('listings_by_words').using('gin', sql`to_tsvector('simple', words)`).where(sql`status = 'listed'`),
  ],
);
