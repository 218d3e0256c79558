import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { KnownBlock, Wish } from '../calendar/follow-feed.ts';
import { type Granted, grantNights } from '../calendar/grant-nights.ts';
import { joined, type Nights } from '../calendar/nights.ts';
import type { BlockEnding } from '../model.ts';
import { type BlockNights, endBlocks, replaceUses, saveImported } from '../queries/imported-blocks.ts';
import { lockTypeNights, recount } from '../queries/nights.ts';
import type { Place } from '../queries/places.ts';
import { usesOfRoom } from '../queries/room-uses.ts';
import { findRoom, lockRooms, lockType, type Room } from '../queries/rooms.ts';

/** Whose blocks, and the hotel day on which they are settled. */
export type Settling = Place & { feedId: Id<'cfd'>; propertyId: Id<'pro'>; today: LocalDate };

/** What shall become of them. */
export type Settlement = {
  wishes: readonly Wish[];
  drops: readonly KnownBlock[];
  /** Why the dropped ones end. */
  ending: BlockEnding;
};

const always: Nights = { from: '0001-01-01' as LocalDate, until: '9999-12-31' as LocalDate };

/**
 * Gives imported blocks the nights that are free, and drops others, all in one go: the type, then every night that is
 * touched in one statement, then the room. So an import never waits in a circle with a booking (R7).
 */
export async function settleBlocks(ctx: Ctx, of: Settling, what: Settlement): Promise<Granted[]> {
  const { wishes, drops } = what;
  if (wishes.length === 0 && drops.length === 0) return [];
  const room = of.roomId === null ? null : await roomOf(ctx, of.roomId);
  const roomTypeId = room?.roomTypeId ?? (of.roomTypeId as Id<'rty'>);
  const span = spanOf(what);
  await lockType(ctx, roomTypeId);
  const counters = await lockTypeNights(ctx, { roomTypeId, ...span });
  const touched = [
    ...wishes.flatMap(({ block }) => (block === null ? [] : [block.id])),
    ...drops.map(({ id }) => id),
  ];
  const others = room === null ? [] : await othersIn(ctx, room, { span, touched });
  const counted =
    room === null ? always : { from: room.sellableFrom, until: room.closedFrom ?? always.until };
  const granted = grantNights(what, { others, counters, counted, isOneRoom: room !== null });
  const saved = granted.map(one => ({ ...one, id: one.block?.id ?? ctx.newId('rbl') }));
  await saveImported(ctx, saved, of);
  if (drops.length > 0)
    await endBlocks(
      ctx,
      drops.map(({ id }) => id),
      what.ending,
    );
  const nights = [
    ...saved.flatMap(one => segments(one.id, one.block, { taken: one.taken, today: of.today })),
    ...drops.flatMap(block => segments(block.id, block, { taken: [], today: of.today })),
  ];
  const place = { roomId: room?.id ?? null, roomTypeId };
  // The room and its type are locked, so nobody came in between; if the constraint says otherwise, all is done again.
  if (!(await replaceUses(ctx, place, { blockIds: touched, nights, today: of.today })))
    throw coreErrors.VERSION_CONFLICT({ entity: 'room' });
  await recount(ctx, { roomTypeId, ...span });
  return granted;
}

async function roomOf(ctx: Ctx, id: Id<'rom'>): Promise<Room> {
  const room = await findRoom(ctx, id);
  if (room === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  return room;
}

async function othersIn(
  ctx: Ctx,
  room: Room,
  { span, touched }: { span: Nights; touched: readonly Id<'rbl'>[] },
): Promise<Nights[]> {
  lockRooms(ctx, [room.id]);
  const uses = await usesOfRoom(ctx, { roomId: room.id, ...span });
  return uses.filter(({ blockId }) => blockId === null || !touched.includes(blockId));
}

/** What a block has on paper: the run that began before today goes on, or ends today. */
function segments(
  blockId: Id<'rbl'>,
  block: KnownBlock | null,
  { taken, today }: { taken: readonly Nights[]; today: LocalDate },
): BlockNights[] {
  const begun = block?.begun ?? null;
  const past = begun === null ? [] : [{ from: begun, until: today }];
  return joined([...past, ...taken]).map(nights => ({ ...nights, blockId }));
}

/** From the first to the last night that may change. */
function spanOf({ wishes, drops }: Settlement): Nights {
  const nights = [
    ...wishes.flatMap(wish => [...wish.nights, ...(wish.block?.taken ?? [])]),
    ...drops.flatMap(({ taken }) => taken),
  ];
  const from = nights.map(one => one.from).sort()[0] ?? always.from;
  const until =
    nights
      .map(one => one.until)
      .sort()
      .at(-1) ?? from;
  return { from, until };
}
