import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { propertyOf } from '@melmastoon/property-service/contract';
import { isClosed } from './commands/room-state.ts';
import { roomStatus } from './contract/questions.ts';
import { notReady } from './model/room.ts';
import { openDiscrepancyOf } from './queries/discrepancies.ts';
import { findRooms } from './queries/rooms.ts';

const self: Actor = { type: 'service', id: 'housekeeping-service' };

/** R14: whether rooms can be given to guests. The rule of the house is property-service's and is asked for every time. */
export const roomStatusAnswer = answer(roomStatus, async ({ db, log, ask }, input) => {
  const { tenantId, propertyId, roomIds } = input;
  const house = await ask(propertyOf, { tenantId, propertyId });
  return tenantRead(db, { tenantId, actor: self, log }, async ctx => {
    const known = new Map((await findRooms(ctx, roomIds)).map(room => [room.id, room]));
    const rooms = [];
    for (const roomId of roomIds) {
      const room = known.get(roomId);
      if (room === undefined || room.propertyId !== propertyId || house === null) {
        rooms.push({ roomId, ready: false, reason: 'unknown' as const, state: null });
        continue;
      }
      const { state } = room;
      const isSlept = (await openDiscrepancyOf(ctx, roomId))?.kind === 'sleep';
      const facts = { state, isClosed: isClosed(room, house.businessDate as LocalDate), isSlept };
      const reason = notReady(facts, house.houseRules);
      rooms.push({ roomId, ready: reason === null, reason, state });
    }
    return { rooms };
  });
});
