import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addBlock } from './commands/blocks.ts';
import { draftPreset, publishPreset } from './commands/presets.ts';
import { createTheme } from './commands/themes.ts';
import type { NewBlock, NewPreset, TokenValues } from './contract/resources.ts';
import { listThemes } from './queries/themes.ts';

/** The look of a group as a seed describes it; all ids are given. */
export type SeedLook = {
  tenantId: TenantId;
  preset: NewPreset & { id: Id<'thp'> };
  theme: { id: Id<'thm'>; overrides: TokenValues };
  blocks: readonly (NewBlock & { id: Id<'cbk'> })[];
};

const seeder: Actor = { type: 'system', id: 'seed' };

/** Gives groups without any brand theirs, and leaves the others as they are; safe to run at every start. */
export async function seedLooks(
  db: Database,
  looks: readonly SeedLook[],
  { now = new Date() }: { now?: Date } = {},
): Promise<void> {
  for (const look of looks) {
    await tenantTransaction(db, { tenantId: look.tenantId, actor: seeder, now }, ctx => seedLook(ctx, look));
  }
}

async function seedLook(ctx: Ctx, { preset, theme, blocks }: SeedLook) {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'theme', id: theme.id });
  if ((await listThemes(ctx.tx)).length > 0) return accepted(undefined, []);
  await draftPreset(ctx, preset);
  const events: unknown[] = [];
  events.push(...(await publishPreset(ctx, { id: preset.id, version: 1 })).events);
  const brand = { ...theme, propertyId: null, presetId: preset.id };
  events.push(...(await createTheme(ctx, brand)).events);
  for (const block of blocks) events.push(...(await addBlock(ctx, { ...block, themeId: theme.id })).events);
  return accepted(undefined, events);
}
