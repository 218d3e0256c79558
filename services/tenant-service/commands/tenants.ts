import { type Accepted, accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { tenantIdClass } from '@ghasi/telemetry/tenant-class';
import type { NewTenant, SettingsPatch, TenantProfile, TenantView } from '../contract/resources.ts';
import type { SuspensionReason } from '../contract.ts';
import { errors } from '../errors.ts';
import { type changeableSettings, SettingsChanged, TenantCreated, TenantSuspended } from '../events.ts';
import {
  claim,
  defaultSettings,
  eventVersion,
  locksStaffOut,
  type Membership,
  mergeSettings,
  move,
  type TenantState,
  topRole,
} from '../model.ts';
import { insertSlug } from '../queries/addresses.ts';
import { appendHistory } from '../queries/history.ts';
import { insertMembership } from '../queries/memberships.ts';
import {
  findTenant,
  insertSettings,
  insertTenant,
  lockTenant,
  readPlanLimits,
  readSettings,
  readTenantView,
  updateSettings,
  updateTenant,
} from '../queries/tenants.ts';
import { roleGranted } from './role-granted.ts';

/**
 * Opens a tenant with its first owner, in a transaction of the tenant to be. Sent again it changes nothing; a tenant
 * that another request made under the same id is refused.
 */
export async function createTenant(
  ctx: Ctx,
  input: NewTenant & { requestHash: string },
): Promise<Accepted<TenantView>> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'tenant', id: ctx.tenantId });
  const existing = await findTenant(ctx.tx);
  if (existing && existing.requestHash !== input.requestHash) throw coreErrors.IDEMPOTENCY_KEY_REUSED();
  if (existing) return accepted(await readTenantView(ctx.tx), []);

  const { name, rooms, region, requestHash } = input;
  const settings = mergeSettings(defaultSettings, input.settings);
  if (!settings.locales.includes(settings.defaultLocale)) throw errors.DEFAULT_LOCALE_NOT_OFFERED();
  if (claim(input.slug, []) !== 'insert') throw errors.SLUG_RESERVED();
  const owner: Membership = {
    id: ctx.newId('mbr'),
    operatorId: input.ownerId,
    roles: [topRole(ctx.tenantId)],
    propertyIds: 'all',
    status: 'active',
    version: 1,
  };

  const planClass = tenantIdClass(rooms, await readPlanLimits(ctx.tx));
  const { tenantId, now } = ctx;
  const { slug, ownerId } = input;
  await insertTenant(ctx.tx, { tenantId, name, rooms, planClass, region, requestHash, createdAt: now });
  await insertSettings(ctx, settings);
  // Last of the unique names: whoever loses the slug leaves nothing behind.
  if (!(await insertSlug(ctx, slug))) throw errors.SLUG_TAKEN();
  await insertMembership(ctx, owner);
  await appendHistory(ctx, {
    action: 'tenant.created',
    subject: ctx.tenantId,
    after: { name, slug, rooms, planClass, region, ownerId },
  });
  const tenant = await readTenantView(ctx.tx);
  const created = { tenantId, name, slug, ownerId, rooms, planClass, region, settings };
  const aggregateVersion = eventVersion(tenant, await readSettings(ctx.tx));
  return accepted(tenant, [
    TenantCreated.from(created, { aggregateVersion }),
    ...roleGranted(owner, { by: null }),
  ]);
}

const actionFor = {
  active: 'tenant.reactivated',
  suspended: 'tenant.suspended',
  closed: 'tenant.closed',
} as const;

/** Suspends, reactivates or closes the tenant. The state it has already is no change and no error. */
export async function moveTenant(ctx: Ctx, to: TenantState): Promise<Accepted<TenantView>> {
  if (ctx.tenantId === PLATFORM_TENANT_ID) throw errors.PLATFORM_STAYS();
  const { status, suspensionReason } = await lockTenant(ctx.tx);
  const outcome = move({ status, suspensionReason }, to);
  if (outcome === 'refused') throw errors.TENANT_TRANSITION_REFUSED({ from: status, to: to.status });
  if (outcome === 'unchanged') return accepted(await readTenantView(ctx.tx), []);
  await updateTenant(ctx, to);
  const before = { status, suspensionReason };
  await appendHistory(ctx, { action: actionFor[to.status], subject: ctx.tenantId, before, after: to });
  const tenant = await readTenantView(ctx.tx);
  return accepted(
    tenant,
    to.suspensionReason === null ? [] : [await suspended(ctx, tenant, to.suspensionReason)],
  );
}

async function suspended({ tx, tenantId }: Ctx, tenant: TenantView, reason: SuspensionReason) {
  const payload = { tenantId, reason, staffLockedOut: locksStaffOut(reason) };
  return TenantSuspended.from(payload, { aggregateVersion: eventVersion(tenant, await readSettings(tx)) });
}

/** Notes how many rooms the tenant has and gives it the plan class of that size. */
export async function resizeTenant(ctx: Ctx, { rooms }: { rooms: number }): Promise<TenantView> {
  const before = await lockOpenTenant(ctx);
  if (ctx.tenantId === PLATFORM_TENANT_ID) throw errors.PLATFORM_STAYS();
  const planClass = tenantIdClass(rooms, await readPlanLimits(ctx.tx));
  if (before.rooms !== rooms || before.planClass !== planClass) {
    await updateTenant(ctx, { rooms, planClass });
    await appendHistory(ctx, {
      action: 'tenant.resized',
      subject: ctx.tenantId,
      before: { rooms: before.rooms, planClass: before.planClass },
      after: { rooms, planClass },
    });
  }
  return readTenantView(ctx.tx);
}

/** Changes the name and settings that the patch gives, if nobody changed them since its version. */
export async function changeSettings(
  ctx: Ctx,
  { version, name, ...patch }: SettingsPatch,
): Promise<Accepted<TenantProfile>> {
  const tenant = await lockOpenTenant(ctx);
  const { values: before } = await readSettings(ctx.tx);
  const after = mergeSettings(before, patch);
  if (!after.locales.includes(after.defaultLocale)) throw errors.DEFAULT_LOCALE_NOT_OFFERED();
  assertUpdated(await updateSettings(ctx, version, after), 'settings');
  if (name !== undefined && name !== tenant.name) await updateTenant(ctx, { name });
  const changed = difference({ ...before, name: tenant.name }, { ...after, name: name ?? tenant.name });
  await appendHistory(ctx, { action: 'settings.changed', subject: ctx.tenantId, ...changed });
  const profile = await readProfile(ctx);
  const fields = Object.keys(changed.after) as (typeof changeableSettings)[number][];
  // A patch may say what is there already: the version goes up, and nothing has changed.
  if (fields.length === 0) return accepted(profile, []);
  const { tenantId, name: present, region } = profile.tenant;
  const payload = { tenantId, changed: fields, name: present, region, settings: after };
  const aggregateVersion = eventVersion(profile.tenant, profile.settings);
  return accepted(profile, [SettingsChanged.from(payload, { aggregateVersion })]);
}

/** The tenant as its own people see it. */
export async function readProfile({ tx }: Pick<Ctx, 'tx'>): Promise<TenantProfile> {
  const tenant = await readTenantView(tx);
  const { values, version, updatedAt } = await readSettings(tx);
  return { tenant, settings: { ...values, version, updatedAt: updatedAt.toISOString() } };
}

/** Takes the tenant's lock and refuses a tenant that is closed. */
export async function lockOpenTenant(ctx: Pick<Ctx, 'tx'>) {
  const tenant = await lockTenant(ctx.tx);
  if (tenant.status === 'closed') throw errors.TENANT_CLOSED();
  return tenant;
}

function difference<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  const fields = (Object.keys(after) as (keyof T)[]).filter(
    field => canonicalJson(before[field]) !== canonicalJson(after[field]),
  );
  const pick = (from: T) => Object.fromEntries(fields.map(field => [field, from[field]])) as Partial<T>;
  return { before: pick(before), after: pick(after) };
}
