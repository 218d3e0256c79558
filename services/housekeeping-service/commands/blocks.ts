import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PayloadOf, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import type { RoomState } from '../contract/room-state.ts';
import { type Condition, stateAfter, withBlocks } from '../model/room.ts';
import { findHouse } from '../queries/houses.ts';
import { blocksOf, saveBlock } from '../queries/overlays.ts';
import { lockRooms, type Room, roomOf } from '../queries/rooms.ts';
import { createTask } from './create-task.ts';
import { setState } from './room-state.ts';

/** Repairs make dirt: a room comes back dirty unless whoever closes the ticket says otherwise. */
const RETURN_CONDITION: Condition = 'dirty';

/**
 * A ticket takes its room out of order or service for some days (R11). maintenance-service owns that fact; here it is an
 * overlay, in force on its days while the room is vacant, and waiting while somebody is in it.
 */
export async function followTicket(
  ctx: Ctx,
  ticket: PayloadOf<typeof TicketOpened>,
  version: number,
): Promise<readonly PendingEvent[] | 'noop'> {
  const { ticketId, propertyId, roomId, block: kind, blockedDays: days } = ticket;
  if (roomId === null) return 'noop';
  lockRooms(ctx, [roomId]);
  const block = { ticketId, propertyId, roomId, kind, days, returnCondition: RETURN_CONDITION };
  if (!(await saveBlock(ctx, { ...block, ended: false }, version))) return 'noop';
  return settleBlocks(ctx, await roomOf(ctx, { roomId, propertyId }));
}

/** The repair is over: the room returns, and is cleaned first where that is needed. */
export async function endTicket(
  ctx: Ctx,
  ticket: PayloadOf<typeof TicketClosed>,
  version: number,
): Promise<readonly PendingEvent[] | 'noop'> {
  const { ticketId, propertyId, roomId, block: kind, needsCleaning } = ticket;
  if (roomId === null) return 'noop';
  lockRooms(ctx, [roomId]);
  const block = { ticketId, propertyId, roomId, kind, days: null, returnCondition: RETURN_CONDITION };
  if (!(await saveBlock(ctx, { ...block, ended: true }, version))) return 'noop';
  return settleBlocks(ctx, await roomOf(ctx, { roomId, propertyId }), { needsCleaning });
}

/**
 * Lets blocks of a room begin and end by the hotel day. `needsCleaning` is the word of a ticket that was just closed;
 * without it a block that is over returns the room as agreed. The caller has the room's lock.
 */
export async function settleBlocks(
  ctx: Ctx,
  room: Room,
  closed?: { needsCleaning: boolean },
): Promise<readonly PendingEvent[]> {
  const { businessDate: day } = await findHouse(ctx, room.propertyId);
  if (day === null) return []; // the first hotel day will settle it
  const condition = soiledBy(room.state, closed);
  const { state, isBack } = withBlocks(room.state, await blocksOf(ctx, room.id), { day, returns: condition });
  const cause = isBack || closed !== undefined ? 'ticket_closed' : 'ticket_opened';
  const final = closed === undefined ? state : { ...state, condition: condition ?? state.condition };
  const changed = setState(ctx, room, final, { cause, businessDate: day });
  const wantsCleaning = (closed?.needsCleaning ?? isBack) && changed.room.state.condition === 'dirty';
  if (!wantsCleaning || changed.room.state.overlay !== null) return changed.events;
  return [...changed.events, ...(await cleanAfterRepair(ctx, changed.room, day))];
}

async function cleanAfterRepair(
  ctx: Ctx,
  room: Room,
  businessDate: LocalDate,
): Promise<readonly PendingEvent[]> {
  const kind = room.state.occupancy === 'occupied' ? 'stayover_clean' : 'deep_clean';
  return (await createTask(ctx, room, { kind, cause: 'maintenance_done', businessDate }))?.events ?? [];
}

/** The condition a closed ticket leaves behind; undefined: no ticket was closed. */
function soiledBy(state: RoomState, closed: { needsCleaning: boolean } | undefined): Condition | undefined {
  if (closed === undefined) return undefined;
  return closed.needsCleaning
    ? stateAfter(state, { kind: 'worked', work: 'soiled' })?.condition
    : state.condition;
}
