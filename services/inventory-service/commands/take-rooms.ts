import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { contains, nightDates } from '@ghasi/domain-primitives/stay';
import { changeOf, type Guarded, guard, type Line, type Night, type Short, type Slice } from '../model.ts';
import { type Allocation, deleteLines, insertLines, saveAllocation } from '../queries/allocations.ts';
import { changeSold, lockNights } from '../queries/nights.ts';
import { insertStays, usesOfRoom } from '../queries/room-uses.ts';
import { lockRooms } from '../queries/rooms.ts';
import { undoable } from './undoable.ts';

/** A booked room as it should be; `slices` are the rooms it must have. */
export type WantedLine = Line & { readonly slices: readonly Slice[] };

/** What taking rooms ended with: the counters that moved, or why nothing did. */
export type Taken =
  | { readonly kind: 'taken'; readonly nights: readonly Night[] }
  | Extract<Guarded, { kind: 'short' }>;

/**
 * Makes an allocation have exactly these rooms, or leaves everything as it was. The difference to what it had is what the
 * counters move by, so nights that stay are never let go (SAGA-50); all nights are locked before any is judged.
 */
export async function takeRooms(
  ctx: Ctx,
  target: Allocation,
  lines: { before: readonly Line[]; after: readonly WantedLine[] },
): Promise<Taken> {
  const { before, after } = lines;
  const changes = changeOf(before, after);
  const locked = await lockNights(ctx, changes);
  const judged = guard(changes, locked);
  if (judged.kind === 'short') return judged;
  const stays = after.flatMap(({ bookedRoomId, slices }) =>
    slices.map(slice => ({ ...slice, bookedRoomId })),
  );
  lockRooms(
    ctx,
    stays.map(({ roomId }) => roomId),
  );
  let nights: readonly Night[] = [];
  const done = await undoable(ctx, async () => {
    saveAllocation(ctx, target);
    if (target.version > 1) deleteLines(ctx, [target.id]); // a new one has none
    insertLines(ctx, target.id, after);
    if (!(await insertStays(ctx, stays))) return false;
    nights = await changeSold(ctx, changes);
    return true;
  });
  // A change of rooms alone moves no counter, and its event still tells the nights it is about.
  if (done && nights.length === 0) nights = await lockNights(ctx, changeOf([], after));
  return done ? { kind: 'taken', nights } : roomTaken(ctx, after, before);
}

/** Which nights of which room somebody else has. */
async function roomTaken(ctx: Ctx, after: readonly WantedLine[], before: readonly Line[]): Promise<Taken> {
  const own = new Set<Id<'brm'>>(before.map(({ bookedRoomId }) => bookedRoomId));
  const shortfall: Short[] = [];
  for (const { roomTypeId, slices } of after)
    for (const slice of slices) {
      const uses = await usesOfRoom(ctx, slice);
      const others = uses.filter(({ bookedRoomId }) => bookedRoomId === null || !own.has(bookedRoomId));
      for (const date of nightDates({ arrival: slice.from, departure: slice.until }))
        if (others.some(({ from, until }) => contains({ arrival: from, departure: until }, date)))
          shortfall.push({ roomTypeId, date, asked: 1, available: 0 });
    }
  // Two rooms of one booking that ask for the same room are in nobody's way but their own.
  if (shortfall.length === 0)
    for (const { roomTypeId, stay } of after.slice(0, 1))
      shortfall.push({ roomTypeId, date: stay.arrival, asked: 1, available: 0 });
  return { kind: 'short', reason: 'room_taken', shortfall };
}
