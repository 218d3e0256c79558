import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { stateAfter } from '../model/room.ts';
import { effectsOf, follow, type RoomEffects, type Stay, type Told } from '../model/stay.ts';
import { findHouse } from '../queries/houses.ts';
import { lockRooms, roomOf } from '../queries/rooms.ts';
import { inHouseIn, saveStay, staysOf } from '../queries/stays.ts';
import type { Task } from '../queries/tasks.ts';
import { createTask } from './create-task.ts';
import { setOccupancy, type Why } from './room-state.ts';

/** What a booking event says, in the terms of this service. */
export type BookingFact = {
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  readonly rooms: readonly Told[];
  /** What it makes of rooms is called so. */
  readonly cause: Why['cause'];
  /** Rooms that a guest who is in house moved out of, and from which night on (R16). */
  readonly movedOut?: readonly { readonly roomId: Id<'rom'>; readonly fromNight: LocalDate }[];
  /** The hotel day it happened on, where the event says so. */
  readonly businessDate?: LocalDate;
};

/**
 * Follows the front office. Only a check-in lets somebody into a room (SAGA-41). Whoever leaves one, by check-out or by a
 * move, leaves it dirty with work on the list (SAGA-45, R16), unless somebody else is in it by now. Facts may come
 * twice, late or out of turn: a departure from a room that nobody is in is never ignored, for at worst a clean room is
 * cleaned again.
 */
export async function followBooking(ctx: Ctx, fact: BookingFact): Promise<readonly PendingEvent[]> {
  const { reservationId, propertyId } = fact;
  ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: 'housekeeping.booking', id: reservationId }));
  const [stays, { businessDate: today }] = await Promise.all([
    staysOf(ctx, reservationId),
    findHouse(ctx, propertyId),
  ]);
  const known = new Map(stays.map(stay => [stay.bookedRoomId, stay]));
  const changes = fact.rooms.map(told => {
    const before = known.get(told.bookedRoomId);
    const stay = follow(before, told, today);
    return { stay, effects: effectsOf(before, stay) };
  });
  const outs = (fact.movedOut ?? []).filter(({ fromNight }) => today === null || fromNight <= today);
  lockRooms(ctx, [
    ...changes.flatMap(({ effects }) => roomsOf(effects)),
    ...outs.map(({ roomId }) => roomId),
  ]);
  for (const { stay } of changes) saveStay(ctx, stay);
  const first = fact.rooms[0]?.arrival as LocalDate;
  const why = { cause: fact.cause, businessDate: fact.businessDate ?? today ?? first, reservationId };
  const effects = changes.map(change => change.effects);
  const left = effects.flatMap(({ vacated }) => vacated);
  const moved = outs.map(({ roomId }) => ({ roomId, as: 'slept' as const }));
  return applyEffects(ctx, propertyId, { left: [...left, ...moved], entered: enteredIn(effects), why });
}

/** Moves that were planned for this hotel day or before take place (R16). The caller has the rooms' locks. */
export async function moveToNextRoom(
  ctx: Ctx,
  stay: Stay,
  businessDate: LocalDate,
): Promise<readonly PendingEvent[]> {
  if (stay.next === null) return [];
  const moved: Stay = { ...stay, roomId: stay.next.roomId, next: null };
  saveStay(ctx, moved);
  const effects = effectsOf(stay, moved);
  const why = { cause: 'room_move' as const, businessDate, reservationId: stay.reservationId };
  return applyEffects(ctx, stay.propertyId, { left: effects.vacated, entered: enteredIn([effects]), why });
}

type Effects = {
  readonly left: RoomEffects['vacated'];
  readonly entered: readonly Id<'rom'>[];
  readonly why: Why;
};

async function applyEffects(ctx: Ctx, propertyId: Id<'pro'>, { left, entered, why }: Effects) {
  const events: PendingEvent[] = [];
  const once = new Map(left.map(one => [one.roomId, one.as]));
  for (const [roomId, as] of [...once].sort())
    events.push(...(await vacate(ctx, { roomId, propertyId, as, why })));
  for (const roomId of [...entered].sort()) {
    const room = await roomOf(ctx, { roomId, propertyId });
    const state = stateAfter(room.state, { kind: 'occupied' }) ?? room.state;
    events.push(...(await setOccupancy(ctx, room, state, why)).events);
  }
  return events;
}

type Leaving = { roomId: Id<'rom'>; propertyId: Id<'pro'>; as: 'slept' | 'shown'; why: Why };

/** Somebody has left a room: it is vacant unless others are in it, and has to be cleaned. */
export async function vacate(ctx: Ctx, leaving: Leaving): Promise<readonly PendingEvent[]> {
  const { roomId, propertyId, as, why } = leaving;
  if ((await inHouseIn(ctx, roomId)).length > 0) return [];
  const room = await roomOf(ctx, { roomId, propertyId });
  const state = stateAfter(room.state, { kind: 'vacated', as }) ?? room.state;
  const changed = await setOccupancy(ctx, room, state, why);
  if (as === 'shown') return changed.events;
  const cause: Task['cause'] = why.cause === 'room_move' ? 'room_move' : 'check_out';
  const created = await createTask(ctx, changed.room, {
    kind: 'departure_clean',
    cause,
    businessDate: why.businessDate,
    reservationId: why.reservationId ?? null,
  });
  return [...changed.events, ...(created?.events ?? [])];
}

function roomsOf({ occupied, vacated }: RoomEffects): Id<'rom'>[] {
  return [...(occupied === null ? [] : [occupied]), ...vacated.map(({ roomId }) => roomId)];
}

function enteredIn(effects: readonly RoomEffects[]): Id<'rom'>[] {
  return effects.flatMap(({ occupied }) => (occupied === null ? [] : [occupied]));
}
