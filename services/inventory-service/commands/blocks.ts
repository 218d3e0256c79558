import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import type { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { errors } from '../errors.ts';
import { type BlockEnding, type Night, type outKinds, spareOf } from '../model.ts';
import { type Block, insertBlock, lockBlock, setBlockStatus } from '../queries/blocks.ts';
import { lockTypeNights } from '../queries/nights.ts';
import { deleteOutOfOrder, insertOutOfOrder, type RoomUse, usesOfRoom } from '../queries/room-uses.ts';
import { findRoom, lockRooms, lockType, type Room } from '../queries/rooms.ts';
import { nightIssues, recountInOrder } from './capacity.ts';
import { endImported } from './imported-blocks.ts';

/** What staff ask for. */
export type BlockRoom = {
  roomId: Id<'rom'>;
  kind: (typeof outKinds)[number];
  from: LocalDate;
  until: LocalDate;
  reason: string | null;
};

/** Takes a room out for some nights; refused while somebody has it, with the list of who does (R11). */
export async function blockRoom(ctx: Ctx, input: BlockRoom): Promise<Block> {
  const room = await findRoom(ctx, input.roomId);
  if (room === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  const block: Block = {
    ...input,
    id: ctx.newId('rbl'),
    propertyId: room.propertyId,
    ...{ roomTypeId: null, ticketId: null, feedId: null },
    status: 'active',
  };
  const outcome = await tryBlock(ctx, block, room);
  if (outcome.kind === 'done') {
    await insertBlock(ctx, block);
    return block;
  }
  const { number } = room;
  if (outcome.kind === 'sold') throw errors.NIGHTS_SOLD({ issues: nightIssues(outcome.nights) });
  if (outcome.stays.length === 0) throw errors.ROOM_BLOCKED({ number });
  throw errors.ROOM_IN_USE({ number, issues: stayIssues(outcome.stays) });
}

/** The room can be sold again; what a portal said stays ended until it says something new. */
export async function endBlock(ctx: Ctx, { blockId }: { blockId: Id<'rbl'> }): Promise<Block> {
  const block = await lockBlock(ctx, { id: blockId });
  if (block === undefined) throw coreErrors.NOT_FOUND({ entity: 'Block' });
  return end(ctx, block, 'operator');
}

/** A repair ticket takes its room out; while somebody has the room the block waits and is on the move list. */
export async function blockForTicket(ctx: Ctx, ticket: PayloadOf<typeof TicketOpened>): Promise<void> {
  const { block: kind, blockedDays, roomId, ticketId, propertyId, category } = ticket;
  if (kind === 'none' || blockedDays === null || roomId === null) return;
  const old = await lockBlock(ctx, { ticketId });
  if (old !== undefined) return; // opened again: the ticket's first block was told of already
  const from = blockedDays.from as LocalDate;
  const until = blockedDays.until as LocalDate;
  const room = await findRoom(ctx, roomId);
  const block: Block = {
    ...{
      id: ctx.newId('rbl'),
      propertyId,
      roomId,
      roomTypeId: null,
      kind,
      from,
      until,
      ticketId,
      feedId: null,
    },
    reason: category,
    status: 'active',
  };
  const outcome = room === undefined ? { kind: 'unknown' as const } : await tryBlock(ctx, block, room);
  const status = outcome.kind === 'done' ? 'active' : 'waiting';
  if (status === 'waiting')
    ctx.log.warn({ ticketId, roomId, why: outcome.kind }, 'a block waits for its room');
  await insertBlock(ctx, { ...block, status });
}

/** The repair is over. */
export async function unblockForTicket(
  ctx: Ctx,
  { ticketId }: PayloadOf<typeof TicketClosed>,
): Promise<void> {
  const block = await lockBlock(ctx, { ticketId });
  if (block !== undefined) await end(ctx, block, 'repaired');
}

/** What trying to take a room out ended with. */
export type Tried =
  | { kind: 'done' }
  | { kind: 'in-use'; stays: RoomUse[] }
  | { kind: 'sold'; nights: Night[] };

/** In the order type, nights, room: the nights must have one room to spare, and the room nobody in it. */
export async function tryBlock(
  ctx: Ctx,
  { id: blockId, kind, from, until }: Pick<Block, 'id' | 'kind' | 'from' | 'until'>,
  { id: roomId, roomTypeId }: Room,
): Promise<Tried> {
  const isOut = kind === 'out_of_order';
  const nights = { roomTypeId, from, until };
  await lockType(ctx, roomTypeId);
  const locked = isOut ? await lockTypeNights(ctx, nights) : [];
  lockRooms(ctx, [roomId]);
  const uses = await usesOfRoom(ctx, { roomId, from, until });
  const stays = uses.filter(use => use.kind === 'stay');
  if (stays.length > 0 || (isOut && uses.length > 0)) return { kind: 'in-use', stays };
  if (!isOut) return { kind: 'done' };
  const over = locked.filter(night => spareOf(night) < 1);
  if (over.length > 0) return { kind: 'sold', nights: over };
  if (!(await insertOutOfOrder(ctx, { blockId, roomId, from, until }))) return { kind: 'in-use', stays: [] };
  await recountInOrder(ctx, nights);
  return { kind: 'done' };
}

async function end(ctx: Ctx, block: Block, ending: BlockEnding): Promise<Block> {
  if (block.status === 'ended') return block;
  if (block.feedId !== null) await endImported(ctx, { ...block, feedId: block.feedId }, ending);
  else {
    await setBlockStatus(ctx, block.id, { status: 'ended', ending });
    const room = block.roomId === null ? undefined : await findRoom(ctx, block.roomId);
    if (room !== undefined && block.kind === 'out_of_order' && block.status === 'active') {
      await lockType(ctx, room.roomTypeId);
      await deleteOutOfOrder(ctx, block.id);
      await recountInOrder(ctx, { roomTypeId: room.roomTypeId, from: block.from, until: block.until });
    }
  }
  return { ...block, status: 'ended' };
}

/** Reservations in the way, as a reply lists them. */
export function stayIssues(stays: readonly RoomUse[]) {
  return stays.map(({ reservationId, from, until }) => ({
    path: reservationId ?? '',
    code: 'RESERVATION',
    message: `${from} to ${until}`,
  }));
}
