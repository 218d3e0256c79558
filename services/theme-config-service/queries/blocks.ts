import { and, asc, count, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { BlockView } from '../contract/resources.ts';
import { contentBlocks } from '../tables.ts';

type Tx = Ctx['tx'];

/** A content block; one of another tenant is not found. */
export async function readBlock(tx: Tx, id: Id<'cbk'>): Promise<BlockView> {
  const [found] = await tx
    .select()
    .from(contentBlocks)
    .where(eq(contentBlocks.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Content block' });
  return fromRow(found);
}

/** The texts of a brand in the order of a page; of one place or status when asked for. */
export async function listBlocks(
  tx: Tx,
  of: {
    themeId: Id<'thm'>;
    placement?: BlockView['placement'] | undefined;
    status?: BlockView['status'] | undefined;
  },
): Promise<BlockView[]> {
  const found = await tx
    .select()
    .from(contentBlocks)
    .where(
      and(
        eq(contentBlocks.themeId, idToUuid(of.themeId)),
        of.placement && eq(contentBlocks.placement, of.placement),
        of.status && eq(contentBlocks.status, of.status),
      ),
    )
    .orderBy(asc(contentBlocks.placement), asc(contentBlocks.position), asc(contentBlocks.id));
  return found.map(fromRow);
}

export async function countBlocks(tx: Tx, themeId: Id<'thm'>): Promise<number> {
  const [found] = await tx
    .select({ blocks: count() })
    .from(contentBlocks)
    .where(eq(contentBlocks.themeId, idToUuid(themeId)));
  return Number(found?.blocks ?? 0);
}

export async function insertBlock(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { id, themeId, ...rest }: BlockView,
): Promise<void> {
  const row = { ...rest, tenantId: ctx.tenantId, id: idToUuid(id), themeId: idToUuid(themeId) };
  await ctx.tx.insert(contentBlocks).values({ ...row, createdAt: ctx.now, updatedAt: ctx.now });
}

/** Replaces a block if it still has the version before; returns how many rows that touched. */
export async function updateBlock(ctx: Pick<Ctx, 'tx' | 'now'>, after: BlockView): Promise<number> {
  const { id, themeId: _, ...rest } = after;
  const { rowCount } = await ctx.tx
    .update(contentBlocks)
    .set({ ...rest, updatedAt: ctx.now })
    .where(and(eq(contentBlocks.id, idToUuid(id)), eq(contentBlocks.version, after.version - 1)));
  return rowCount ?? 0;
}

function fromRow(row: typeof contentBlocks.$inferSelect): BlockView {
  const { placement, position, status, text, contentHash, version } = row;
  const ids = { id: idFromUuid('cbk', row.id), themeId: idFromUuid('thm', row.themeId) };
  return { ...ids, placement, position, status, text, contentHash, version };
}
