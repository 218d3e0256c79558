import { idText, line, tenantIdText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  calendars,
  currency,
  digits,
  locale,
  locales,
  membershipFacts,
  membershipStatuses,
  planClasses,
  propertyScope,
  regions,
  roles,
  suspensionReasons,
  tenantFacts,
  tenantStatuses,
  zone,
} from '../contract.ts';

/** Part of an address: 3 to 40 of a-z, 0-9 and single hyphens inside. */
export const slugText = z
  .string()
  .max(40)
  .regex(/^[a-z0-9](?:-?[a-z0-9]){2,39}$/, 'a-z, 0-9 and single hyphens');

/** A host name of at least two labels in lower case; no address, no port. */
export const hostText = z
  .string()
  .min(4)
  .max(120)
  .regex(
    /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*\.)+[a-z][a-z0-9]*(?:-+[a-z0-9]+)*$/,
    'a host name such as book.hotel.af',
  );

/** The distinct values of a closed list. */
const setOf = <T extends z.ZodType>(item: T, most: number) =>
  z
    .array(item)
    .min(1)
    .max(most)
    .refine(items => new Set(items).size === items.length, 'each value once');

/** How a tenant writes, counts and sells. */
export const settingsValues = z.strictObject({
  defaultLocale: locale,
  locales: setOf(locale, locales.length),
  currency,
  calendar: z.enum(calendars),
  digits: z.enum(digits),
  /** ISO: 1 Monday to 7 Sunday. */
  weekendDays: setOf(z.int().min(1).max(7), 3),
  zone,
  legalName: line(200).nullable(),
  taxRegistration: line(40).nullable(),
});
export type Settings = z.output<typeof settingsValues>;

/** A change of some settings or of the name, based on a version. */
export const settingsPatch = z
  .strictObject({ version, name: line(120).optional(), ...settingsValues.partial().shape })
  .refine(patch => Object.keys(patch).length > 1, 'nothing to change');
export type SettingsPatch = z.output<typeof settingsPatch>;

/** What the platform must say to open a tenant. */
export const newTenant = z.strictObject({
  name: line(120),
  slug: slugText,
  ownerId: idText('usr'),
  rooms: z.int().min(0).max(100_000),
  region: z.enum(regions),
  settings: settingsValues.partial().default({}),
});
export type NewTenant = z.output<typeof newTenant>;

const instant = z.iso.datetime();

/** A tenant as the platform sees it. */
export const tenantView = z.strictObject({
  tenantId: tenantIdText,
  slug: z.string(),
  name: z.string(),
  status: z.enum(tenantStatuses),
  suspensionReason: z.enum(suspensionReasons).nullable(),
  rooms: z.int(),
  planClass: z.enum(planClasses),
  region: z.enum(regions),
  createdAt: instant,
  version,
});
export type TenantView = z.output<typeof tenantView>;

/** A tenant as its own people see it. */
export const tenantProfile = z.strictObject({
  tenant: tenantView,
  settings: settingsValues.extend({ version, updatedAt: instant }),
});
export type TenantProfile = z.output<typeof tenantProfile>;

/** A tenant as everybody sees it. */
export const publicTenant = tenantFacts.omit({ tenantId: true, status: true });

/** A new member of staff. */
export const newMembership = z.strictObject({
  operatorId: idText('usr'),
  roles: setOf(z.enum(roles), roles.length),
  propertyIds: propertyScope,
});
export type NewMembership = z.output<typeof newMembership>;

/** A change of a membership, based on a version. */
export const membershipPatch = z
  .strictObject({
    version,
    ...newMembership.omit({ operatorId: true }).partial().shape,
    status: z.enum(membershipStatuses).optional(),
  })
  .refine(patch => Object.keys(patch).length > 1, 'nothing to change');
export type MembershipPatch = z.output<typeof membershipPatch>;

/** A membership as the tenant's managers see it. */
export const membershipView = z.strictObject({
  id: idText('mbr'),
  operatorId: idText('usr'),
  ...membershipFacts.shape,
  version,
});
export type MembershipView = z.output<typeof membershipView>;

/** How an operator likes the back office. Null: as the tenant has it. */
export const preferences = z.strictObject({
  locale: locale.nullable(),
  calendar: z.enum(calendars).nullable(),
  digits: z.enum(digits).nullable(),
  density: z.enum(['comfortable', 'compact']),
  theme: z.enum(['system', 'light', 'dark']),
  startPage: z.enum([
    'today',
    'arrivals',
    'departures',
    'in_house',
    'housekeeping',
    'maintenance',
    'dashboard',
  ]),
  alertSounds: z.boolean(),
});
export type Preferences = z.output<typeof preferences>;

/** An operator's preferences; version 0 and no id while nothing was ever saved. */
export const preferencesView = z.strictObject({
  id: idText('opr').nullable(),
  propertyId: idText('pro').nullable(),
  preferences,
  version: z.int().min(0),
});
export type PreferencesView = z.output<typeof preferencesView>;

/** What a line of the history may be about. */
export const historyActions = [
  'tenant.created',
  'tenant.suspended',
  'tenant.reactivated',
  'tenant.closed',
  'tenant.resized',
  'settings.changed',
  'slug.claimed',
  'host.added',
  'host.verified',
  'host.removed',
  'membership.added',
  'membership.changed',
  'membership.removed',
] as const;

const snapshot = z.record(z.string(), z.json()).nullable();

/** One line of the history: who changed what. */
export const historyEntry = z.strictObject({
  id: z.string(),
  action: z.enum(historyActions),
  subject: z.string(),
  before: snapshot,
  after: snapshot,
  actor: z.strictObject({ type: z.enum(['user', 'system', 'service', 'api_key']), id: z.string() }),
  at: instant,
});
export type HistoryEntry = z.output<typeof historyEntry>;

/** The names a tenant answers to. */
export const addressesView = z.strictObject({
  slugs: z.array(z.strictObject({ slug: z.string(), primary: z.boolean() })),
  hosts: z.array(z.strictObject({ host: z.string(), verified: z.boolean() })),
});
export type AddressesView = z.output<typeof addressesView>;
