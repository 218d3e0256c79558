import type { Ctx } from '@ghasi/db/tenant-transaction';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { horizon } from '../model.ts';
import { type Block, lapseBlocks, setBlockStatus, waitingBlocks } from '../queries/blocks.ts';
import { lockTypeNights } from '../queries/nights.ts';
import { findRoom, lockType } from '../queries/rooms.ts';
import { tryBlock } from './blocks.ts';
import { retryImported } from './imported-blocks.ts';

/**
 * Tries again what waits; the value is how many blocks have begun. Types one after the other, and all nights of a type
 * before any block of it: this meets bookings in the order in which they lock (R7).
 */
export async function beginWaitingBlocks(ctx: Ctx): Promise<number> {
  await lapseBlocks(ctx, addDays(horizon(ctx.now).today, -1)); // somewhere it may still be their last night
  let begun = 0;
  for (const [roomTypeId, blocks] of await waitingBlocks(ctx)) {
    await lockType(ctx, roomTypeId);
    await lockTypeNights(ctx, { roomTypeId, ...spanOf(blocks) });
    for (const block of blocks) if (await begin(ctx, block)) begun += 1;
  }
  return begun;
}

async function begin(ctx: Ctx, block: Block): Promise<boolean> {
  if (block.feedId !== null) return retryImported(ctx, { ...block, feedId: block.feedId });
  const room = block.roomId === null ? undefined : await findRoom(ctx, block.roomId);
  if (room === undefined || (await tryBlock(ctx, block, room)).kind !== 'done') return false;
  await setBlockStatus(ctx, block.id, { status: 'active' });
  return true;
}

function spanOf(blocks: readonly Block[]): { from: LocalDate; until: LocalDate } {
  const from = blocks.map(block => block.from).sort()[0] as LocalDate;
  const until = blocks
    .map(block => block.until)
    .sort()
    .at(-1) as LocalDate;
  return { from, until };
}
