import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import {
  AllocationCommitted,
  AllocationReleased,
  type guardedSteps,
  OversellBlocked,
  type releaseReasons,
} from '../contract.ts';
import { available, changeOf, type Line, lastRoom, type Night, type Slice } from '../model.ts';
import type { Allocation } from '../queries/allocations.ts';
import type { Taken } from './take-rooms.ts';

type Sliced = Line & { readonly slices: readonly Slice[] };

/** The rooms of an allocation as events tell them. */
export const roomsOf = (lines: readonly Sliced[]) =>
  lines.map(({ bookedRoomId, roomTypeId, stay, slices }) => ({
    bookedRoomId,
    roomTypeId,
    roomId: lastRoom(slices),
    stay: { arrival: stay.arrival, departure: stay.departure },
  }));

/** What is left of each night. */
export const countsOf = (nights: readonly Night[]) =>
  nights.map(night => ({
    roomTypeId: night.roomTypeId,
    date: night.date,
    sold: night.sold,
    available: available(night),
    nightVersion: night.version,
  }));

const headOf = ({ id, reservationId, propertyId }: Allocation) => ({
  allocationId: id,
  reservationId,
  propertyId,
});

/** The rooms are taken. */
export function committed(
  one: Allocation,
  done: { lines: readonly Sliced[]; nights: readonly Night[]; holdExpiresAt: string },
): PendingEvent {
  return AllocationCommitted.from(
    {
      ...headOf(one),
      reservationVersion: one.reservationVersion,
      rooms: roomsOf(done.lines),
      holdExpiresAt: done.holdExpiresAt,
      nights: countsOf(done.nights),
    },
    { aggregateVersion: one.version },
  );
}

/** The rooms are for sale again; `nights` may hold those of other allocations that were released with it. */
export function released(
  one: Allocation,
  done: { lines: readonly Sliced[]; nights: readonly Night[]; reason: (typeof releaseReasons)[number] },
): PendingEvent {
  const own = new Set(changeOf([], done.lines).map(({ roomTypeId, date }) => `${roomTypeId} ${date}`));
  const nights = done.nights.filter(({ roomTypeId, date }) => own.has(`${roomTypeId} ${date}`));
  return AllocationReleased.from(
    { ...headOf(one), reason: done.reason, rooms: roomsOf(done.lines), nights: countsOf(nights) },
    { aggregateVersion: one.version },
  );
}

/** The guard said no. */
export function blocked(
  one: Allocation,
  refused: {
    step: (typeof guardedSteps)[number];
    lines: readonly Sliced[];
    why: Extract<Taken, { kind: 'short' }>;
    keptStay?: { arrival: string; departure: string };
  },
): PendingEvent {
  return OversellBlocked.from(
    {
      ...headOf(one),
      reservationVersion: one.reservationVersion,
      step: refused.step,
      reason: refused.why.reason,
      rooms: roomsOf(refused.lines),
      shortfall: [...refused.why.shortfall],
      keptStay: refused.keptStay ?? null,
    },
    { aggregateVersion: one.version },
  );
}
