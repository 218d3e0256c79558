import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { errors } from '../errors.ts';
import { type Condition, setByHand } from '../model/room.ts';
import { isCleaning } from '../model/task.ts';
import { lockRooms, type Room } from '../queries/rooms.ts';
import { openTasksOf } from '../queries/tasks.ts';
import { roomAtHand, setState } from './room-state.ts';

/** Rooms, and what they are like. */
export type SetCondition = { readonly roomIds: readonly Id<'rom'>[]; readonly condition: Condition };

/** Somebody says what rooms are like; all of them or none. While cleaning is on the list, finishing it says so. */
export async function setConditions(
  ctx: Ctx,
  { roomIds, condition }: SetCondition,
): Promise<Accepted<Room[]>> {
  lockRooms(ctx, roomIds);
  const rooms: Room[] = [];
  const events: PendingEvent[] = [];
  for (const roomId of roomIds) {
    const { room, today } = await roomAtHand(ctx, roomId);
    const state = setByHand(room.state, condition);
    if (state === null) throw errors.CONDITION_REFUSED({ from: room.state.condition, to: condition });
    const isBetter = condition === 'clean' || condition === 'inspected';
    const open = isBetter ? await openTasksOf(ctx, roomId) : [];
    if (open.some(({ kind }) => isCleaning(kind))) throw errors.TASK_OPEN();
    const changed = setState(ctx, room, state, { cause: 'operator', businessDate: today });
    rooms.push(changed.room);
    events.push(...changed.events);
  }
  return accepted(rooms, events);
}
