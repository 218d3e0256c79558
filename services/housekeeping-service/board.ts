import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { z } from 'zod';
import type { boardRoom } from './contract/resources.ts';
import { notReady } from './model/room.ts';
import type { Stay } from './model/stay.ts';
import { listDiscrepancies } from './queries/discrepancies.ts';
import { listRooms, type Observation } from './queries/rooms.ts';
import { liveStays } from './queries/stays.ts';
import { listTasks } from './queries/tasks.ts';

/** A house on its hotel day, with the rule that makes a room ready. */
export type BoardOf = {
  readonly propertyId: Id<'pro'>;
  readonly businessDate: LocalDate;
  readonly houseRules: { readonly inspectedBeforeCheckIn: boolean };
};

type BoardRoom = z.output<typeof boardRoom>;

/** Every room of a house with its state, guests and work, in four reads however many rooms there are. */
export async function boardOf(ctx: Ctx, house: BoardOf): Promise<BoardRoom[]> {
  const { propertyId, businessDate, houseRules } = house;
  const rooms = await listRooms(ctx, { propertyId, day: businessDate });
  const stays = Map.groupBy(await liveStays(ctx, propertyId), ({ roomId }) => roomId);
  const tasks = Map.groupBy(await listTasks(ctx, { propertyId, status: 'open' }), ({ roomId }) => roomId);
  const open = await listDiscrepancies(ctx, { propertyId, onlyOpen: true });
  const discrepancies = new Map(open.map(one => [one.roomId, one]));
  return rooms.map(({ id: roomId, roomTypeId, number, floor, state, statusVersion, observed }) => {
    const discrepancy = discrepancies.get(roomId);
    const isSlept = discrepancy?.kind === 'sleep';
    const reason = notReady({ state, isClosed: false, isSlept }, houseRules);
    const own = stays.get(roomId) ?? [];
    return {
      ...{ roomId, roomTypeId, number, floor, ...state, statusVersion },
      ...{ ready: reason === null, notReady: reason },
      guests: own.filter(({ status }) => status === 'in_house').map(guestOf),
      next: nextOf(own),
      observed: observed && observedOf(observed),
      discrepancyId: discrepancy?.id ?? null,
      tasks: (tasks.get(roomId) ?? []).map(({ id, kind, status, assigneeId, rush, dueAt }) => ({
        ...{ id, kind, status, assigneeId, rush },
        dueAt: dueAt?.toISOString() ?? null,
      })),
    };
  });
}

function guestOf({ reservationId, persons, departure }: Stay) {
  return { reservationId, persons, departure };
}

function nextOf(stays: readonly Stay[]): BoardRoom['next'] {
  const next = stays.find(({ status }) => status === 'expected');
  if (next === undefined) return null;
  const { reservationId, arrival, keyFrom } = next;
  return { reservationId, arrival, expectedAt: keyFrom?.toISOString() ?? null };
}

function observedOf({ occupancy, persons, at }: Observation) {
  return { occupancy, persons, at: at.toISOString() };
}
