import { sql } from '@ghasi/db/drizzle';
import {
  at,
  date,
  foreignKey,
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
import { type Agreed, sagaKinds, sagaOutcomes, statuses } from './model.ts';

const schema = pgSchema('reservation');

/** People who book. The only table with names and numbers. */
export const guests = schema.table(
  'guests',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    phone: text('phone').notNull(),
    email: text('email'),
    locale: text('locale', { enum: ['en', 'ps', 'fa-AF'] }).notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'guests_pk', columns: [t.tenantId, t.id] })],
);

/** One row per booking. */
export const reservations = schema.table(
  'reservations',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    code: text('code').notNull(),
    propertyId: uuid('property_id').notNull(),
    guestId: uuid('guest_id').notNull(),
    status: text('status', { enum: statuses }).notNull(),
    arrival: date('arrival').notNull(),
    departure: date('departure').notNull(),
    agreed: jsonb('agreed').$type<Agreed>().notNull(),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
    version: integer('version').notNull(),
  },
  t => [
    primaryKey({ name: 'reservations_pk', columns: [t.tenantId, t.id] }),
    unique('reservations_code').on(t.tenantId, t.code),
    foreignKey({
      name: 'reservations_guest',
      columns: [t.tenantId, t.guestId],
      foreignColumns: [guests.tenantId, guests.id],
    }),
    index('reservations_arrivals').on(t.tenantId, t.propertyId, t.arrival),
    index('reservations_departures').on(t.tenantId, t.propertyId, t.departure),
    index('reservations_of_guest').on(t.tenantId, t.guestId),
    uniqueIndex('reservations_one_per_draft')
      .on(t.tenantId, sql`(agreed ->> 'bookingDraftId')`)
      .where(sql`agreed ->> 'bookingDraftId' is not null`),
  ],
);

/** One row per saga that ever ran. */
export const sagas = schema.table(
  'sagas',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    kind: text('kind', { enum: sagaKinds }).notNull(),
    reservationId: uuid('reservation_id').notNull(),
    waitsFor: text('waits_for').notNull(),
    businessDate: date('business_date'),
    deadlineAt: at('deadline_at'),
    outcome: text('outcome', { enum: sagaOutcomes }),
    startedAt: at('started_at').notNull(),
    endedAt: at('ended_at'),
  },
  t => [
    primaryKey({ name: 'sagas_pk', columns: [t.tenantId, t.id] }),
    foreignKey({
      name: 'sagas_reservation',
      columns: [t.tenantId, t.reservationId],
      foreignColumns: [reservations.tenantId, reservations.id],
    }),
    uniqueIndex('sagas_one_open').on(t.tenantId, t.reservationId, t.kind).where(sql`outcome is null`),
    index('sagas_due').on(t.deadlineAt).where(sql`outcome is null`),
  ],
);
