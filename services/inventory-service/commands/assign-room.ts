import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { contains, stay as stayOf } from '@ghasi/domain-primitives/stay';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import type { BookingModified } from '@melmastoon/reservation-service/contract';
import { errors } from '../errors.ts';
import { isLive, movedFrom, type Slice } from '../model.ts';
import { type BookedLine, lockAllocationOf, readLines, setWantedRoom } from '../queries/allocations.ts';
import { deleteStays, insertStays, usesOfRoom } from '../queries/room-uses.ts';
import { findRoom, lockRooms, type Room } from '../queries/rooms.ts';
import { loadAllocation } from './allocate.ts';
import { stayIssues } from './blocks.ts';
import { takeRooms } from './take-rooms.ts';
import { undoable } from './undoable.ts';

/** Puts a booked room into a room, or out of it with null, from a night on; without one, for the whole stay. */
export type AssignRoom = {
  bookedRoomId: Id<'brm'>;
  roomId: Id<'rom'> | null;
  fromNight?: LocalDate | undefined;
};

/** Assigns a room of the booked type; the exclusion constraint decides who has it (R7). */
export async function assignRoom(ctx: Ctx, input: AssignRoom): Promise<BookedLine> {
  const { bookedRoomId, roomId } = input;
  const line = await loadLine(ctx, bookedRoomId);
  const fromNight = input.fromNight ?? line.stay.arrival;
  if (!contains(line.stay, fromNight)) throw errors.NIGHT_NOT_BOOKED({ date: fromNight });
  const room = roomId === null ? null : await findRoom(ctx, roomId);
  if (room === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  const slices = movedFrom(line.stay, line.slices, { fromNight, roomId });
  if (room !== null) assertFits(room, line, fromNight);
  if (await sleepIn(ctx, line, slices)) {
    await setWantedRoom(ctx, { bookedRoomId, roomId: null });
    return { ...line, slices, wantedRoomId: null };
  }
  const taken = await usesOfRoom(ctx, {
    roomId: (room as Room).id,
    from: fromNight,
    until: line.stay.departure,
  });
  const others = taken.filter(use => use.kind === 'stay' && use.bookedRoomId !== bookedRoomId);
  throw errors.ROOM_TAKEN({ number: (room as Room).number, issues: stayIssues(others) });
}

/**
 * Follows a booking whose rooms changed (`room_assignment`). reservation-service has decided already, so a room that
 * somebody else has is noted as wanted, on the move list, and the booked room goes without one.
 */
export async function followMoves(
  ctx: Ctx,
  { reservationId, rooms, moves }: PayloadOf<typeof BookingModified>,
): Promise<'noop' | undefined> {
  const { allocation, lines } = await loadAllocation(ctx, reservationId);
  if (allocation === undefined || !isLive(allocation.status) || moves.length === 0) return 'noop';
  for (const { bookedRoomId, toRoomId, fromNight } of moves) {
    const line = lines.find(one => one.bookedRoomId === bookedRoomId);
    if (line === undefined) continue;
    const slices = movedFrom(line.stay, line.slices, {
      fromNight: fromNight as LocalDate,
      roomId: toRoomId,
    });
    const isIn = await sleepIn(ctx, line, slices);
    if (!isIn) {
      ctx.log.warn(
        { reservationId, bookedRoomId, roomId: toRoomId },
        'a booking names a room it cannot have',
      );
      await sleepIn(
        ctx,
        line,
        movedFrom(line.stay, line.slices, { fromNight: fromNight as LocalDate, roomId: null }),
      );
    }
    await setWantedRoom(ctx, { bookedRoomId, roomId: isIn ? null : toRoomId });
  }
  await followTypes(ctx, { reservationId, rooms });
  return undefined;
}

/** A move into a better room may change the type: the nights move with it where there are some to spare. */
async function followTypes(
  ctx: Ctx,
  { reservationId, rooms }: Pick<PayloadOf<typeof BookingModified>, 'reservationId' | 'rooms'>,
): Promise<void> {
  const { allocation, lines: before } = await loadAllocation(ctx, reservationId);
  if (allocation === undefined) return;
  const after = before.map(line => {
    const told = rooms.find(one => one.bookedRoomId === line.bookedRoomId);
    return { ...line, roomTypeId: told?.roomTypeId ?? line.roomTypeId };
  });
  if (after.every((line, at) => line.roomTypeId === before[at]?.roomTypeId)) return;
  const outcome = await takeRooms(ctx, { ...allocation, version: allocation.version + 1 }, { before, after });
  if (outcome.kind === 'short')
    ctx.log.warn({ reservationId, reason: outcome.reason }, 'a move to another room type found no nights');
}

async function loadLine(ctx: Ctx, bookedRoomId: Id<'brm'>): Promise<BookedLine> {
  const allocation = await lockAllocationOf(ctx, bookedRoomId);
  if (allocation === undefined || !isLive(allocation.status)) throw errors.NOT_ALLOCATED();
  const lines = (await readLines(ctx, [allocation.id])).get(allocation.id) ?? [];
  const line = lines.find(one => one.bookedRoomId === bookedRoomId);
  if (line === undefined) throw errors.NOT_ALLOCATED();
  return line;
}

function assertFits(room: Room, line: BookedLine, fromNight: LocalDate): void {
  const { number, roomTypeId, sellableFrom, closedFrom } = room;
  if (roomTypeId !== line.roomTypeId) throw errors.ROOM_OF_OTHER_TYPE({ number });
  const rest = stayOf(fromNight, line.stay.departure);
  if (rest.arrival < sellableFrom || (closedFrom !== null && rest.departure > closedFrom))
    throw errors.ROOM_CLOSED({ number });
}

/** Replaces the rooms of a booked room, or leaves them as they are. */
async function sleepIn(ctx: Ctx, line: BookedLine, slices: readonly Slice[]): Promise<boolean> {
  const { bookedRoomId } = line;
  lockRooms(
    ctx,
    [...line.slices, ...slices].map(({ roomId }) => roomId),
  );
  return undoable(ctx, async () => {
    await deleteStays(ctx, [bookedRoomId]);
    return insertStays(
      ctx,
      slices.map(slice => ({ ...slice, bookedRoomId })),
    );
  });
}
