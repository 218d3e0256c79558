import { sql } from '@ghasi/db/drizzle';
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { areas, blocks, resolutions, severities, ticketCategories } from './contract.ts';
import { ticketStatuses } from './model.ts';

const schema = pgSchema('maintenance');
const tenantId = () => uuid('tenant_id').notNull();
const instant = (name: string) => timestamp(name, { withTimezone: true });
const minor = (name: string) => bigint(name, { mode: 'bigint' }).notNull().default(sql`0`);

/** A part that was used, with its cost in minor units as text. */
export type StoredPart = { readonly name: string; readonly quantity: number; readonly minor: string };

/** Houses as property-service told of them. */
export const houses = schema.table(
  'houses',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    businessDate: date('business_date').notNull(),
    currency: text('currency'),
    version: integer('version').notNull(),
  },
  t => [primaryKey({ name: 'houses_pk', columns: [t.tenantId, t.id] })],
);

/** Rooms as property-service told of them. */
export const rooms = schema.table(
  'rooms',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id').notNull(),
    number: text('number').notNull(),
    closedFrom: date('closed_from'),
    version: integer('version').notNull(),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.id] }),
    index('rooms_by_property').on(t.tenantId, t.propertyId, t.number),
  ],
);

/** Work orders. */
export const tickets = schema.table(
  'tickets',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    area: text('area', { enum: areas }),
    category: text('category', { enum: ticketCategories }).notNull(),
    severity: text('severity', { enum: severities }).notNull(),
    title: text('title').notNull(),
    description: text('description'),
    status: text('status', { enum: ticketStatuses }).notNull(),
    block: text('block', { enum: blocks }).notNull(),
    blockFrom: date('block_from'),
    blockUntil: date('block_until'),
    photoIds: uuid('photo_ids').array().notNull(),
    reportedBy: uuid('reported_by'),
    reservationId: uuid('reservation_id'),
    taskId: uuid('task_id'),
    follows: uuid('follows'),
    planId: uuid('plan_id'),
    dueOn: date('due_on'),
    assigneeId: uuid('assignee_id'),
    openedAt: instant('opened_at').notNull(),
    closedAt: instant('closed_at'),
    closedBy: uuid('closed_by'),
    resolution: text('resolution', { enum: resolutions }),
    needsCleaning: boolean('needs_cleaning'),
    parts: jsonb('parts').$type<readonly StoredPart[]>().notNull().default([]),
    labourMinutes: integer('labour_minutes').notNull().default(0),
    labourMinor: minor('labour_minor'),
    costMinor: minor('cost_minor'),
    currency: text('currency').notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'tickets_pk', columns: [t.tenantId, t.id] }),
    index('tickets_by_property').on(t.tenantId, t.propertyId, t.openedAt),
    index('tickets_open').on(t.tenantId, t.propertyId).where(sql`resolution is null`),
    index('tickets_blocking').on(t.tenantId, t.roomId).where(sql`resolution is null and block <> 'none'`),
  ],
);

/** Who did what with a ticket and why. */
export const steps = schema.table(
  'steps',
  {
    tenantId: tenantId(),
    ticketId: uuid('ticket_id').notNull(),
    version: integer('version').notNull(),
    status: text('status', { enum: ticketStatuses }).notNull(),
    at: instant('at').notNull(),
    by: uuid('by'),
    note: text('note'),
  },
  t => [primaryKey({ name: 'steps_pk', columns: [t.tenantId, t.ticketId, t.version] })],
);

/** Work that comes round by itself. */
export const plans = schema.table(
  'plans',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    area: text('area', { enum: areas }),
    everyRoom: boolean('every_room').notNull(),
    category: text('category', { enum: ticketCategories }).notNull(),
    severity: text('severity', { enum: severities }).notNull(),
    title: text('title').notNull(),
    everyDays: integer('every_days').notNull(),
    nextDue: date('next_due').notNull(),
    ended: boolean('ended').notNull().default(false),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'plans_pk', columns: [t.tenantId, t.id] }),
    index('plans_due').on(t.nextDue).where(sql`not ended`),
  ],
);
