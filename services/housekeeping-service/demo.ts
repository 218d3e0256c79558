import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { setConditions } from './commands/condition.ts';
import { createTask } from './commands/create-task.ts';
import { beginDay } from './commands/day.ts';
import { setOccupancy, setState } from './commands/room-state.ts';
import { assignTask, requestTask, startTask } from './commands/work.ts';
import { stateAfter } from './model/room.ts';
import { type Plan, type TaskKind, usualPlans } from './model/task.ts';
import { hasPlans, saveHabits, savePlan } from './queries/houses.ts';
import { findRoom, lockRooms, roomOf, saveDeepClean, saveDoor } from './queries/rooms.ts';
import { liveStays } from './queries/stays.ts';
import { stays } from './tables.ts';

/** A house of the demo; its ids are those that property-service tells of. */
export type SeedHouse = {
  tenantId: TenantId;
  propertyId: Id<'pro'>;
  /** On the property's calendar. */
  today: LocalDate;
  rooms: readonly { id: Id<'rom'>; roomTypeId: Id<'rty'>; number: string; floor: string | null }[];
  /** Whose list the first tasks are on. */
  keeperId: Id<'usr'>;
};

const seeder: Actor = { type: 'system', id: 'seed' };

/** Most rooms are ready; of every seven one is clean, one needs a quick hand, one is dirty. */
const looks = ['inspected', 'clean', 'inspected', 'pickup', 'inspected', 'dirty', 'inspected'] as const;

/** The usual work as it is written on the lists of the demo houses. */
const lists: Readonly<Partial<Record<TaskKind, readonly string[]>>> = {
  departure_clean: [
    'Change linen and towels',
    'Clean bathroom',
    'Dust and wipe',
    'Sweep and wash the floor',
    'Refill tea, soap and water',
    'Look for things left behind',
  ],
  stayover_clean: ['Make the bed', 'Fresh towels', 'Clean bathroom', 'Empty bins', 'Refill tea and water'],
};

/**
 * Gives a house plans, habits, rooms in every condition and some work; leaves a house that has its own as it is. What
 * property-service tells may arrive before or after: version 0 gives way to every event. Guests come with the bookings.
 */
export function seedHousekeeping(db: Database, house: SeedHouse): Promise<void> {
  return tenantTransaction(db, { tenantId: house.tenantId, actor: seeder }, async ctx => {
    const { propertyId, today } = house;
    await lockEntity(ctx.tx, ctx.tenantId, { type: 'housekeeping.seed', id: propertyId });
    if (await hasPlans(ctx, propertyId)) return accepted(undefined, []);
    await beginDay(ctx, { propertyId, businessDate: today, version: 0 });
    saveHabits(ctx, propertyId, { stayoverService: true, deepCleanEvery: 90 });
    for (const [kind, items] of Object.entries(lists) as [TaskKind, readonly string[]][]) {
      const plan: Plan = { ...usualPlans[kind], items };
      savePlan(ctx, { propertyId, kind, plan });
    }
    const events: unknown[] = [];
    for (const [n, { id, ...room }] of house.rooms.entries()) {
      const door = { ...room, id, propertyId, sellableFrom: today, closedFrom: null };
      await saveDoor(ctx, door, 0);
      saveDeepClean(ctx, id, addDays(today, -((n * 11) % 80)));
      events.push(...(await seedLook(ctx, id, looks[n % looks.length] ?? 'clean')));
    }
    return accepted(undefined, [...events, ...(await seedWork(ctx, house))]);
  });
}

/** A room that was touched since it is known is left as it is; the way to a look is the one people take. */
async function seedLook(ctx: Ctx, id: Id<'rom'>, look: (typeof looks)[number]): Promise<unknown[]> {
  if ((await findRoom(ctx, id))?.statusVersion !== 0 || look === 'dirty') return [];
  const roomIds = [id];
  const { events } = await setConditions(ctx, { roomIds, condition: 'clean' });
  if (look === 'clean') return [...events];
  return [...events, ...(await setConditions(ctx, { roomIds, condition: look })).events];
}

/** Dirty rooms wait for a deep clean, those with a quick hand to do for an inspection; the first are on a list already. */
async function seedWork(ctx: Ctx, { rooms, keeperId }: SeedHouse): Promise<unknown[]> {
  const events: unknown[] = [];
  let n = 0;
  for (const { id: roomId } of rooms) {
    const condition = (await findRoom(ctx, roomId))?.state.condition;
    if (condition !== 'dirty' && condition !== 'pickup') continue;
    const kind = condition === 'dirty' ? 'deep_clean' : 'linen_change';
    const wanted = { roomId, kind, rush: false, reservationId: null, note: null } as const;
    const { value: task, events: created } = await requestTask(ctx, wanted);
    events.push(...created);
    if (n < 4) events.push(...(await assignTask(ctx, { id: task.id, assigneeId: keeperId })).events);
    if (n === 0) events.push(...(await startTask(ctx, { id: task.id, by: keeperId })).events);
    n += 1;
  }
  return events;
}

/** A room that somebody of the demo is in, or is awaited in. */
export type SeedGuest = {
  readonly bookedRoomId: Id<'brm'>;
  readonly reservationId: Id<'rsv'>;
  readonly roomId: Id<'rom'>;
  readonly arrival: LocalDate;
  readonly departure: LocalDate;
  readonly persons: number;
  /** When he may stand at the door. */
  readonly keyFrom: Date;
  readonly isHere: boolean;
  /** Of the booking. */
  readonly version: number;
};

type GuestHouse = Pick<SeedHouse, 'tenantId' | 'propertyId' | 'today'>;

/**
 * Tells a house who is in which room and who is awaited, as the front office would have; leaves a house that knows of
 * guests as it is. Rooms that were slept in last night are dirty, and those of guests who stay on wait for their service.
 */
export function seedGuests(
  db: Database,
  house: GuestHouse,
  guests: () => readonly SeedGuest[],
): Promise<void> {
  const { tenantId, propertyId } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'housekeeping.guests', id: propertyId });
    if ((await liveStays(ctx, propertyId)).length > 0) return accepted(undefined, []);
    const all = guests();
    const rows = all.map(guest => stayRow(house, guest));
    await insertAll(ctx.tx, stays, rows);
    const events: unknown[] = [];
    for (const guest of all.filter(({ isHere }) => isHere))
      events.push(...(await sleptIn(ctx, house, guest)));
    return accepted(undefined, events);
  });
}

function stayRow({ tenantId, propertyId }: GuestHouse, guest: SeedGuest): typeof stays.$inferInsert {
  const { bookedRoomId, reservationId, roomId, arrival, departure, persons, keyFrom, isHere } = guest;
  return {
    ...{ tenantId, bookedRoomId: idToUuid(bookedRoomId), reservationId: idToUuid(reservationId) },
    ...{ propertyId: idToUuid(propertyId), roomId: idToUuid(roomId), arrival, departure, persons, keyFrom },
    status: isHere ? 'in_house' : 'expected',
    ...{ roomVersion: guest.version, statusVersion: guest.version, since: isHere ? arrival : null },
  };
}

async function sleptIn(ctx: Ctx, { propertyId, today }: GuestHouse, guest: SeedGuest): Promise<unknown[]> {
  const { roomId, reservationId, departure } = guest;
  lockRooms(ctx, [roomId]);
  const room = await roomOf(ctx, { roomId, propertyId });
  const entered = stateAfter(room.state, { kind: 'occupied' }) ?? room.state;
  const why = { businessDate: today, reservationId };
  const occupied = await setOccupancy(ctx, room, entered, { ...why, cause: 'check_in' });
  const used = stateAfter(occupied.room.state, { kind: 'worked', work: 'slept' }) ?? occupied.room.state;
  const slept = setState(ctx, occupied.room, used, { ...why, cause: 'stay_over' });
  const events = [...occupied.events, ...slept.events];
  if (departure <= today) return events;
  const wanted = { ...why, kind: 'stayover_clean', cause: 'schedule' } as const;
  return [...events, ...((await createTask(ctx, slept.room, wanted))?.events ?? [])];
}
