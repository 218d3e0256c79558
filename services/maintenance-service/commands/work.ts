import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { MoneyJson } from '@ghasi/domain-primitives/money';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TicketClosed } from '../contract.ts';
import { errors } from '../errors.ts';
import { isOpen, mayBecome, type resolutionsOf, type TicketStatus } from '../model.ts';
import { findTicket, saveTicket, type Ticket } from '../queries/tickets.ts';

type OnTicket = { readonly id: Id<'mtk'>; readonly by: Id<'usr'>; readonly note: string | null };

/** Gives a ticket to somebody, or to somebody else. */
export async function assignTicket(
  ctx: Ctx,
  { assigneeId, ...on }: OnTicket & { assigneeId: Id<'usr'> },
): Promise<Ticket> {
  return step(ctx, on, { status: 'assigned', assigneeId });
}

/** Work begins, or goes on after a pause; a ticket that nobody had is his from now on. */
export async function startTicket(ctx: Ctx, on: OnTicket): Promise<Ticket> {
  const { assigneeId } = await atHand(ctx, on.id);
  return step(ctx, on, { status: 'in_progress', assigneeId: assigneeId ?? on.by });
}

/** Work waits, and the note says for what. The room stays out as long as its days say. */
export async function holdTicket(ctx: Ctx, on: OnTicket & { note: string }): Promise<Ticket> {
  return step(ctx, on, { status: 'on_hold' });
}

/** What can be written anew while a ticket is open. */
export type Edit = Partial<Pick<Ticket, 'severity' | 'title' | 'description' | 'photoIds'>>;

/** Corrects the words of an open ticket, if nobody changed it since this version. Where it is and what it blocks stay. */
export async function editTicket(
  ctx: Ctx,
  { id, by, version, change }: { id: Id<'mtk'>; by: Id<'usr'>; version: number; change: Edit },
): Promise<Ticket> {
  const ticket = await atHand(ctx, id);
  assertUpdated(ticket.version === version ? 1 : 0, 'ticket');
  if (!isOpen(ticket.status)) throw errors.TICKET_ENDED({ status: ticket.status, to: 'changed' });
  return save(ctx, { ...ticket, ...change }, { by, note: null });
}

/** What a repair was: parts and labour, in the money of the house. */
export type Repair = {
  readonly resolution: (typeof resolutionsOf.done)[number];
  /** Left out: a room that was blocked is cleaned. */
  readonly needsCleaning?: boolean | undefined;
  readonly parts: readonly { readonly name: string; readonly quantity: number; readonly cost: MoneyJson }[];
  readonly labour: { readonly minutes: number; readonly cost: MoneyJson };
};

/** The repair is over: the room comes back, and what it cost is known. */
export async function closeTicket(ctx: Ctx, input: OnTicket & Repair): Promise<Accepted<Ticket>> {
  const { id, by, note, resolution, parts, labour } = input;
  const ticket = await atHand(ctx, id);
  assertNext(ticket, 'done');
  const { currency } = ticket;
  if ([labour, ...parts].some(({ cost }) => cost.currency !== currency))
    throw errors.CURRENCY_DIFFERS({ currency });
  const labourMinor = BigInt(labour.cost.amount);
  const costMinor = parts.reduce((sum, { cost }) => sum + BigInt(cost.amount), labourMinor);
  const needsCleaning = input.needsCleaning ?? ticket.block !== null;
  const costs = {
    parts: parts.map(({ name, quantity, cost }) => ({ name, quantity, minor: cost.amount })),
    ...{ labourMinutes: labour.minutes, labourMinor, costMinor },
  };
  const end = { status: 'done', resolution, needsCleaning } as const;
  return close(ctx, { ...ticket, ...costs }, { end, by, note });
}

/** Nobody will work on it: the room comes back as it is. */
export async function cancelTicket(
  ctx: Ctx,
  { id, by, note, resolution }: OnTicket & { resolution: (typeof resolutionsOf.cancelled)[number] },
): Promise<Accepted<Ticket>> {
  const ticket = await atHand(ctx, id);
  assertNext(ticket, 'cancelled');
  return close(ctx, ticket, { end: { status: 'cancelled', resolution, needsCleaning: false }, by, note });
}

/** A ticket, in the hands of this transaction alone. */
async function atHand(ctx: Ctx, id: Id<'mtk'>): Promise<Ticket> {
  const ticket = await findTicket(ctx, id, { forUpdate: true });
  if (ticket === undefined) throw coreErrors.NOT_FOUND({ entity: 'Ticket' });
  return ticket;
}

function assertNext({ status }: Ticket, to: TicketStatus): void {
  if (!mayBecome(status, to)) throw errors.TICKET_ENDED({ status, to });
}

async function step(
  ctx: Ctx,
  { id, by, note }: OnTicket,
  change: Pick<Ticket, 'status'> & Partial<Pick<Ticket, 'assigneeId'>>,
): Promise<Ticket> {
  const ticket = await atHand(ctx, id);
  assertNext(ticket, change.status);
  return save(ctx, { ...ticket, ...change }, { by, note });
}

async function save(
  ctx: Ctx,
  ticket: Ticket,
  about: { by: Id<'usr'>; note: string | null },
): Promise<Ticket> {
  const next = { ...ticket, version: ticket.version + 1 };
  await saveTicket(ctx, next, about);
  return next;
}

type Close = {
  end: Pick<Ticket, 'status' | 'resolution' | 'needsCleaning'>;
  by: Id<'usr'>;
  note: string | null;
};

async function close(ctx: Ctx, ticket: Ticket, { end, by, note }: Close): Promise<Accepted<Ticket>> {
  const closed = await save(ctx, { ...ticket, ...end, closedAt: ctx.now, closedBy: by }, { by, note });
  return accepted(closed, [closedEvent(closed)]);
}

function closedEvent(ticket: Ticket): PendingEvent {
  const { id: ticketId, propertyId, roomId, area, category, currency, block } = ticket;
  const money = (minor: bigint | string) => ({ amount: String(minor), currency });
  return TicketClosed.from(
    {
      ...{ ticketId, propertyId, roomId, area, category },
      resolution: ticket.resolution as NonNullable<Ticket['resolution']>,
      block: block?.kind ?? 'none',
      needsCleaning: ticket.needsCleaning === true,
      closedAt: (ticket.closedAt as Date).toISOString(),
      closedBy: ticket.closedBy as Id<'usr'>,
      parts: ticket.parts.map(({ name, quantity, minor }) => ({ name, quantity, cost: money(minor) })),
      labour: { minutes: ticket.labourMinutes, cost: money(ticket.labourMinor) },
      cost: money(ticket.costMinor),
    },
    { aggregateVersion: ticket.version },
  );
}
