import { and, asc, desc, eq, isNull } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { hosts, slugs } from '../tables.ts';

type Tx = Ctx['tx'];

/** Every slug the tenant has or had, the one in use first. */
export function listSlugs(tx: Tx) {
  return tx
    .select({ slug: slugs.slug, isPrimary: slugs.isPrimary })
    .from(slugs)
    .orderBy(desc(slugs.isPrimary), asc(slugs.slug));
}

/** Turns the slug in use into a redirect. */
export async function demoteSlug(ctx: Pick<Ctx, 'tx' | 'tenantId'>): Promise<void> {
  await ctx.tx
    .update(slugs)
    .set({ isPrimary: false })
    .where(and(eq(slugs.tenantId, ctx.tenantId), eq(slugs.isPrimary, true)));
}

/** Puts an old slug back into use. */
export async function promoteSlug(ctx: Pick<Ctx, 'tx' | 'tenantId'>, slug: string): Promise<void> {
  await ctx.tx
    .update(slugs)
    .set({ isPrimary: true })
    .where(and(eq(slugs.tenantId, ctx.tenantId), eq(slugs.slug, slug)));
}

/**
 * Takes a slug for this tenant; false when any tenant has it. Waits for whoever is just taking it, so of any number
 * of claims one wins.
 */
export async function insertSlug(ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>, slug: string): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .insert(slugs)
    .values({ tenantId: ctx.tenantId, slug, isPrimary: true, createdAt: ctx.now })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** The tenant's own hosts, verified or not. */
export function listHosts(tx: Tx) {
  return tx.select().from(hosts).orderBy(asc(hosts.host));
}

/** Writes a host down, unverified; false when it is there already. */
export async function insertHost(ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>, host: string): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .insert(hosts)
    .values({ tenantId: ctx.tenantId, host, createdAt: ctx.now })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** Marks a host as the tenant's; a unique violation of `hosts_one_owner` when another tenant's is verified. */
export async function verifyHostRow(ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>, host: string): Promise<void> {
  await ctx.tx
    .update(hosts)
    .set({ verifiedAt: ctx.now })
    .where(and(eq(hosts.tenantId, ctx.tenantId), eq(hosts.host, host), isNull(hosts.verifiedAt)));
}

/** Forgets a host; false when it was not there. */
export async function deleteHost(ctx: Pick<Ctx, 'tx' | 'tenantId'>, host: string): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .delete(hosts)
    .where(and(eq(hosts.tenantId, ctx.tenantId), eq(hosts.host, host)));
  return rowCount === 1;
}
