import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { since } from '../calendar/nights.ts';
import type { BlockEnding } from '../model.ts';
import type { Block } from '../queries/blocks.ts';
import { endBlocks, lockImported } from '../queries/imported-blocks.ts';
import { zoneOf } from '../queries/properties.ts';
import { settleBlocks } from './settle-blocks.ts';

/** A block that a feed made. */
export type ImportedBlock = Block & { readonly feedId: Id<'cfd'> };

/** Gives the nights of an imported block back, from today on; what was slept stays. */
export async function endImported(ctx: Ctx, block: ImportedBlock, ending: BlockEnding): Promise<void> {
  const today = await todayAt(ctx, block.propertyId);
  const known = await lockImported(ctx, block.id, today);
  if (known !== undefined)
    await settleBlocks(ctx, { ...block, today }, { wishes: [], drops: [known], ending });
}

/** Tries again to give a block that waits the nights it lacks; true when it has all of them. */
export async function retryImported(ctx: Ctx, block: ImportedBlock): Promise<boolean> {
  const today = await todayAt(ctx, block.propertyId);
  const known = await lockImported(ctx, block.id, today);
  if (known === undefined) return false;
  const { uid, from, until } = known;
  const nights = since(today, [known]);
  if (nights.length === 0) {
    await endBlocks(ctx, [known.id], 'lapsed');
    return false;
  }
  const wish = { block: known, uid, from, until, nights };
  const [granted] = await settleBlocks(
    ctx,
    { ...block, today },
    { wishes: [wish], drops: [], ending: 'vanished' },
  );
  return granted?.status === 'active';
}

/** Today on the wall calendar of a house. */
async function todayAt(ctx: Ctx, propertyId: Id<'pro'>): Promise<LocalDate> {
  return localDateIn((await zoneOf(ctx, propertyId)) ?? parseZone('UTC'), ctx.now);
}
