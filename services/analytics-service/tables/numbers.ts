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
  text,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { snapshotKinds } from '../contract.ts';
import { checkpointStatuses } from '../projection/freshness.ts';

const schema = pgSchema('analytics');
const tenantId = uuid('tenant_id').notNull();

/** How far what was heard of a house reaches (PROJ-02). */
export const watermarks = schema.table(
  'watermarks',
  {
    tenantId,
    scopeId: uuid('scope_id').notNull(),
    value: minor('value').notNull(),
    raisedAt: at('raised_at').notNull(),
    /** When the next run is due, or when the last one was. */
    dueAt: at('due_at').notNull().default(sql`'-infinity'`),
  },
  t => [primaryKey({ name: 'watermarks_pk', columns: [t.tenantId, t.scopeId] })],
);

/** Days to be computed anew. */
export const changes = schema.table(
  'changes',
  {
    tenantId,
    id: minor('id').generatedAlwaysAsIdentity(),
    scopeId: uuid('scope_id').notNull(),
    topic: text('topic').notNull(),
    subject: text('subject').notNull(),
    fromDate: day('from_date'),
    untilDate: day('until_date'),
    at: at('at'),
  },
  t => [
    primaryKey({ name: 'changes_pk', columns: [t.tenantId, t.id] }),
    unique('changes_once')
      .on(t.tenantId, t.scopeId, t.topic, t.subject, t.fromDate, t.untilDate, t.at)
      .nullsNotDistinct(),
    index('changes_by_scope').on(t.tenantId, t.scopeId, t.id),
  ],
);

/** How far each handler has come (PROJ-06). */
export const checkpoints = schema.table(
  'checkpoints',
  {
    tenantId,
    scopeId: uuid('scope_id').notNull(),
    handler: text('handler').notNull(),
    handlerVersion: integer('handler_version').notNull(),
    status: text('status', { enum: checkpointStatuses }).notNull(),
    sourceWatermark: minor('source_watermark').notNull().default(0n),
    position: minor('position').notNull().default(0n),
    failures: integer('failures').notNull().default(0),
    error: text('error'),
    computedAt: at('computed_at'),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'checkpoints_pk', columns: [t.tenantId, t.scopeId, t.handler] })],
);

/** Rooms by day and type. */
export const roomDays = schema.table(
  'room_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    rooms: integer('rooms').notNull(),
    outOfOrder: integer('out_of_order').notNull(),
    sold: integer('sold').notNull(),
    arrivals: integer('arrivals').notNull(),
    departures: integer('departures').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [primaryKey({ name: 'room_days_pk', columns: [t.tenantId, t.propertyId, t.date, t.roomTypeId] })],
);

/** Room revenue by night, type and currency. */
export const revenueDays = schema.table(
  'revenue_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    currency: text('currency').notNull(),
    rooms: integer('rooms').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [
    primaryKey({
      name: 'revenue_days_pk',
      columns: [t.tenantId, t.propertyId, t.date, t.roomTypeId, t.currency],
    }),
  ],
);

/** What was posted to folios by hotel day and currency. */
export const chargeDays = schema.table(
  'charge_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    currency: text('currency').notNull(),
    roomNet: minor('room_net').notNull(),
    roomGross: minor('room_gross').notNull(),
    otherNet: minor('other_net').notNull(),
    otherGross: minor('other_gross').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [primaryKey({ name: 'charge_days_pk', columns: [t.tenantId, t.propertyId, t.date, t.currency] })],
);

/** Bookings by hotel day and by arrival. */
export const demandDays = schema.table(
  'demand_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    bookings: integer('bookings').notNull(),
    cancellations: integer('cancellations').notNull(),
    noShows: integer('no_shows').notNull(),
    arriving: integer('arriving').notNull(),
    arrivingCancelled: integer('arriving_cancelled').notNull(),
    arrivingNoShow: integer('arriving_no_show').notNull(),
    stays: integer('stays').notNull(),
    stayNights: integer('stay_nights').notNull(),
    leadDays: integer('lead_days').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [primaryKey({ name: 'demand_days_pk', columns: [t.tenantId, t.propertyId, t.date] })],
);

/** Nights by channel, rail and currency. */
export const mixDays = schema.table(
  'mix_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    channel: text('channel').notNull(),
    rail: text('rail').notNull(),
    currency: text('currency').notNull(),
    rooms: integer('rooms').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [
    primaryKey({
      name: 'mix_days_pk',
      columns: [t.tenantId, t.propertyId, t.date, t.channel, t.rail, t.currency],
    }),
  ],
);

/** What each hotel day changed of what is on the books for a night. */
export const pickupDays = schema.table(
  'pickup_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    asOf: day('as_of').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    currency: text('currency').notNull(),
    rooms: integer('rooms').notNull(),
    net: minor('net').notNull(),
    gross: minor('gross').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [
    primaryKey({
      name: 'pickup_days_pk',
      columns: [t.tenantId, t.propertyId, t.date, t.asOf, t.roomTypeId, t.currency],
    }),
  ],
);

/** Work done by hotel day. */
export const operationDays = schema.table(
  'operation_days',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    date: day('date').notNull(),
    tasksCompleted: integer('tasks_completed').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
  },
  t => [primaryKey({ name: 'operation_days_pk', columns: [t.tenantId, t.propertyId, t.date] })],
);

/** What was told of the numbers (EVT-76). */
export const snapshots = schema.table(
  'snapshots',
  {
    tenantId,
    id: uuid('id').notNull(),
    kind: text('kind', { enum: snapshotKinds }).notNull(),
    propertyId: uuid('property_id').notNull(),
    fromDate: day('from_date').notNull(),
    untilDate: day('until_date').notNull(),
    sourceWatermark: minor('source_watermark').notNull(),
    metrics: jsonb('metrics').notNull(),
    version: integer('version').notNull().default(1),
    computedAt: at('computed_at').notNull(),
  },
  t => [primaryKey({ name: 'snapshots_pk', columns: [t.tenantId, t.id] })],
);
