import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  day,
  doublePrecision,
  foreignKey,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import {
  type PropertyView,
  type ResolvedMatter,
  type RoomTypeSpec,
  roomStatuses,
} from './contract/resources.ts';
import { type HouseRules, roomArchiveReasons } from './contract.ts';

const schema = pgSchema('property');
type Words = PropertyView['name'];

/** Houses of a tenant, each with its zone, its money and its hotel day. */
export const properties = schema.table(
  'properties',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    name: jsonb('name').$type<Words>().notNull(),
    country: text('country').notNull(),
    city: jsonb('city').$type<Words>().notNull(),
    latitude: doublePrecision('latitude'),
    longitude: doublePrecision('longitude'),
    zone: text('zone').notNull(),
    currency: text('currency').$type<CurrencyCode>().notNull(),
    locales: text('locales', { enum: ['en', 'ps', 'fa-AF'] })
      .array()
      .notNull(),
    checkInFrom: text('check_in_from').notNull(),
    checkOutUntil: text('check_out_until').notNull(),
    openedOn: day('opened_on').notNull(),
    businessDate: day('business_date').notNull(),
    amenities: text('amenities').array().notNull(),
    houseRules: jsonb('house_rules').$type<HouseRules>().notNull(),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'properties_pk', columns: [t.tenantId, t.id] })],
);

/** What can be sold: a draft, and what was published of it last. */
export const roomTypes = schema.table(
  'room_types',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    code: text('code').notNull(),
    draft: jsonb('draft').$type<RoomTypeSpec>().notNull(),
    published: jsonb('published').$type<RoomTypeSpec>(),
    specVersion: integer('spec_version').notNull().default(0),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'room_types_pk', columns: [t.tenantId, t.id] }),
    unique('room_types_code_once').on(t.tenantId, t.propertyId, t.code),
    foreignKey({
      name: 'room_types_property',
      columns: [t.tenantId, t.propertyId],
      foreignColumns: [properties.tenantId, properties.id],
    }),
  ],
);

/** Every spec that was ever published; only grows. */
export const roomTypeSpecs = schema.table(
  'room_type_specs',
  {
    tenantId: uuid('tenant_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    specVersion: integer('spec_version').notNull(),
    spec: jsonb('spec').$type<RoomTypeSpec>().notNull(),
    publishedAt: at('published_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'room_type_specs_pk', columns: [t.tenantId, t.roomTypeId, t.specVersion] })],
);

/** Rooms with a number on the door. */
export const rooms = schema.table(
  'rooms',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    number: text('number').notNull(),
    floor: text('floor'),
    accessible: boolean('accessible').notNull(),
    sellableFrom: day('sellable_from').notNull(),
    status: text('status', { enum: roomStatuses }).notNull().default('active'),
    closedFrom: day('closed_from'),
    archiveReason: text('archive_reason', { enum: roomArchiveReasons }),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('rooms_number_once').on(t.tenantId, t.propertyId, t.number).where(sql`status = 'active'`),
    foreignKey({
      name: 'rooms_room_type',
      columns: [t.tenantId, t.roomTypeId],
      foreignColumns: [roomTypes.tenantId, roomTypes.id],
    }),
  ],
);

/** Hotel days that are over; only grows. */
export const dayCloses = schema.table(
  'day_closes',
  {
    tenantId: uuid('tenant_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    closedDate: day('closed_date').notNull(),
    businessDate: day('business_date').notNull(),
    closedBy: uuid('closed_by'),
    closedAt: at('closed_at').notNull().defaultNow(),
    resolved: jsonb('resolved').$type<ResolvedMatter[]>().notNull(),
  },
  t => [primaryKey({ name: 'day_closes_pk', columns: [t.tenantId, t.propertyId, t.closedDate] })],
);
