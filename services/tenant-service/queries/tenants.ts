import { and, eq, sql } from '@ghasi/db/drizzle';
import { row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { TenantClassLimits } from '@ghasi/telemetry/tenant-class';
import type { Settings, TenantView } from '../contract/resources.ts';
import type { TenantFacts } from '../contract.ts';
import { planLimits, settings, slugs, tenants } from '../tables.ts';

type Tx = Ctx['tx'];
type TenantRow = typeof tenants.$inferSelect;

/** The transaction's tenant, locked until it ends; every change of a tenant takes this lock first. */
export async function lockTenant(tx: Tx): Promise<TenantRow> {
  const [found] = await tx.select().from(tenants).for('update');
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  return found;
}

/** The transaction's tenant, or undefined when it was never created. */
export async function findTenant(tx: Tx): Promise<TenantRow | undefined> {
  return (await tx.select().from(tenants))[0];
}

export async function insertTenant(tx: Tx, tenant: typeof tenants.$inferInsert): Promise<void> {
  await tx.insert(tenants).values(tenant);
}

/** Writes some columns; the caller holds the lock. */
export async function updateTenant(
  ctx: Pick<Ctx, 'tx' | 'tenantId'>,
  change: Partial<Omit<TenantRow, 'tenantId' | 'version'>>,
): Promise<void> {
  await ctx.tx
    .update(tenants)
    .set({ ...change, version: sql`${tenants.version} + 1` })
    .where(eq(tenants.tenantId, ctx.tenantId));
}

/** The transaction's tenant as its own people and the platform see it. */
export async function readTenantView(tx: Tx): Promise<TenantView> {
  const [found] = await tx
    .select({ tenant: tenants, slug: slugs.slug })
    .from(tenants)
    .innerJoin(slugs, and(eq(slugs.tenantId, tenants.tenantId), eq(slugs.isPrimary, true)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  const { requestHash: _, createdAt, tenantId, ...shown } = found.tenant;
  return { ...shown, tenantId: tenantId as TenantId, slug: found.slug, createdAt: createdAt.toISOString() };
}

/** The tenant's settings with the version they have. */
export async function readSettings(tx: Tx): Promise<{ values: Settings; version: number; updatedAt: Date }> {
  const [found] = await tx.select().from(settings);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  const { tenantId: _, version, updatedAt, ...values } = found;
  return { values, version, updatedAt };
}

export async function insertSettings(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  values: Settings,
): Promise<void> {
  await ctx.tx.insert(settings).values({ ...values, tenantId: ctx.tenantId, updatedAt: ctx.now });
}

/** Replaces the settings if they still have this version; returns how many rows that touched. */
export async function updateSettings(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  version: number,
  values: Settings,
): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(settings)
    .set({ ...values, version: version + 1, updatedAt: ctx.now })
    .where(and(eq(settings.tenantId, ctx.tenantId), eq(settings.version, version)));
  return rowCount ?? 0;
}

/** The configured room limits of the plan classes. */
export async function readPlanLimits(tx: Tx): Promise<TenantClassLimits> {
  const limits = new Map((await tx.select().from(planLimits)).map(one => [one.class, one.mostRooms]));
  const [small, medium] = [limits.get('small'), limits.get('medium')];
  if (small == null || medium == null)
    throw new Error('tenant.plan_classes lacks the limits of small or medium');
  return { small, medium };
}

/** The tenant behind a slug or a verified host, through the one function that may look across tenants. */
export async function resolve(
  tx: Tx,
  by: { slug?: string; host?: string },
): Promise<TenantFacts | undefined> {
  return row<TenantFacts>(
    tx,
    sql`
      select tenant_id as "tenantId",
             slug,
             name,
             status,
             default_locale as "defaultLocale",
             locales,
             currency,
             zone
      from tenant.resolve(${by.slug ?? null}, ${by.host ?? null})`,
  );
}

/** The platform's tenants after an id; empty in any other tenant's transaction. */
export async function listTenants(
  tx: Tx,
  page: { after?: TenantId | undefined; limit: number },
): Promise<TenantView[]> {
  const found = await rows<Omit<TenantView, 'createdAt'> & { createdAt: Date }>(
    tx,
    sql`
      select tenant_id as "tenantId",
             slug,
             name,
             status,
             suspension_reason as "suspensionReason",
             rooms,
             plan_class as "planClass",
             region,
             created_at as "createdAt",
             version
      from tenant.list_tenants(${page.after ?? null}, ${page.limit})`,
  );
  return found.map(one => ({ ...one, createdAt: one.createdAt.toISOString() }));
}
