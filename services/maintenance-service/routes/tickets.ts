import type { Ask } from '@ghasi/backbone/question';
import type { Database } from '@ghasi/db/database';
import { type Ctx, tenantRead, type Who } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, parseId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Principal } from '@ghasi/http/principal';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { blockRoom, followUp, openTicket } from '../commands/open-ticket.ts';
import {
  newBlock,
  newFollowUp,
  newTicket,
  ticketHistory,
  ticketQuery,
  ticketView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Block } from '../model.ts';
import { findRoom } from '../queries/houses.ts';
import { findTicket, listTickets, stepsOf, type Ticket } from '../queries/tickets.ts';
import { viewTicket } from '../views.ts';
import { assertNobodyHas } from '../who-has-the-room.ts';

const readers = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance', 'auditor'];
const reporters = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance'];
/** Who may take a room out. */
const keepers = ['owner', 'manager', 'front_desk', 'maintenance'];
const params = z.strictObject({ ticketId: idText('mtk') });
const blockErrors = [
  ...[errors.ROOM_IN_USE, errors.NIGHTS_SOLD, errors.ROOM_BLOCKED, errors.ROOM_CLOSED],
  ...[errors.BLOCK_IN_THE_PAST, errors.BLOCK_TOO_LONG, errors.BLOCK_NEEDS_ROOM, errors.HOUSE_UNKNOWN],
];

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/maintenance/tickets',
  summary: 'Work orders of a house, newest first',
  auth: operator(readers),
  query: ticketQuery,
  returns: { 200: z.strictObject({ tickets: z.array(ticketView) }) },
  handler: async (ctx, { query }) => ({
    status: 200,
    body: { tickets: (await listTickets(ctx, query)).map(viewTicket) },
  }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/maintenance/tickets/:ticketId',
  summary: 'A work order and everything that was done about it',
  auth: operator(readers),
  params,
  returns: { 200: ticketHistory },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx, { params: { ticketId } }) {
    const ticket = await findTicket(ctx, ticketId);
    if (ticket === undefined) throw coreErrors.NOT_FOUND({ entity: 'Ticket' });
    const steps = (await stepsOf(ctx, ticketId)).map(({ status, at, by, note }) => ({
      ...{ status, at: at.toISOString(), by, note },
    }));
    return { status: 200, body: { ticket: viewTicket(ticket), steps } };
  },
});

type Late = Who & { db: Database; tenantId: TenantId; principal: Principal };
type Wanted = { roomId: Id<'rom'> | null; block: z.output<typeof newBlock> | null };

/** A block as the rules know it. */
const blockOf = (block: z.output<typeof newBlock> | null): Block | null =>
  block && { kind: block.kind, from: block.from as LocalDate, until: block.until as LocalDate };

/** Asks who has the room, before the transaction that would take it out. */
async function mayBlock(ask: Ask, ctx: Late, { roomId, block }: Wanted): Promise<Block | null> {
  const wanted = blockOf(block);
  if (wanted === null) return null;
  if (!ctx.principal.roles.some(role => keepers.includes(role))) throw coreErrors.FORBIDDEN();
  const room = roomId === null ? undefined : await tenantRead(ctx.db, ctx, own => findRoom(own, roomId));
  if (roomId !== null && room === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  if (room !== undefined) await assertNobodyHas(ask, { tenantId: ctx.tenantId, room, block: wanted });
  return wanted;
}

async function ticketIn(ctx: Late, id: Id<'mtk'>): Promise<Ticket> {
  const ticket = await tenantRead(ctx.db, ctx, (own: Ctx) => findTicket(own, id));
  if (ticket === undefined) throw coreErrors.NOT_FOUND({ entity: 'Ticket' });
  return ticket;
}

/** Reading work orders, and opening them: inventory is asked before a room is taken out (R11). */
export function ticketRoutes(ask: Ask): readonly AnyRoute[] {
  const open = defineRoute({
    method: 'POST',
    path: '/api/v1/maintenance/tickets',
    summary: 'Report what is broken, and take the room out if need be',
    auth: operator(reporters),
    body: newTicket,
    returns: { 201: ticketView },
    errors: [coreErrors.NOT_FOUND, ...blockErrors],
    transaction: 'late',
    async handler(ctx, { body }) {
      const block = await mayBlock(ask, ctx, body);
      const by = parseId('usr', ctx.principal.id);
      return ctx.commit(async own => {
        const { value, events } = await openTicket(own, { ...body, block }, by);
        return { status: 201, body: viewTicket(value), events };
      });
    },
  });

  const block = defineRoute({
    method: 'POST',
    path: '/api/v1/maintenance/tickets/:ticketId/block',
    summary: 'Take the room of an open ticket out for some nights',
    auth: operator(keepers),
    params,
    body: newBlock,
    returns: { 200: ticketView },
    errors: [coreErrors.NOT_FOUND, errors.TICKET_ENDED, errors.BLOCK_EXISTS, ...blockErrors],
    transaction: 'late',
    async handler(ctx, { params: { ticketId: id }, body }) {
      const { roomId } = await ticketIn(ctx, id);
      const wanted = (await mayBlock(ask, ctx, { roomId, block: body })) as Block;
      const by = parseId('usr', ctx.principal.id);
      return ctx.commit(async own => {
        const { value, events } = await blockRoom(own, { id, block: wanted, by });
        return { status: 200, body: viewTicket(value), events };
      });
    },
  });

  const follow = defineRoute({
    method: 'POST',
    path: '/api/v1/maintenance/tickets/:ticketId/follow-up',
    summary: 'Open a ticket that goes on from this one: it is broken again, or needs more nights',
    auth: operator(reporters),
    params,
    body: newFollowUp,
    returns: { 201: ticketView },
    errors: [coreErrors.NOT_FOUND, ...blockErrors],
    transaction: 'late',
    async handler(ctx, { params: { ticketId: id }, body }) {
      const { roomId } = await ticketIn(ctx, id);
      const wanted = await mayBlock(ask, ctx, { roomId, block: body.block });
      const by = parseId('usr', ctx.principal.id);
      return ctx.commit(async own => {
        const { value, events } = await followUp(own, { ...body, block: wanted, id, by });
        return { status: 201, body: viewTicket(value), events };
      });
    },
  });

  return [list, open, show, block, follow];
}
