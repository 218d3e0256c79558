import { sql } from '@ghasi/db/drizzle';
import {
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { conditions, occupancies } from './contract/room-state.ts';
import { taskCauses, taskKinds, taskOutcomes } from './contract.ts';
import { discrepancyKinds, endings } from './model/discrepancy.ts';
import { stayStatuses } from './model/stay.ts';
import { type Checklist, taskStatuses } from './model/task.ts';

const schema = pgSchema('housekeeping');
const tenantId = () => uuid('tenant_id').notNull();
const instant = (name: string) => timestamp(name, { withTimezone: true });

/** Houses as property-service told of them, and how they want their rooms kept. */
export const houses = schema.table(
  'houses',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    businessDate: date('business_date'),
    version: integer('version').notNull().default(0),
    stayoverService: boolean('stayover_service').notNull().default(true),
    deepCleanEvery: integer('deep_clean_every'),
  },
  t => [primaryKey({ name: 'houses_pk', columns: [t.tenantId, t.id] })],
);

/** Rooms with both axes of their state and what housekeeping saw last (R26). */
export const rooms = schema.table(
  'rooms',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomTypeId: uuid('room_type_id'),
    number: text('number'),
    floor: text('floor'),
    sellableFrom: date('sellable_from'),
    closedFrom: date('closed_from'),
    roomVersion: integer('room_version').notNull().default(0),
    statusId: uuid('status_id').notNull(),
    statusVersion: integer('status_version').notNull().default(0),
    occupancy: text('occupancy', { enum: occupancies }).notNull().default('vacant'),
    condition: text('condition', { enum: conditions }).notNull().default('dirty'),
    overlayTicketId: uuid('overlay_ticket_id'),
    observedOccupancy: text('observed_occupancy', { enum: occupancies }),
    observedPersons: integer('observed_persons'),
    observedAt: instant('observed_at'),
    observedBy: uuid('observed_by'),
    deepCleanedOn: date('deep_cleaned_on'),
  },
  t => [
    primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.id] }),
    unique('rooms_status_once').on(t.tenantId, t.statusId),
    index('rooms_by_property').on(t.tenantId, t.propertyId, t.number),
  ],
);

const live = sql`status in ('expected', 'in_house')`;

/** The front office's view: who is expected or in house, and where. */
export const stays = schema.table(
  'stays',
  {
    tenantId: tenantId(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    roomVersion: integer('room_version').notNull().default(0),
    nextRoomId: uuid('next_room_id'),
    nextFrom: date('next_from'),
    arrival: date('arrival').notNull(),
    departure: date('departure').notNull(),
    datesVersion: integer('dates_version').notNull().default(0),
    persons: integer('persons').notNull(),
    keyFrom: instant('key_from'),
    status: text('status', { enum: stayStatuses }).notNull(),
    statusVersion: integer('status_version').notNull().default(0),
    since: date('since'),
  },
  t => [
    primaryKey({ name: 'stays_pk', columns: [t.tenantId, t.bookedRoomId] }),
    index('stays_by_booking').on(t.tenantId, t.reservationId),
    index('stays_by_room').on(t.tenantId, t.roomId).where(live),
    index('stays_by_property').on(t.tenantId, t.propertyId).where(live),
  ],
);

/** What maintenance-service asked for, one row per ticket. */
export const overlays = schema.table(
  'overlays',
  {
    tenantId: tenantId(),
    ticketId: uuid('ticket_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    kind: text('kind', { enum: ['none', 'out_of_order', 'out_of_service'] }).notNull(),
    fromDate: date('from_date'),
    untilDate: date('until_date'),
    returnCondition: text('return_condition', { enum: conditions }).notNull(),
    ended: boolean('ended').notNull().default(false),
    version: integer('version').notNull(),
  },
  t => [
    primaryKey({ name: 'overlays_pk', columns: [t.tenantId, t.ticketId] }),
    index('overlays_running').on(t.tenantId, t.roomId).where(sql`not ended and kind <> 'none'`),
  ],
);

const open = sql`status in ('created', 'assigned', 'started')`;

/** The work to do, and what became of it. */
export const tasks = schema.table(
  'tasks',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id').notNull(),
    kind: text('kind', { enum: taskKinds }).notNull(),
    cause: text('cause', { enum: taskCauses }).notNull(),
    reservationId: uuid('reservation_id'),
    businessDate: date('business_date').notNull(),
    status: text('status', { enum: taskStatuses }).notNull(),
    rush: boolean('rush').notNull(),
    dueAt: instant('due_at'),
    estimatedMinutes: integer('estimated_minutes').notNull(),
    assigneeId: uuid('assignee_id'),
    checklist: jsonb('checklist').$type<Checklist>().notNull(),
    note: text('note'),
    startedAt: instant('started_at'),
    completedAt: instant('completed_at'),
    completedBy: uuid('completed_by'),
    outcome: text('outcome', { enum: taskOutcomes }),
    ticketId: uuid('ticket_id'),
    inspection: text('inspection', { enum: ['passed', 'failed'] }),
    inspectedBy: uuid('inspected_by'),
    replacedBy: uuid('replaced_by'),
    version: integer('version').notNull().default(1),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'tasks_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('tasks_one_open').on(t.tenantId, t.roomId, t.kind).where(open),
    index('tasks_by_day').on(t.tenantId, t.propertyId, t.businessDate),
    index('tasks_open').on(t.tenantId, t.propertyId).where(open),
  ],
);

/** Where front office and housekeeping disagreed (R26). */
export const discrepancies = schema.table(
  'discrepancies',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id').notNull(),
    kind: text('kind', { enum: discrepancyKinds }).notNull(),
    frontOfficeOccupancy: text('front_office_occupancy', { enum: occupancies }).notNull(),
    frontOfficePersons: integer('front_office_persons').notNull(),
    observedOccupancy: text('observed_occupancy', { enum: occupancies }).notNull(),
    observedPersons: integer('observed_persons'),
    reservationId: uuid('reservation_id'),
    businessDate: date('business_date').notNull(),
    foundAt: instant('found_at').notNull(),
    foundBy: uuid('found_by'),
    ending: text('ending', { enum: endings }),
    resolvedBy: uuid('resolved_by'),
    resolvedAt: instant('resolved_at'),
    note: text('note'),
  },
  t => [
    primaryKey({ name: 'discrepancies_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('discrepancies_one_open').on(t.tenantId, t.roomId).where(sql`ending is null`),
    index('discrepancies_by_property').on(t.tenantId, t.propertyId, t.foundAt),
  ],
);

/** How a kind of work is done in a house. */
export const plans = schema.table(
  'plans',
  {
    tenantId: tenantId(),
    propertyId: uuid('property_id').notNull(),
    kind: text('kind', { enum: taskKinds }).notNull(),
    estimatedMinutes: integer('estimated_minutes').notNull(),
    checklist: jsonb('checklist').$type<readonly string[]>().notNull(),
  },
  t => [primaryKey({ name: 'plans_pk', columns: [t.tenantId, t.propertyId, t.kind] })],
);
