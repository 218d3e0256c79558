import { and, asc, eq, isNull, or } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { ThemeView, TokenValues } from '../contract/resources.ts';
import { properties, themes } from '../tables.ts';

type Tx = Ctx['tx'];

/** A brand as rules see it. */
export type Theme = Omit<ThemeView, 'tokens'> & { tokens: TokenValues };

/** A brand; one of another tenant is not found. */
export async function readTheme(tx: Tx, id: Id<'thm'>): Promise<Theme> {
  const [found] = await tx
    .select()
    .from(themes)
    .where(eq(themes.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Theme' });
  return fromRow(found);
}

/** The brands of the tenant; there is at most one per property and one for all. */
export async function listThemes(tx: Tx): Promise<Theme[]> {
  return (await tx.select().from(themes).orderBy(asc(themes.id))).map(fromRow);
}

/** The brands built on a look, locked in the order of their ids until the transaction ends. */
export async function lockThemesOn(tx: Tx, presetId: Id<'thp'>): Promise<Theme[]> {
  const found = await tx
    .select()
    .from(themes)
    .where(eq(themes.presetId, idToUuid(presetId)))
    .orderBy(asc(themes.id))
    .for('update');
  return found.map(fromRow);
}

/** The brand of a property and that of the whole tenant, as far as they exist. */
export async function findThemesFor(tx: Tx, propertyId: Id<'pro'> | null) {
  const place =
    propertyId === null
      ? isNull(themes.propertyId)
      : or(isNull(themes.propertyId), eq(themes.propertyId, idToUuid(propertyId)));
  const found = (await tx.select().from(themes).where(place)).map(fromRow);
  return {
    own: found.find(theme => theme.propertyId !== null),
    general: found.find(theme => theme.propertyId === null),
  };
}

/** Adds a brand; false when there is one for this place. */
export async function insertTheme(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  theme: Omit<Theme, 'version'>,
): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .insert(themes)
    .values({
      ...theme,
      tenantId: ctx.tenantId,
      id: idToUuid(theme.id),
      propertyId: theme.propertyId === null ? null : idToUuid(theme.propertyId),
      presetId: idToUuid(theme.presetId),
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** Replaces look and tokens if nobody changed the brand since this version; returns how many rows that touched. */
export async function updateTheme(ctx: Pick<Ctx, 'tx' | 'now'>, theme: Theme): Promise<number> {
  const { presetId, presetVersion, overrides, tokens, version } = theme;
  const { rowCount } = await ctx.tx
    .update(themes)
    .set({
      presetId: idToUuid(presetId),
      presetVersion,
      overrides,
      tokens,
      version: version + 1,
      updatedAt: ctx.now,
    })
    .where(and(eq(themes.id, idToUuid(theme.id)), eq(themes.version, version)));
  return rowCount ?? 0;
}

/** Notes a property; once is enough. */
export async function noteProperty(ctx: Pick<Ctx, 'tx' | 'tenantId'>, id: Id<'pro'>): Promise<void> {
  await ctx.tx
    .insert(properties)
    .values({ tenantId: ctx.tenantId, id: idToUuid(id) })
    .onConflictDoNothing();
}

/** Refuses a property that nobody told us of. */
export async function assertProperty(tx: Tx, id: Id<'pro'>): Promise<void> {
  const [found] = await tx
    .select()
    .from(properties)
    .where(eq(properties.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
}

function fromRow(row: typeof themes.$inferSelect): Theme {
  const { presetVersion, overrides, tokens, version } = row;
  return {
    id: idFromUuid('thm', row.id),
    propertyId: row.propertyId === null ? null : idFromUuid('pro', row.propertyId),
    presetId: idFromUuid('thp', row.presetId),
    presetVersion,
    overrides,
    tokens,
    version,
  };
}
