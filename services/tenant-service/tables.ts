import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { historyActions, type Preferences } from './contract/resources.ts';
import {
  calendars,
  digits,
  locales,
  membershipStatuses,
  planClasses,
  regions,
  roles,
  suspensionReasons,
  tenantStatuses,
} from './contract.ts';

const schema = pgSchema('tenant');

/** Room limits of the plan classes; the same for all tenants. */
export const planLimits = schema.table(
  'plan_classes',
  {
    class: text('class', { enum: ['small', 'medium', 'large'] }).notNull(),
    mostRooms: integer('most_rooms'),
  },
  t => [primaryKey({ name: 'plan_classes_pk', columns: [t.class] })],
);

/** One row per tenant. */
export const tenants = schema.table(
  'tenants',
  {
    tenantId: uuid('tenant_id').notNull(),
    name: text('name').notNull(),
    status: text('status', { enum: tenantStatuses }).notNull().default('active'),
    suspensionReason: text('suspension_reason', { enum: suspensionReasons }),
    rooms: integer('rooms').notNull(),
    planClass: text('plan_class', { enum: planClasses }).notNull(),
    region: text('region', { enum: regions }).notNull(),
    requestHash: text('request_hash').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
    version: integer('version').notNull().default(1),
  },
  t => [primaryKey({ name: 'tenants_pk', columns: [t.tenantId] })],
);

/** One row per tenant: how it writes, counts and sells. */
export const settings = schema.table(
  'settings',
  {
    tenantId: uuid('tenant_id').notNull(),
    defaultLocale: text('default_locale', { enum: locales }).notNull(),
    locales: text('locales', { enum: locales }).array().notNull(),
    currency: text('currency').$type<CurrencyCode>().notNull(),
    calendar: text('calendar', { enum: calendars }).notNull(),
    digits: text('digits', { enum: digits }).notNull(),
    weekendDays: smallint('weekend_days').array().notNull(),
    zone: text('zone').notNull(),
    legalName: text('legal_name'),
    taxRegistration: text('tax_registration'),
    version: integer('version').notNull().default(1),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'settings_pk', columns: [t.tenantId] })],
);

/** The slugs a tenant has ever had; one is in use, the others redirect. */
export const slugs = schema.table(
  'slugs',
  {
    tenantId: uuid('tenant_id').notNull(),
    slug: text('slug').notNull(),
    isPrimary: boolean('is_primary').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'slugs_pk', columns: [t.tenantId, t.slug] }),
    uniqueIndex('slugs_one_owner').on(t.slug),
    uniqueIndex('slugs_one_primary').on(t.tenantId).where(sql`is_primary`),
  ],
);

/** Host names of a tenant's own; without meaning until verified. */
export const hosts = schema.table(
  'hosts',
  {
    tenantId: uuid('tenant_id').notNull(),
    host: text('host').notNull(),
    verifiedAt: at('verified_at'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'hosts_pk', columns: [t.tenantId, t.host] }),
    uniqueIndex('hosts_one_owner').on(t.host).where(sql`verified_at is not null`),
  ],
);

/** Which operator may do what, where. */
export const memberships = schema.table(
  'memberships',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    operatorId: uuid('operator_id').notNull(),
    roles: text('roles', { enum: roles }).array().notNull(),
    /** Null: all properties. */
    propertyIds: uuid('property_ids').array(),
    status: text('status', { enum: membershipStatuses }).notNull().default('active'),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'memberships_pk', columns: [t.tenantId, t.id] }),
    unique('memberships_one_per_operator').on(t.tenantId, t.operatorId),
  ],
);

/** How an operator likes the back office, everywhere or at one property (BO-33). */
export const operatorPreferences = schema.table(
  'operator_preferences',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    operatorId: uuid('operator_id').notNull(),
    propertyId: uuid('property_id'),
    payload: jsonb('payload').$type<Preferences>().notNull(),
    version: integer('version').notNull().default(1),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'operator_preferences_pk', columns: [t.tenantId, t.id] }),
    unique('ux_prefs_op_prop').on(t.tenantId, t.operatorId, t.propertyId).nullsNotDistinct(),
  ],
);

/** Who changed what; only grows. */
export const history = schema.table(
  'history',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    action: text('action', { enum: historyActions }).notNull(),
    subject: text('subject').notNull(),
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
    actorType: text('actor_type', { enum: ['user', 'system', 'service', 'api_key'] }).notNull(),
    actorId: text('actor_id').notNull(),
    at: at('at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'history_pk', columns: [t.tenantId, t.id] })],
);
