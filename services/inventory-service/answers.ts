import { answer } from '@ghasi/backbone/question';
import { retryOnConflict } from '@ghasi/db/optimistic';
import { type Actor, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { nights as nightsOf, stay as stayOf } from '@ghasi/domain-primitives/stay';
import { assignRoom } from './commands/assign-room.ts';
import {
  assignedTo,
  assignRoomQuestion,
  availability,
  roomUse,
  type TypeAvailability,
} from './contract/questions.ts';
import { available, type Night } from './model.ts';
import { readNights } from './queries/nights.ts';
import { usesOfRoom } from './queries/room-uses.ts';

const self: Actor = { type: 'service', id: 'inventory-service' };

/** What a property can sell for a stay. */
export const availabilityAnswer = answer(
  availability,
  ({ db, log }, { tenantId, propertyId, stay, roomTypeId }) =>
    tenantRead(db, { tenantId, actor: self, log }, async ctx => {
      const asked = stayOf(stay.arrival, stay.departure);
      const { arrival: from, departure: until } = asked;
      const found = await readNights(ctx, { propertyId, from, until, roomTypeId });
      const byType = Map.groupBy(found, night => night.roomTypeId);
      const roomTypes = [...byType].map(([id, nights]) => forStay(id, nights, nightsOf(asked)));
      return { roomTypes };
    }),
);

/** Who would lose a room that is archived; each reservation once. */
export const assignedToAnswer = answer(assignedTo, ({ db, log }, { tenantId, roomId, closedFrom }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const uses = await usesOfRoom(ctx, { roomId, from: closedFrom as LocalDate, until: null });
    const reservations = uses.flatMap(({ reservationId }) => (reservationId === null ? [] : [reservationId]));
    return { reservationIds: [...new Set(reservations)].slice(0, 2_000) };
  }),
);

/** Who has a room. */
export const roomUseAnswer = answer(roomUse, ({ db, log }, { tenantId, roomId, from, until }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const nights = { from: from as LocalDate, until: until as LocalDate | null };
    const uses = await usesOfRoom(ctx, { roomId, ...nights });
    return {
      stays: uses.flatMap(({ reservationId, bookedRoomId, ...use }) =>
        reservationId === null || bookedRoomId === null
          ? []
          : [{ reservationId, bookedRoomId, from: use.from, until: use.until }],
      ),
    };
  }),
);

/** Assigns a room within somebody else's request; what this service refuses is an answer, not a failure. */
export const assignRoomAnswer = answer(
  assignRoomQuestion,
  async ({ db, log }, { tenantId, bookedRoomId, roomId, fromNight }) => {
    const input = { bookedRoomId, roomId, fromNight: (fromNight ?? undefined) as LocalDate | undefined };
    try {
      await retryOnConflict(() =>
        tenantTransaction(db, { tenantId, actor: self, log }, async ctx => {
          await assignRoom(ctx, input);
        }),
      );
      return { assigned: true as const };
    } catch (error) {
      if (error instanceof AppError && error.status < 500)
        return { assigned: false as const, code: error.code };
      throw error;
    }
  },
);

/** The least of all nights: one that is stopped or not counted sells nothing (R9). */
export function forStay(
  roomTypeId: Night['roomTypeId'],
  nights: readonly Night[],
  length: number,
): TypeAvailability {
  const left = nights.map(night => (night.stopSell ? 0 : available(night)));
  return {
    roomTypeId,
    sellable: nights.length < length ? 0 : Math.min(...left),
    nights: nights.map(night => ({
      date: night.date,
      available: available(night),
      stopSell: night.stopSell,
      nightVersion: night.version,
    })),
  };
}
