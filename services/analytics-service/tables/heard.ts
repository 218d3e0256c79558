import { sql } from '@ghasi/db/drizzle';
import {
  at,
  day,
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
import { bookingStatuses, sampleKinds } from '../model.ts';

const schema = pgSchema('analytics');
const tenantId = uuid('tenant_id').notNull();

/** Houses as property-service told of them. */
export const properties = schema.table(
  'properties',
  {
    tenantId,
    id: uuid('id').notNull(),
    zone: text('zone').notNull(),
    currency: text('currency').notNull(),
    openedOn: day('opened_on').notNull(),
  },
  t => [primaryKey({ name: 'properties_pk', columns: [t.tenantId, t.id] })],
);

/** When each hotel day of a house began (R1). */
export const businessDays = schema.table(
  'business_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    beganAt: at('began_at').notNull(),
  },
  t => [
    primaryKey({ name: 'business_days_pk', columns: [t.tenantId, t.propertyId, t.date] }),
    index('business_days_by_moment').on(t.tenantId, t.propertyId, t.beganAt),
  ],
);

/** Rooms, and from when to when they are sold. */
export const rooms = schema.table(
  'rooms',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    sellableFrom: day('sellable_from'),
    closedFrom: day('closed_from'),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.id] }),
    index('rooms_by_property').on(t.tenantId, t.propertyId),
  ],
);

/** The last word of housekeeping about a room on a hotel day (R11). */
export const roomStatuses = schema.table(
  'room_statuses',
  {
    tenantId,
    roomId: uuid('room_id').notNull(),
    businessDate: day('business_date').notNull(),
    propertyId: uuid('property_id').notNull(),
    version: integer('version').notNull(),
    outFrom: day('out_from'),
    outUntil: day('out_until'),
  },
  t => [primaryKey({ name: 'room_statuses_pk', columns: [t.tenantId, t.roomId, t.businessDate] })],
);

/** Repairs that began and ended (R11). */
export const tickets = schema.table(
  'tickets',
  {
    tenantId,
    id: uuid('id').notNull(),
    version: integer('version').notNull(),
    kind: text('kind', { enum: ['opened', 'closed'] }).notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    outFrom: day('out_from'),
    outUntil: day('out_until'),
    at: at('at').notNull(),
  },
  t => [
    primaryKey({ name: 'tickets_pk', columns: [t.tenantId, t.id, t.version, t.kind] }),
    index('tickets_by_room').on(t.tenantId, t.roomId),
  ],
);

/** Lines of folios. */
export const charges = schema.table(
  'charges',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    businessDate: day('business_date').notNull(),
    kind: text('kind', {
      enum: ['room_night', 'date_change', 'consumption', 'fee', 'service', 'reversal'],
    }).notNull(),
    reverses: uuid('reverses'),
    currency: text('currency').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
  },
  t => [
    primaryKey({ name: 'charges_pk', columns: [t.tenantId, t.id] }),
    index('charges_by_day').on(t.tenantId, t.propertyId, t.businessDate),
    index('charges_by_reversed').on(t.tenantId, t.reverses).where(sql`reverses is not null`),
  ],
);

/** Tasks of housekeeping that are off the list. */
export const tasks = schema.table(
  'tasks',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    businessDate: day('business_date').notNull(),
    outcome: text('outcome').notNull(),
  },
  t => [
    primaryKey({ name: 'tasks_pk', columns: [t.tenantId, t.id] }),
    index('tasks_by_day').on(t.tenantId, t.propertyId, t.businessDate),
  ],
);

/** What happened to each booking, without a word about the guest. */
export const bookingSamples = schema.table(
  'booking_samples',
  {
    tenantId,
    reservationId: uuid('reservation_id').notNull(),
    version: integer('version').notNull(),
    kind: text('kind', { enum: sampleKinds }).notNull(),
    propertyId: uuid('property_id').notNull(),
    at: at('at').notNull(),
    businessDate: day('business_date'),
    data: jsonb('data').notNull(),
  },
  t => [
    primaryKey({ name: 'booking_samples_pk', columns: [t.tenantId, t.reservationId, t.version, t.kind] }),
  ],
);

/** Bookings as their samples tell them. */
export const bookings = schema.table(
  'bookings',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    status: text('status', { enum: bookingStatuses }).notNull(),
    channel: text('channel').notNull(),
    rail: text('rail').notNull(),
    currency: text('currency').notNull(),
    arrival: day('arrival').notNull(),
    departure: day('departure').notNull(),
    rooms: integer('rooms').notNull(),
    roomNights: integer('room_nights').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
    bookedAt: at('booked_at').notNull(),
    cancelledAt: at('cancelled_at'),
    noShowOn: day('no_show_on'),
    version: integer('version').notNull(),
  },
  t => [
    primaryKey({ name: 'bookings_pk', columns: [t.tenantId, t.id] }),
    index('bookings_by_arrival').on(t.tenantId, t.propertyId, t.arrival),
    index('bookings_by_booking').on(t.tenantId, t.propertyId, t.bookedAt),
    index('bookings_by_cancellation')
      .on(t.tenantId, t.propertyId, t.cancelledAt)
      .where(sql`cancelled_at is not null`),
    index('bookings_by_no_show').on(t.tenantId, t.propertyId, t.noShowOn).where(sql`no_show_on is not null`),
  ],
);

/** Nights that are on the books now. */
export const nights = schema.table(
  'nights',
  {
    tenantId,
    reservationId: uuid('reservation_id').notNull(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    date: day('date').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    currency: text('currency').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
  },
  t => [
    primaryKey({ name: 'nights_pk', columns: [t.tenantId, t.reservationId, t.bookedRoomId, t.date] }),
    index('nights_by_day').on(t.tenantId, t.propertyId, t.date),
  ],
);

/** Every change of what is on the books. */
export const nightChanges = schema.table(
  'night_changes',
  {
    tenantId,
    reservationId: uuid('reservation_id').notNull(),
    step: smallint('step').notNull(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    date: day('date').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    currency: text('currency').notNull(),
    rooms: smallint('rooms').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
    at: at('at').notNull(),
    businessDate: day('business_date'),
  },
  t => [
    primaryKey({
      name: 'night_changes_pk',
      columns: [t.tenantId, t.reservationId, t.step, t.bookedRoomId, t.date, t.roomTypeId, t.currency],
    }),
    index('night_changes_by_day').on(t.tenantId, t.propertyId, t.date),
  ],
);
