import { and, asc, eq, gt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { NewPreset, PresetView } from '../contract/resources.ts';
import { presets, presetVersions } from '../tables.ts';

type Tx = Ctx['tx'];

/** A look with what is published of it. */
export type Preset = { view: PresetView; published: NewPreset | null };

/**
 * A look; one of another tenant is not found. `update` is for whoever publishes it, `share` for whoever builds on
 * what is published. Looks are locked before themes.
 */
export async function readPreset(tx: Tx, id: Id<'thp'>, lock?: 'update' | 'share'): Promise<Preset> {
  const query = tx
    .select()
    .from(presets)
    .where(eq(presets.id, idToUuid(id)));
  const [found] = await (lock === undefined ? query : query.for(lock));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Preset' });
  return fromRow(found);
}

/** Looks after an id, oldest first. */
export async function listPresets(
  tx: Tx,
  page: { after?: Id<'thp'> | undefined; limit: number },
): Promise<PresetView[]> {
  const found = await tx
    .select()
    .from(presets)
    .where(page.after && gt(presets.id, idToUuid(page.after)))
    .orderBy(asc(presets.id))
    .limit(page.limit);
  return found.map(row => fromRow(row).view);
}

export async function insertPreset(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { id, ...draft }: NewPreset & { id: Id<'thp'> },
): Promise<void> {
  const row = { ...draft, tenantId: ctx.tenantId, id: idToUuid(id) };
  await ctx.tx.insert(presets).values({ ...row, createdAt: ctx.now, updatedAt: ctx.now });
}

/** Writes some columns if nobody changed the look since this version; returns how many rows that touched. */
export async function updatePreset(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  { id, version }: { id: Id<'thp'>; version: number },
  change: NewPreset | { published: NewPreset; presetVersion: number },
): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(presets)
    .set({ ...change, version: version + 1, updatedAt: ctx.now })
    .where(and(eq(presets.id, idToUuid(id)), eq(presets.version, version)));
  return rowCount ?? 0;
}

/** Keeps a version that went out for good. */
export async function insertPresetVersion(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { id, presetVersion, ...look }: NewPreset & { id: Id<'thp'>; presetVersion: number },
): Promise<void> {
  const row = { ...look, tenantId: ctx.tenantId, presetId: idToUuid(id), presetVersion };
  await ctx.tx.insert(presetVersions).values({ ...row, publishedAt: ctx.now });
}

function fromRow(row: typeof presets.$inferSelect): Preset {
  const { name, tokens, published, presetVersion, version } = row;
  const view: PresetView = {
    id: idFromUuid('thp', row.id),
    name,
    tokens,
    status: published === null ? 'draft' : 'published',
    presetVersion,
    changed: canonicalJson({ name, tokens }) !== canonicalJson(published),
    version,
  };
  return { view, published };
}
