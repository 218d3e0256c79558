import type { Ask } from '@ghasi/backbone/question';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { availability, roomUse } from '@melmastoon/inventory-service/contract/questions';
import { errors } from './errors.ts';
import type { Block } from './model.ts';
import type { Room } from './queries/houses.ts';

/** The questions that are asked before a room is taken out. */
export const needs = [roomUse, availability];

/**
 * Asks inventory before a room is taken out, outside any transaction (R11): refused with the reservations that have it,
 * or, out of order, with the nights on which its type has no room to spare. Whoever books in the meantime is not lost:
 * inventory then lets the block wait and puts the guest on its move list.
 */
export async function assertNobodyHas(
  ask: Ask,
  { tenantId, room, block }: { tenantId: TenantId; room: Room; block: Block },
): Promise<void> {
  const { from, until, kind } = block;
  const { stays } = await ask(roomUse, { tenantId, roomId: room.id, from, until });
  if (stays.length > 0)
    throw errors.ROOM_IN_USE({ number: room.number, issues: stays.slice(0, 100).map(stayIssue) });
  if (kind !== 'out_of_order') return;
  const { propertyId, roomTypeId } = room;
  const stay = { arrival: from, departure: until };
  const { roomTypes } = await ask(availability, { tenantId, propertyId, stay, roomTypeId });
  const full = roomTypes.flatMap(({ nights }) => nights.filter(({ available }) => available < 1));
  if (full.length > 0)
    throw errors.NIGHTS_SOLD({
      issues: full
        .slice(0, 100)
        .map(({ date }) => ({ path: date, code: 'SOLD', message: 'no room to spare' })),
    });
}

function stayIssue(stay: { reservationId: Id<'rsv'>; from: string; until: string }) {
  const { reservationId: path, from, until } = stay;
  return { path, code: 'RESERVATION', message: `${from} to ${until}` };
}
