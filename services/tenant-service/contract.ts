import { defineQuestion } from '@ghasi/backbone/question';
import { isCurrencyCode } from '@ghasi/domain-primitives/currencies';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What staff of a hotel group can be. Rights are declared beside each route. */
export const hotelRoles = [
  'owner',
  'manager',
  'front_desk',
  'housekeeping',
  'maintenance',
  'accountant',
  'auditor',
] as const;

/** What people of the platform can be; these roles exist in the platform's own tenant only. */
export const platformRoles = ['platform_admin', 'platform_support'] as const;

/** Every role. */
export const roles = [...hotelRoles, ...platformRoles] as const;
export type Role = (typeof roles)[number];

/** Life of a tenant. */
export const tenantStatuses = ['active', 'suspended', 'closed'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

/** Why a tenant is suspended (EVT-08). */
export const suspensionReasons = ['plan_limit', 'billing_failure', 'compliance'] as const;
export type SuspensionReason = (typeof suspensionReasons)[number];

/** Life of a membership. */
export const membershipStatuses = ['active', 'suspended'] as const;
export type MembershipStatus = (typeof membershipStatuses)[number];

/** Size of a tenant, as it appears on metrics and bills. */
export const planClasses = ['small', 'medium', 'large', 'platform'] as const;

/** Where a tenant's data may live (TEN-19). */
export const regions = ['me-central1', 'asia-south1', 'europe-west1', 'us-central1'] as const;

/** Languages the product speaks. */
export const locales = ['en', 'ps', 'fa-AF'] as const;
export const calendars = ['solar-hijri', 'gregorian'] as const;
/** `latn` 0-9, `arabext` ۰-۹. */
export const digits = ['latn', 'arabext'] as const;

export const locale = z.enum(locales);
export const currency = z.string().refine(isCurrencyCode, 'not an active ISO 4217 currency');
export const zone = z.string().max(64).refine(isZone, 'not an IANA time zone');

function isZone(text: string): boolean {
  try {
    parseZone(text);
    return true;
  } catch {
    return false;
  }
}

/** The properties a membership covers. */
export const propertyScope = z.union([z.literal('all'), z.array(idText('pro')).min(1).max(200)]);
export type PropertyScope = z.output<typeof propertyScope>;

/** What another service may know of a membership. */
export const membershipFacts = z.strictObject({
  roles: z.array(z.enum(roles)).min(1),
  status: z.enum(membershipStatuses),
  propertyIds: propertyScope,
});
export type MembershipFacts = z.output<typeof membershipFacts>;

/**
 * Which rights an operator has in a tenant at this moment, straight from PostgreSQL: a role change is seen by the
 * next question. Null: no membership, or the tenant is closed.
 */
export const membershipOf = defineQuestion({
  name: 'tenant.membership-of',
  input: z.strictObject({ tenantId: tenantIdText, operatorId: idText('usr') }),
  output: membershipFacts.nullable(),
});

/** What anybody may know of a tenant, and what a request needs to start. */
export const tenantFacts = z.strictObject({
  tenantId: tenantIdText,
  /** The slug in use now; differs from the asked one when that is an old slug: redirect. */
  slug: z.string(),
  name: z.string(),
  status: z.enum(tenantStatuses),
  defaultLocale: locale,
  locales: z.array(locale).min(1),
  currency,
  zone,
});
export type TenantFacts = z.output<typeof tenantFacts>;

/**
 * Which tenant a slug (also an old one) or a verified host name (as in a Host header, port and all) belongs to. Text
 * that cannot be one gives null.
 */
export const resolveTenant = defineQuestion({
  name: 'tenant.resolve',
  input: z.union([z.strictObject({ slug: z.string() }), z.strictObject({ host: z.string() })]),
  output: tenantFacts.nullable(),
});

/** How a tenant writes and counts, for its booking site. Null: no such tenant. */
export const siteSettingsOf = defineQuestion({
  name: 'tenant.site-settings',
  input: z.strictObject({ tenantId: tenantIdText }),
  output: tenantFacts
    .extend({
      calendar: z.enum(calendars),
      digits: z.enum(digits),
      /** ISO: 1 Monday to 7 Sunday. */
      weekendDays: z.array(z.int().min(1).max(7)),
    })
    .nullable(),
});
