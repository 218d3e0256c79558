import { type Id, PLATFORM_TENANT_ID, parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Preferences, Settings } from './contract/resources.ts';
import {
  hotelRoles,
  type MembershipFacts,
  type MembershipStatus,
  type PropertyScope,
  platformRoles,
  type Role,
  type SuspensionReason,
  type TenantStatus,
} from './contract.ts';

/** Where a tenant may go from where it is. Closed is the end. */
export const nextStatus = {
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
} as const satisfies Record<TenantStatus, readonly TenantStatus[]>;

/**
 * The version of a tenant in its events, which all have one ordering key. The tenant and its settings count their
 * changes apart, both under the tenant's lock, so the sum rises with every change of either.
 */
export function eventVersion(tenant: { version: number }, settings: { version: number }): number {
  return tenant.version + settings.version - 1;
}

/** What a tenant is at a moment. */
export type TenantState = { status: TenantStatus; suspensionReason: SuspensionReason | null };

/** What to do about a wanted state: nothing, since it is there already; change; or refuse. */
export function move(from: TenantState, to: TenantState): 'unchanged' | 'changed' | 'refused' {
  if (from.status === to.status && from.suspensionReason === to.suspensionReason) return 'unchanged';
  // Another reason for a suspension that goes on is a change of the same state.
  if (from.status === 'suspended' && to.status === 'suspended') return 'changed';
  const reachable: readonly TenantStatus[] = nextStatus[from.status];
  return reachable.includes(to.status) ? 'changed' : 'refused';
}

/** Only a compliance case locks people out: there are guests in the beds. */
export function locksStaffOut(reason: SuspensionReason | null): boolean {
  return reason === 'compliance';
}

/**
 * What staff of a tenant in this state keep of a membership. A suspended hotel still has guests in its beds, so its
 * staff works on while nothing more is sold; only a compliance case locks everybody out. A closed tenant has no staff.
 */
export function effectiveMembership(facts: MembershipFacts, tenant: TenantState): MembershipFacts | null {
  if (tenant.status === 'closed') return null;
  return locksStaffOut(tenant.suspensionReason) ? { ...facts, status: 'suspended' } : facts;
}

/** A membership as rules see it. */
export type Membership = {
  id: Id<'mbr'>;
  operatorId: Id<'usr'>;
  roles: Role[];
  propertyIds: PropertyScope;
  status: MembershipStatus;
  version: number;
};

/** The role a tenant must never be without. */
export function topRole(tenantId: TenantId): Role {
  return tenantId === PLATFORM_TENANT_ID ? 'platform_admin' : 'owner';
}

/** The roles that exist in a tenant: nobody becomes the platform's administrator by a row in a hotel. */
export function rolesOf(tenantId: TenantId): readonly Role[] {
  return tenantId === PLATFORM_TENANT_ID ? platformRoles : hotelRoles;
}

const managing: readonly Role[] = ['owner', 'manager', 'platform_admin'];

/** Whether somebody may know of a membership: everything of his own properties, and whoever works everywhere. */
export function sees(viewer: Membership | 'system', membership: Membership): boolean {
  if (viewer === 'system' || viewer.propertyIds === 'all' || membership.propertyIds === 'all') return true;
  const own = viewer.propertyIds;
  return membership.propertyIds.some(id => own.includes(id));
}

/** The roles that a change gives: those that are new, and each of them again where it adds a property. */
export function rolesGiven(before: Membership | undefined, after: Membership): Role[] {
  if (before === undefined || !covers(before.propertyIds, after.propertyIds)) return after.roles;
  return after.roles.filter(role => !before.roles.includes(role));
}

/** A change of one membership: added without `before`, removed without `after`. */
export type MembershipChange = {
  tenantId: TenantId;
  /** Who does it, as he is now; `system` for seeds and the platform's first owner. */
  by: Membership | 'system';
  before?: Membership;
  after?: Membership;
  /** Active holders of the top role besides this one. */
  otherOwners: number;
};

/** Why a change of a membership cannot be: a code of the catalogue, or undefined when it can. */
export function membershipRefusal(change: MembershipChange) {
  const { tenantId, by, before, after, otherOwners } = change;
  const top = topRole(tenantId);
  const touched = [before, after].filter(one => one !== undefined);
  if (by !== 'system') {
    if (by.status !== 'active' || !by.roles.some(role => managing.includes(role))) return 'FORBIDDEN';
    if (!by.roles.includes(top) && touched.some(one => one.roles.includes(top))) return 'OWNER_PROTECTED';
    if (!touched.every(one => covers(by.propertyIds, one.propertyIds))) return 'BEYOND_YOUR_PROPERTIES';
  }
  if (after && !after.roles.every(role => rolesOf(tenantId).includes(role))) return 'ROLE_NOT_HERE';
  if (after?.roles.includes(top) && after.propertyIds !== 'all') return 'OWNER_NEEDS_ALL_PROPERTIES';
  if (holds(before, top) && !holds(after, top) && otherOwners === 0) return 'LAST_OWNER';
  return undefined;
}

function covers(whole: PropertyScope, part: PropertyScope): boolean {
  if (whole === 'all') return true;
  return part !== 'all' && part.every(id => whole.includes(id));
}

function holds(membership: Membership | undefined, role: Role): boolean {
  return membership?.status === 'active' && membership.roles.includes(role);
}

/** Names nobody may take as a slug: they are, or may become, parts of the platform's own addresses. */
export const reservedSlugs: ReadonlySet<string> = new Set(
  `about account accounts admin administrator api app apps assets auth backoffice billing blog book booking bookings
   cdn cloud console contact dashboard default demo-platform dev dns docs download email files ftp ghasi graphql guest
   guests health healthz help host hosts hotel hotels iam imap img internal invite legal localhost login logout mail
   media melmastoon metrics mobile news null oauth ops owner pay payment payments platform pop postmaster pricing
   privacy production public readyz register root search security settings shop signin signup smtp ssl sso staff stage
   staging static status support system tenant tenants terms test undefined user users webhook webhooks webmail www`
    .split(/\s+/)
    .filter(word => word !== ''),
);

/** Old slugs count: they redirect for ever, so a tenant cannot collect names. */
export const MOST_SLUGS = 10;
export const MOST_HOSTS = 10;

/** What a claim of a slug means for a tenant that holds these. */
export function claim(slug: string, mine: readonly { slug: string; isPrimary: boolean }[]) {
  const held = mine.find(one => one.slug === slug);
  if (held) return held.isPrimary ? 'unchanged' : 'promote';
  if (reservedSlugs.has(slug)) return 'SLUG_RESERVED';
  return mine.length >= MOST_SLUGS ? 'SLUG_LIMIT' : 'insert';
}

/** The name in a Host header: lower case, without port and final dot. */
export function hostName(header: string): string {
  return header
    .toLowerCase()
    .replace(/:[0-9]{1,5}$/, '')
    .replace(/\.$/, '');
}

/** How a tenant starts unless it says otherwise. */
export const defaultSettings: Settings = {
  defaultLocale: 'en',
  locales: ['en', 'ps', 'fa-AF'],
  currency: 'AFN',
  calendar: 'solar-hijri',
  digits: 'latn',
  weekendDays: [5],
  zone: 'Asia/Kabul',
  legalName: null,
  taxRegistration: null,
};

/** How the back office looks to an operator who never said. */
export const defaultPreferences: Preferences = {
  locale: null,
  calendar: null,
  digits: null,
  density: 'comfortable',
  theme: 'system',
  startPage: 'today',
  alertSounds: true,
};

/** A change without the fields that were not given. */
export function mergeSettings(
  before: Settings,
  patch: { [field in keyof Settings]?: Settings[field] | undefined },
): Settings {
  const given = Object.entries(patch).filter(([field, value]) => field in before && value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/**
 * The id of the tenant that a creating request makes, from the SHA-256 (hex) of its idempotency scope: the same
 * request makes the same tenant however often it is sent (uuid version 8).
 */
export function tenantIdFor(hash: string): TenantId {
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, variant + hash.slice(17, 20)];
  return parseTenantId([...parts, hash.slice(20, 32)].join('-'));
}
