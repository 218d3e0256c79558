import type { Ctx } from '@ghasi/db/tenant-transaction';
import { findHouse } from '../queries/houses.ts';
import { type Door, lockRooms, saveDoor } from '../queries/rooms.ts';
import { openTasksOf } from '../queries/tasks.ts';
import { takeOff } from './create-task.ts';

/** Keeps up with what property-service says of a room. One that is closed for good needs no work any more. */
export async function followRoom(ctx: Ctx, door: Door, version: number): Promise<'noop' | undefined> {
  lockRooms(ctx, [door.id]);
  if (!(await saveDoor(ctx, door, version))) return 'noop';
  const { businessDate } = await findHouse(ctx, door.propertyId);
  const { closedFrom } = door;
  // A room that closes later is worked in until then; the hotel day takes its tasks off.
  if (closedFrom === null || (businessDate !== null && closedFrom > businessDate)) return undefined;
  for (const task of await openTasksOf(ctx, door.id)) takeOff(ctx, task, null);
  return undefined;
}
