import { type Accepted, accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TicketOpened } from '../contract.ts';
import { errors } from '../errors.ts';
import { type Block, blockProblem, isOpen, MOST_NIGHTS } from '../model.ts';
import { findHouse, findRoom, type Room } from '../queries/houses.ts';
import { blocksOf, findTicket, saveTicket, type Ticket } from '../queries/tickets.ts';

/** What is broken, where, and what that does to the room. */
export type NewTicket = Pick<
  Ticket,
  'propertyId' | 'roomId' | 'area' | 'category' | 'severity' | 'title' | 'description' | 'block' | 'photoIds'
> &
  Partial<Pick<Ticket, 'reservationId' | 'taskId' | 'follows' | 'planId' | 'dueOn'>>;

/**
 * Opens a work order. With a block it takes the room out for those nights: that is the one fact which inventory and
 * housekeeping follow (R11). Whoever calls has asked inventory who has the room.
 */
export async function openTicket(
  ctx: Ctx,
  wanted: NewTicket,
  by: Id<'usr'> | null,
): Promise<Accepted<Ticket>> {
  const { currency, today } = await knownHouse(ctx, wanted.propertyId);
  if (wanted.block !== null && wanted.roomId === null) throw errors.BLOCK_NEEDS_ROOM();
  if (wanted.roomId !== null) {
    const { propertyId, roomId, block } = wanted;
    await assertRoom(ctx, { propertyId, roomId, block, today });
  }
  const { reservationId = null, taskId = null, follows = null, planId = null, dueOn = null } = wanted;
  const ticket: Ticket = {
    ...wanted,
    ...{ reservationId, taskId, follows, planId, dueOn, currency },
    id: ctx.newId('mtk'),
    status: 'open',
    reportedBy: by,
    assigneeId: null,
    openedAt: ctx.now,
    ...{ closedAt: null, closedBy: null, resolution: null, needsCleaning: null },
    ...{ parts: [], labourMinutes: 0, labourMinor: 0n, costMinor: 0n },
    version: 1,
  };
  await saveTicket(ctx, ticket, { by, note: null });
  return accepted(ticket, [openedEvent(ticket)]);
}

/** Takes the room of an open ticket out, which it did not before; told as the ticket opened anew. */
export async function blockRoom(
  ctx: Ctx,
  { id, block, by }: { id: Id<'mtk'>; block: Block; by: Id<'usr'> },
): Promise<Accepted<Ticket>> {
  const ticket = await findTicket(ctx, id, { forUpdate: true });
  if (ticket === undefined) throw coreErrors.NOT_FOUND({ entity: 'Ticket' });
  if (!isOpen(ticket.status)) throw errors.TICKET_ENDED({ status: ticket.status, to: 'blocked' });
  if (ticket.block !== null) throw errors.BLOCK_EXISTS();
  const { propertyId, roomId } = ticket;
  if (roomId === null) throw errors.BLOCK_NEEDS_ROOM();
  const { today } = await knownHouse(ctx, propertyId);
  await assertRoom(ctx, { propertyId, roomId, block, today });
  const blocked = { ...ticket, block, version: ticket.version + 1 };
  await saveTicket(ctx, blocked, { by, note: null });
  return accepted(blocked, [openedEvent(blocked)]);
}

/** What is broken again, or needs more nights: a new ticket about the same place that follows the old one. */
export async function followUp(
  ctx: Ctx,
  input: Pick<NewTicket, 'title' | 'severity' | 'description' | 'block' | 'photoIds'> & {
    id: Id<'mtk'>;
    by: Id<'usr'>;
  },
): Promise<Accepted<Ticket>> {
  const { id, by, ...wanted } = input;
  const before = await findTicket(ctx, id);
  if (before === undefined) throw coreErrors.NOT_FOUND({ entity: 'Ticket' });
  const { propertyId, roomId, area, category } = before;
  return openTicket(ctx, { ...wanted, propertyId, roomId, area, category, follows: id }, by);
}

/** A house whose hotel day and money are known. */
export async function knownHouse(
  ctx: Pick<Ctx, 'tx'>,
  propertyId: Id<'pro'>,
): Promise<{ today: LocalDate; currency: CurrencyCode }> {
  const house = await findHouse(ctx, propertyId);
  if (house === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  if (house.currency === null) throw errors.HOUSE_UNKNOWN();
  return { today: house.businessDate, currency: house.currency };
}

type Wanted = { propertyId: Id<'pro'>; roomId: Id<'rom'>; block: Block | null; today: LocalDate };

/** blocks of a room are judged one after the other. */
async function assertRoom(ctx: Ctx, { propertyId, roomId, block, today }: Wanted): Promise<void> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'maintenance.room', id: roomId });
  const room = await findRoom(ctx, roomId);
  if (room === undefined || room.propertyId !== propertyId) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  const { number, closedFrom } = room;
  if (closedFrom !== null && closedFrom <= today) throw errors.ROOM_CLOSED({ number });
  if (block === null) return;
  assertBlock(block, { room, today, others: await blocksOf(ctx, roomId) });
}

function assertBlock(
  block: Block,
  { room, today, others }: { room: Room; today: LocalDate; others: readonly Block[] },
): void {
  const { number, closedFrom } = room;
  const problem = blockProblem(block, { today, closedFrom, others });
  if (problem === 'BLOCK_IN_THE_PAST') throw errors.BLOCK_IN_THE_PAST({ today });
  if (problem === 'BLOCK_TOO_LONG') throw errors.BLOCK_TOO_LONG({ most: MOST_NIGHTS });
  if (problem === 'ROOM_CLOSED') throw errors.ROOM_CLOSED({ number });
  if (problem === 'ROOM_BLOCKED') throw errors.ROOM_BLOCKED({ number });
}

function openedEvent(ticket: Ticket): PendingEvent {
  const { id: ticketId, propertyId, roomId, area, category, severity, block, openedAt } = ticket;
  const { reportedBy, reservationId, taskId } = ticket;
  return TicketOpened.from(
    {
      ...{ ticketId, propertyId, roomId, area, category, severity },
      block: block?.kind ?? 'none',
      blockedDays: block === null ? null : { from: block.from, until: block.until },
      openedAt: openedAt.toISOString(),
      ...{ reportedBy, reservationId, taskId },
    },
    { aggregateVersion: ticket.version },
  );
}
