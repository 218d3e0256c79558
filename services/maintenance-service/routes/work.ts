import type { Accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, parseId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  assignTicket,
  cancelTicket,
  closeTicket,
  type Edit,
  editTicket,
  holdTicket,
  startTicket,
} from '../commands/work.ts';
import {
  assignment,
  cancellation,
  hold,
  repair,
  start,
  ticketPatch,
  ticketView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Ticket } from '../queries/tickets.ts';
import { viewTicket } from '../views.ts';

const workers = ['owner', 'manager', 'maintenance'];
const params = z.strictObject({ ticketId: idText('mtk') });

const edit = defineRoute({
  method: 'PATCH',
  path: '/api/v1/maintenance/tickets/:ticketId',
  summary: 'Correct the words of an open ticket',
  auth: operator(workers),
  params,
  body: ticketPatch,
  returns: { 200: ticketView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT, errors.TICKET_ENDED],
  async handler(ctx, { params: { ticketId: id }, body: { version, ...patch } }) {
    const by = parseId('usr', ctx.principal.id);
    const change = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    return {
      status: 200,
      body: viewTicket(await editTicket(ctx, { id, by, version, change: change as Edit })),
    };
  },
});

type StepRoute<B extends z.ZodType> = {
  path: string;
  summary: string;
  body: B;
  errors?: readonly { readonly entry: (typeof errors.TICKET_ENDED)['entry'] }[];
  step: (
    ctx: Ctx,
    input: z.output<B> & { id: Id<'mtk'>; by: Id<'usr'> },
  ) => Promise<Accepted<Ticket> | Ticket>;
};

/** One step of a ticket; who does it is whoever is signed in. */
function stepRoute<B extends z.ZodType<object>>(route: StepRoute<B>): AnyRoute {
  return defineRoute({
    method: 'POST',
    path: `/api/v1/maintenance/tickets/:ticketId/${route.path}`,
    summary: route.summary,
    auth: operator(workers),
    params,
    body: route.body,
    returns: { 200: ticketView },
    errors: [coreErrors.NOT_FOUND, errors.TICKET_ENDED, ...(route.errors ?? [])],
    async handler(ctx, { params: { ticketId: id }, body }) {
      const by = parseId('usr', ctx.principal.id);
      const done = await route.step(ctx, { ...(body as z.output<B>), id, by });
      const { value, events } = 'events' in done ? done : { value: done, events: [] };
      return { status: 200, body: viewTicket(value), events };
    },
  });
}

/** What people do with a ticket until it is closed. */
export const workRoutes: readonly AnyRoute[] = [
  edit,
  stepRoute({
    path: 'assign',
    summary: 'Give a ticket to somebody, or to somebody else',
    body: assignment,
    step: assignTicket,
  }),
  stepRoute({ path: 'start', summary: 'Begin, or go on after a pause', body: start, step: startTicket }),
  stepRoute({ path: 'hold', summary: 'Pause, and say what work waits for', body: hold, step: holdTicket }),
  stepRoute({
    path: 'close',
    summary: 'The repair is over: parts, labour, and the room comes back',
    body: repair,
    errors: [errors.CURRENCY_DIFFERS],
    step: closeTicket,
  }),
  stepRoute({
    path: 'cancel',
    summary: 'Nobody will work on it: the room comes back as it is',
    body: cancellation,
    step: cancelTicket,
  }),
];
