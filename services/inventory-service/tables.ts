import { sql } from 'drizzle-orm';
import {
  boolean,
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
} from 'drizzle-orm/pg-core';
import { stopSellEndings, stopSellReasons } from './contract.ts';
import { allocationStates, blockKinds, blockStatuses, roomUseKinds } from './model.ts';

const schema = pgSchema('inventory');

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

/** Rooms as property-service told of them. */
export const rooms = schema.table(
  'rooms',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
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
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
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
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
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
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    roomId: uuid('room_id').notNull(),
    kind: text('kind', { enum: roomUseKinds }).notNull(),
    fromDate: date('from_date').notNull(),
    untilDate: date('until_date').notNull(),
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
    index('room_uses_out_of_order').on(t.tenantId, t.fromDate).where(sql`kind = 'out_of_order'`),
  ],
);

/** Rooms out of order or out of service. */
export const blocks = schema.table(
  'blocks',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id').notNull(),
    kind: text('kind', { enum: blockKinds }).notNull(),
    fromDate: date('from_date').notNull(),
    untilDate: date('until_date').notNull(),
    reason: text('reason'),
    ticketId: uuid('ticket_id'),
    status: text('status', { enum: blockStatuses }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'blocks_pk', columns: [t.tenantId, t.id] }),
    unique('blocks_one_per_ticket').on(t.tenantId, t.ticketId),
    index('blocks_by_room').on(t.tenantId, t.roomId, t.fromDate),
    index('blocks_waiting').on(t.tenantId).where(sql`status = 'waiting'`),
  ],
);

/** Nights on which a room type is not sold. */
export const stopSells = schema.table(
  'stop_sells',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    fromDate: date('from_date').notNull(),
    untilDate: date('until_date').notNull(),
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
