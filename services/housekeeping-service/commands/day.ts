import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { stateAfter } from '../model/room.ts';
import type { Stay } from '../model/stay.ts';
import { findHouse, type House, moveDay } from '../queries/houses.ts';
import { blockedRooms } from '../queries/overlays.ts';
import { findRoom, listRooms, lockRooms, type Room } from '../queries/rooms.ts';
import { liveStays } from '../queries/stays.ts';
import { openTasksOf } from '../queries/tasks.ts';
import { settleBlocks } from './blocks.ts';
import { createTask, takeOff } from './create-task.ts';
import { moveToNextRoom } from './front-office.ts';
import { isClosed, setState } from './room-state.ts';

/** Scheduled deep cleans of a house on one day: a new rule must not put the whole house on the list at once. */
const MOST_DEEP_CLEANS = 5;

/** A hotel day of a house, by the word of a version of the property. */
export type Day = {
  readonly propertyId: Id<'pro'>;
  readonly businessDate: LocalDate;
  readonly version: number;
};

/**
 * A hotel day begins: planned moves take place (R16), blocks begin and end (R26), rooms that were slept in are dirty and
 * get their service, deep cleans come due. Once per day, however often it is told.
 */
export async function beginDay(
  ctx: Ctx,
  { propertyId, businessDate, version }: Day,
): Promise<readonly PendingEvent[] | 'noop'> {
  if (!(await moveDay(ctx, { id: propertyId, businessDate, version }))) return 'noop';
  const [house, all, stays] = await Promise.all([
    findHouse(ctx, propertyId),
    listRooms(ctx, { propertyId, day: null }),
    liveStays(ctx, propertyId),
  ]);
  lockRooms(ctx, [
    ...all.map(({ id }) => id),
    ...stays.flatMap(({ next }) => (next === null ? [] : [next.roomId])),
  ]);
  const events: PendingEvent[] = [];
  // Read again under the locks: somebody may have left in the meantime.
  for (const stay of await liveStays(ctx, propertyId))
    if (stay.status === 'in_house' && stay.next !== null && stay.next.from <= businessDate)
      events.push(...(await moveToNextRoom(ctx, stay, businessDate)));
  const [rooms, blocked, live] = await Promise.all([
    listRooms(ctx, { propertyId, day: null }),
    blockedRooms(ctx, propertyId),
    liveStays(ctx, propertyId),
  ]);
  const inHouse = live.filter(({ status }) => status === 'in_house');
  const guests = Map.groupBy(inHouse, ({ roomId }) => roomId);
  const today = { house, businessDate, blocked, guests };
  for (const room of rooms) events.push(...(await beginDayIn(ctx, room, today)));
  events.push(...(await dueDeepCleans(ctx, rooms, today)));
  return events;
}

/** Read once for the whole house: most rooms have neither blocks nor guests, and need no query of their own. */
type Today = {
  readonly house: House;
  readonly businessDate: LocalDate;
  readonly blocked: ReadonlySet<Id<'rom'>>;
  readonly guests: ReadonlyMap<Id<'rom'> | null, readonly Stay[]>;
};

async function beginDayIn(ctx: Ctx, room: Room, today: Today): Promise<readonly PendingEvent[]> {
  const { businessDate } = today;
  if (isClosed(room, businessDate)) {
    for (const task of await openTasksOf(ctx, room.id)) takeOff(ctx, task, null);
    return [];
  }
  const hasBlocks = today.blocked.has(room.id) || room.state.overlay !== null;
  const events = hasBlocks ? [...(await settleBlocks(ctx, room))] : [];
  const guests = (today.guests.get(room.id) ?? []).filter(
    ({ since }) => since === null || since < businessDate, // who came in today has not slept here
  );
  const [guest] = guests;
  if (guest === undefined) return events;
  const { reservationId } = guest;
  const settled = hasBlocks ? ((await findRoom(ctx, room.id)) ?? room) : room;
  const slept = stateAfter(settled.state, { kind: 'worked', work: 'slept' }) ?? settled.state;
  const changed = setState(ctx, settled, slept, { cause: 'stay_over', businessDate, reservationId });
  events.push(...changed.events);
  // Who leaves today gets the big clean after it.
  if (!today.house.stayoverService || guests.every(({ departure }) => departure === businessDate))
    return events;
  const wanted = { kind: 'stayover_clean', cause: 'schedule', businessDate, reservationId } as const;
  return [...events, ...((await createTask(ctx, changed.room, wanted))?.events ?? [])];
}

async function dueDeepCleans(ctx: Ctx, rooms: readonly Room[], today: Today): Promise<PendingEvent[]> {
  const { house, businessDate } = today;
  const every = house.deepCleanEvery;
  if (every === null) return [];
  const last = (room: Room) => room.deepCleanedOn ?? room.sellableFrom ?? businessDate;
  const due = rooms
    .filter(room => !isClosed(room, businessDate) && addDays(last(room), every) <= businessDate)
    .sort((a, b) => (last(a) < last(b) ? -1 : 1));
  const events: PendingEvent[] = [];
  let left = MOST_DEEP_CLEANS;
  for (const { id } of due) {
    const room = await findRoom(ctx, id);
    if (left === 0 || room === undefined || room.state.occupancy === 'occupied') continue;
    const created = await createTask(ctx, room, { kind: 'deep_clean', cause: 'schedule', businessDate });
    left -= created === undefined ? 0 : 1;
    events.push(...(created?.events ?? []));
  }
  return events;
}
