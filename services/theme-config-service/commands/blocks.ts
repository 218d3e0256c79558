import { type Accepted, accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { BlockView, NewBlock, SiteBlock } from '../contract/resources.ts';
import { ContentBlockChanged } from '../contract.ts';
import { errors } from '../errors.ts';
import { MOST_BLOCKS, nextBlockStatus, siteBlocks } from '../model.ts';
import { countBlocks, insertBlock, listBlocks, readBlock, updateBlock } from '../queries/blocks.ts';
import { findThemesFor, readTheme } from '../queries/themes.ts';

/** Adds a text to a brand; it is shown at once. */
export async function addBlock(
  ctx: Ctx,
  { id = ctx.newId('cbk'), themeId, ...content }: NewBlock & { id?: Id<'cbk'>; themeId: Id<'thm'> },
): Promise<Accepted<BlockView>> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'theme-blocks', id: themeId });
  await readTheme(ctx.tx, themeId);
  if ((await countBlocks(ctx.tx, themeId)) >= MOST_BLOCKS)
    throw errors.TOO_MANY_BLOCKS({ most: MOST_BLOCKS });
  const block: BlockView = { id, themeId, version: 1, ...published(content) };
  await insertBlock(ctx, block);
  return told(ctx, block);
}

/** Replaces a text in all its languages, if nobody changed it since this version; a withdrawn one is shown again. */
export async function changeBlock(
  ctx: Ctx,
  { id, version, ...content }: NewBlock & { id: Id<'cbk'>; version: number },
): Promise<Accepted<BlockView>> {
  const { themeId } = await readBlock(ctx.tx, id);
  const after: BlockView = { id, themeId, version: version + 1, ...published(content) };
  assertUpdated(await updateBlock(ctx, after), 'content block');
  return told(ctx, after);
}

/** Takes a text off the site, if nobody changed it since this version. */
export async function withdrawBlock(
  ctx: Ctx,
  { id, version }: { id: Id<'cbk'>; version: number },
): Promise<Accepted<BlockView>> {
  const before = await readBlock(ctx.tx, id);
  const reachable: readonly string[] = nextBlockStatus[before.status];
  if (!reachable.includes('withdrawn')) throw errors.BLOCK_WITHDRAWN();
  const gone = { status: 'withdrawn' as const, text: null, contentHash: null };
  const after: BlockView = { ...before, ...gone, version: version + 1 };
  assertUpdated(await updateBlock(ctx, after), 'content block');
  return told(ctx, after);
}

/** What the booking site shows in one language. */
export async function readSiteContent(
  { tx }: Pick<Ctx, 'tx'>,
  asked: {
    propertyId: Id<'pro'> | null;
    placement?: BlockView['placement'] | undefined;
    locale: SiteBlock['locale'];
  },
): Promise<SiteBlock[]> {
  const { own, general } = await findThemesFor(tx, asked.propertyId);
  const of = async (theme: { id: Id<'thm'> } | undefined) =>
    theme === undefined
      ? []
      : listBlocks(tx, { themeId: theme.id, placement: asked.placement, status: 'published' });
  return siteBlocks(await of(own), await of(general), asked.locale);
}

function published(content: NewBlock) {
  return { ...content, status: 'published' as const, contentHash: payloadHash(content.text) };
}

async function told({ tx }: Ctx, block: BlockView): Promise<Accepted<BlockView>> {
  const { propertyId } = await readTheme(tx, block.themeId);
  const { id: contentBlockId, version: blockVersion, ...rest } = block;
  const payload = { ...rest, contentBlockId, blockVersion, propertyId };
  return accepted(block, [ContentBlockChanged.from(payload, { aggregateVersion: blockVersion })]);
}
