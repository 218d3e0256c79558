import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, isId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { isSameState, type RoomState, type statusCauses } from '../contract/room-state.ts';
import { RoomStatusChanged } from '../contract.ts';
import { errors } from '../errors.ts';
import { withBlocks } from '../model/room.ts';
import { endDiscrepancy, openDiscrepancyOf } from '../queries/discrepancies.ts';
import { findHouse } from '../queries/houses.ts';
import { blocksOf } from '../queries/overlays.ts';
import { findRoom, lockRooms, type Room, saveState } from '../queries/rooms.ts';

/** Why a room changed, on which hotel day. */
export type Why = {
  readonly cause: (typeof statusCauses)[number];
  readonly businessDate: LocalDate;
  readonly reservationId?: Id<'rsv'> | null;
  readonly taskId?: Id<'hkt'> | null;
};

/** A room after a change, and what others hear of it. */
export type Changed = { readonly room: Room; readonly events: readonly PendingEvent[] };

/** A room for a use case that a person started: known, open, and in the hands of this transaction alone. */
export async function roomAtHand(ctx: Ctx, roomId: Id<'rom'>): Promise<{ room: Room; today: LocalDate }> {
  lockRooms(ctx, [roomId]);
  const room = await findRoom(ctx, roomId);
  if (room === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  const { businessDate: today } = await findHouse(ctx, room.propertyId);
  if (today === null) throw errors.HOUSE_UNKNOWN();
  if (isClosed(room, today)) throw errors.ROOM_CLOSED();
  return { room, today };
}

/** True from the first night on that a room is not sold any more. */
export function isClosed({ closedFrom }: Room, day: LocalDate | null): boolean {
  return closedFrom !== null && (day === null || closedFrom <= day);
}

/** The person who acts; null for anything else. */
export function personOf({ actor }: Pick<Ctx, 'actor'>): Id<'usr'> | null {
  return isId('usr', actor.id) ? actor.id : null;
}

/** Saves another state of a room and says so; nothing when it is the same. The caller has the room's lock. */
export function setState(ctx: Ctx, room: Room, state: RoomState, why: Why): Changed {
  if (isSameState(room.state, state)) return { room, events: [] };
  saveState(ctx, room, state);
  const statusVersion = room.statusVersion + 1;
  const { cause, businessDate, reservationId = null, taskId = null } = why;
  const event = RoomStatusChanged.from(
    {
      roomStatusId: room.statusId,
      propertyId: room.propertyId,
      roomId: room.id,
      statusVersion,
      ...{ businessDate, from: room.state, to: state, cause, reservationId, taskId },
    },
    { aggregateVersion: statusVersion },
  );
  return { room: { ...room, state, statusVersion }, events: [event] };
}

/** The same for a change of who is in the room: blocks may begin or give way, and an open discrepancy is overtaken. */
export async function setOccupancy(ctx: Ctx, room: Room, state: RoomState, why: Why): Promise<Changed> {
  const settled = withBlocks(state, await blocksOf(ctx, room.id), { day: why.businessDate });
  const changed = setState(ctx, room, settled.state, why);
  if (room.state.occupancy !== state.occupancy) {
    const open = await openDiscrepancyOf(ctx, room.id);
    if (open !== undefined)
      endDiscrepancy(ctx, open.id, { ending: 'front_office_changed', by: null, note: null });
  }
  return changed;
}
