import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { stay as stayOf } from '@ghasi/domain-primitives/stay';
import type { PayloadOf, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { BookingDatesChanged } from '@melmastoon/reservation-service/contract';
import { AllocationReallocated } from '../contract.ts';
import { changeOf, isLive, lastRoom, reslice } from '../model.ts';
import { type Allocation, type BookedLine, saveAllocation } from '../queries/allocations.ts';
import { loadAllocation } from './allocate.ts';
import { blocked, countsOf } from './allocation-events.ts';
import { type Taken, takeRooms, type WantedLine } from './take-rooms.ts';

type DatesChanged = PayloadOf<typeof BookingDatesChanged>;

/**
 * Moves a booking to other nights: the new ones are taken before the old ones are let go, in one step, or nothing
 * changes and the old stay is kept (SAGA-50, SAGA-55). Back to what it has is nothing to do.
 */
export async function reallocate(
  ctx: Ctx,
  changed: DatesChanged,
  version: number,
): Promise<PendingEvent[] | 'noop'> {
  const { allocation, lines: before } = await loadAllocation(ctx, changed.reservationId);
  if (allocation === undefined || !isLive(allocation.status)) return 'noop';
  const target = { ...allocation, reservationVersion: version, version: allocation.version + 1 };
  const asked = wanted(changed, before);
  if (isSame(before, asked)) {
    saveAllocation(ctx, { ...target, version: allocation.version });
    return 'noop';
  }
  const { outcome, after } = await takeWithRooms(ctx, target, { before, asked });
  if (outcome.kind === 'short') {
    saveAllocation(ctx, target);
    return [blocked(target, { step: 'date_change', lines: after, why: outcome, keptStay: spanOf(before) })];
  }
  return [reallocated(target, changed, { before, after, nights: outcome.nights })];
}

type Asked = WantedLine & { readonly isRoomNamed: boolean };

/** A night that had a room keeps it. New nights get the room the booking names, else the last one. */
function wanted({ rooms }: DatesChanged, before: readonly BookedLine[]): Asked[] {
  return rooms.map(room => {
    const stay = stayOf(room.newStay.arrival, room.newStay.departure);
    const slices = before.find(line => line.bookedRoomId === room.bookedRoomId)?.slices ?? [];
    return {
      bookedRoomId: room.bookedRoomId,
      roomTypeId: room.roomTypeId,
      stay,
      slices: reslice(stay, slices, room.roomId ?? lastRoom(slices)),
      isRoomNamed: room.roomId !== null,
    };
  });
}

/** A room that only we chose does not stop a date change: when it is not free, the nights go without one for now. */
async function takeWithRooms(
  ctx: Ctx,
  target: Allocation,
  { before, asked }: { before: readonly BookedLine[]; asked: readonly Asked[] },
): Promise<{ outcome: Taken; after: readonly WantedLine[] }> {
  const outcome = await takeRooms(ctx, target, { before, after: asked });
  const isOurs = asked.some(line => !line.isRoomNamed && line.slices.length > 0);
  if (outcome.kind === 'taken' || outcome.reason !== 'room_taken' || !isOurs)
    return { outcome, after: asked };
  const after = asked.map(line => {
    const slices = before.find(({ bookedRoomId }) => bookedRoomId === line.bookedRoomId)?.slices ?? [];
    return line.isRoomNamed ? line : { ...line, slices: reslice(line.stay, slices, null) };
  });
  return { outcome: await takeRooms(ctx, target, { before, after }), after };
}

function isSame(before: readonly BookedLine[], after: readonly WantedLine[]): boolean {
  if (before.length !== after.length || changeOf(before, after).length > 0) return false;
  return after.every(({ bookedRoomId, stay }) => {
    const was = before.find(line => line.bookedRoomId === bookedRoomId)?.stay;
    return was?.arrival === stay.arrival && was.departure === stay.departure;
  });
}

/** From the first arrival to the last departure. */
function spanOf(lines: readonly BookedLine[]): { arrival: LocalDate; departure: LocalDate } {
  const arrivals = lines.map(({ stay }) => stay.arrival).sort();
  const departures = lines.map(({ stay }) => stay.departure).sort();
  return { arrival: arrivals[0] as LocalDate, departure: departures.at(-1) as LocalDate };
}

function reallocated(
  one: Allocation,
  changed: DatesChanged,
  done: {
    before: readonly BookedLine[];
    after: readonly WantedLine[];
    nights: Extract<Taken, { kind: 'taken' }>['nights'];
  },
): PendingEvent {
  const roomOf = (lines: readonly WantedLine[], id: string) =>
    lastRoom(lines.find(line => line.bookedRoomId === id)?.slices ?? []);
  const { guestId, locale, quoteId, previousStay, newStay, keyWindow } = changed;
  return AllocationReallocated.from(
    {
      allocationId: one.id,
      reservationId: one.reservationId,
      propertyId: one.propertyId,
      reservationVersion: one.reservationVersion,
      guestId,
      locale,
      quoteId,
      previousStay,
      newStay,
      rooms: changed.rooms.map(room => ({
        ...room,
        previousRoomId: roomOf(done.before, room.bookedRoomId),
        roomId: roomOf(done.after, room.bookedRoomId),
      })),
      keyWindow,
      nights: countsOf(done.nights),
    },
    { aggregateVersion: one.version },
  );
}
