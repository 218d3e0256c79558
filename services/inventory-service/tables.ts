import { sql } from '@ghasi/db/drizzle';
import {
  boolean,
  customType,
  date,
  foreignKey,
  index,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { stopSellEndings, stopSellReasons } from './contract.ts';
import {
  allocationStates,
  blockEndings,
  blockKinds,
  blockStatuses,
  feedStatuses,
  roomUseKinds,
} from './model.ts';

const schema = pgSchema('inventory');

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const own = { tenantId: uuid('tenant_id').notNull(), id: uuid('id').notNull() };
const nightsFromUntil = { fromDate: date('from_date').notNull(), untilDate: date('until_date').notNull() };
/** A room of a property, or any room of one of its types. */
const place = {
  propertyId: uuid('property_id').notNull(),
  roomId: uuid('room_id'),
  roomTypeId: uuid('room_type_id'),
};

/** Newest version of another service's aggregate that was acted on. */
export const seenVersions = schema.table(
  'seen_versions',
  {
    tenantId: uuid('tenant_id').notNull(),
    aggregateId: text('aggregate_id').notNull(),
    version: integer('version').notNull(),
  },
  t => [primaryKey({ name: 'seen_versions_pk', columns: [t.tenantId, t.aggregateId] })],
);

/** Houses as property-service told of them. */
export const properties = schema.table(
  'properties',
  {
    ...own,
    zone: text('zone').notNull(),
  },
  t => [primaryKey({ name: 'properties_pk', columns: [t.tenantId, t.id] })],
);

/** Rooms as property-service told of them. */
export const rooms = schema.table(
  'rooms',
  {
    ...own,
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    number: text('number').notNull(),
    sellableFrom: date('sellable_from').notNull(),
    closedFrom: date('closed_from'),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.id] }),
    index('rooms_by_type').on(t.tenantId, t.roomTypeId),
  ],
);

/** Room types that have rooms, and how far their nights are counted. */
export const roomTypes = schema.table(
  'room_types',
  {
    ...own,
    propertyId: uuid('property_id').notNull(),
    overbookLimit: integer('overbook_limit').notNull().default(0),
    countedUntil: date('counted_until').notNull(),
  },
  t => [
    primaryKey({ name: 'room_types_pk', columns: [t.tenantId, t.id] }),
    index('room_types_by_horizon').on(t.countedUntil),
  ],
);

/** The counters: one row per room type and night (R7). */
export const nights = schema.table(
  'nights',
  {
    tenantId: uuid('tenant_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    date: date('date').notNull(),
    propertyId: uuid('property_id').notNull(),
    rooms: integer('rooms').notNull(),
    capacity: integer('capacity').notNull(),
    overbookLimit: integer('overbook_limit').notNull().default(0),
    sold: integer('sold').notNull().default(0),
    stopSell: boolean('stop_sell').notNull().default(false),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'nights_pk', columns: [t.tenantId, t.roomTypeId, t.date] }),
    index('nights_by_property').on(t.tenantId, t.propertyId, t.date),
  ],
);

/** One allocation per booking. */
export const allocations = schema.table(
  'allocations',
  {
    ...own,
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    reservationVersion: integer('reservation_version').notNull(),
    status: text('status', { enum: allocationStates }).notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    version: integer('version').notNull().default(1),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'allocations_pk', columns: [t.tenantId, t.id] }),
    unique('allocations_one_per_booking').on(t.tenantId, t.reservationId),
    index('allocations_due').on(t.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** What an allocation took from the counters. */
export const allocationRooms = schema.table(
  'allocation_rooms',
  {
    tenantId: uuid('tenant_id').notNull(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    allocationId: uuid('allocation_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    arrival: date('arrival').notNull(),
    departure: date('departure').notNull(),
    position: smallint('position').notNull(),
    wantedRoomId: uuid('wanted_room_id'),
  },
  t => [
    primaryKey({ name: 'allocation_rooms_pk', columns: [t.tenantId, t.bookedRoomId] }),
    foreignKey({
      name: 'allocation_rooms_of',
      columns: [t.tenantId, t.allocationId],
      foreignColumns: [allocations.tenantId, allocations.id],
    }),
    index('allocation_rooms_by_allocation').on(t.tenantId, t.allocationId),
  ],
);

/** Who or what has a room on which nights; an exclusion constraint keeps them apart. */
export const roomUses = schema.table(
  'room_uses',
  {
    ...own,
    roomId: uuid('room_id').notNull(),
    kind: text('kind', { enum: roomUseKinds }).notNull(),
    ...nightsFromUntil,
    bookedRoomId: uuid('booked_room_id'),
    blockId: uuid('block_id'),
  },
  t => [
    primaryKey({ name: 'room_uses_pk', columns: [t.tenantId, t.id] }),
    foreignKey({
      name: 'room_uses_of_stay',
      columns: [t.tenantId, t.bookedRoomId],
      foreignColumns: [allocationRooms.tenantId, allocationRooms.bookedRoomId],
    }),
    index('room_uses_by_stay').on(t.tenantId, t.bookedRoomId),
    index('room_uses_by_room').on(t.tenantId, t.roomId, t.fromDate),
    index('room_uses_blocked').on(t.tenantId, t.fromDate).where(sql`kind <> 'stay'`),
    index('room_uses_by_block').on(t.tenantId, t.blockId).where(sql`block_id is not null`),
  ],
);

/** Calendars of portals that we read. */
export const feeds = schema.table(
  'feeds',
  {
    ...own,
    ...place,
    name: text('name').notNull(),
    url: text('url'),
    ignored: text('ignored').array().notNull(),
    status: text('status', { enum: feedStatuses }).notNull(),
    etag: text('etag'),
    lastModified: text('last_modified'),
    checkedAt: timestamp('checked_at', { withTimezone: true }),
    importedAt: timestamp('imported_at', { withTimezone: true }),
    lastError: text('last_error'),
    failures: integer('failures').notNull().default(0),
    nextFetchAt: timestamp('next_fetch_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'feeds_pk', columns: [t.tenantId, t.id] }),
    index('feeds_of_property').on(t.tenantId, t.propertyId),
    index('feeds_due').on(t.nextFetchAt).where(sql`next_fetch_at is not null`),
  ],
);

/** Rooms out of order or out of service, and what portals sold. */
export const blocks = schema.table(
  'blocks',
  {
    ...own,
    ...place,
    kind: text('kind', { enum: blockKinds }).notNull(),
    ...nightsFromUntil,
    reason: text('reason'),
    ticketId: uuid('ticket_id'),
    feedId: uuid('feed_id'),
    eventUid: text('event_uid'),
    status: text('status', { enum: blockStatuses }).notNull(),
    ending: text('ending', { enum: blockEndings }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'blocks_pk', columns: [t.tenantId, t.id] }),
    unique('blocks_one_per_ticket').on(t.tenantId, t.ticketId),
    unique('blocks_one_per_event').on(t.tenantId, t.feedId, t.eventUid),
    foreignKey({
      name: 'blocks_of_feed',
      columns: [t.tenantId, t.feedId],
      foreignColumns: [feeds.tenantId, feeds.id],
    }),
    index('blocks_by_room').on(t.tenantId, t.roomId, t.fromDate),
    index('blocks_waiting').on(t.tenantId).where(sql`status = 'waiting'`),
  ],
);

/** Nights on which a block has one room of a type, whichever it is. */
export const typeUses = schema.table(
  'type_uses',
  {
    ...own,
    roomTypeId: uuid('room_type_id').notNull(),
    blockId: uuid('block_id').notNull(),
    ...nightsFromUntil,
  },
  t => [
    primaryKey({ name: 'type_uses_pk', columns: [t.tenantId, t.id] }),
    foreignKey({
      name: 'type_uses_of_block',
      columns: [t.tenantId, t.blockId],
      foreignColumns: [blocks.tenantId, blocks.id],
    }),
    index('type_uses_by_type').on(t.tenantId, t.roomTypeId, t.fromDate),
    index('type_uses_by_block').on(t.tenantId, t.blockId),
  ],
);

/** Our own calendars, for portals that know the token. */
export const calendars = schema.table(
  'calendars',
  {
    ...own,
    ...place,
    exceptFeedId: uuid('except_feed_id'),
    tokenHash: bytea('token_hash').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
  },
  t => [
    primaryKey({ name: 'calendars_pk', columns: [t.tenantId, t.id] }),
    foreignKey({
      name: 'calendars_except',
      columns: [t.tenantId, t.exceptFeedId],
      foreignColumns: [feeds.tenantId, feeds.id],
    }),
    index('calendars_of_property').on(t.tenantId, t.propertyId),
    index('calendars_by_token').on(t.tokenHash).where(sql`revoked_at is null`),
  ],
);

/** Nights on which a room type is not sold. */
export const stopSells = schema.table(
  'stop_sells',
  {
    ...own,
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    ...nightsFromUntil,
    reason: text('reason', { enum: stopSellReasons }).notNull(),
    ticketId: uuid('ticket_id'),
    ending: text('ending', { enum: stopSellEndings }),
    version: integer('version').notNull().default(1),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'stop_sells_pk', columns: [t.tenantId, t.id] }),
    index('stop_sells_in_force').on(t.tenantId, t.roomTypeId, t.fromDate).where(sql`ending is null`),
  ],
);
