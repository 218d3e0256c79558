import type { Ask } from '@ghasi/backbone/question';
import type { Accepted } from '@ghasi/db/accepted';
import { type Ctx, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { assignRooms } from '../commands.ts';
import { board, reservationLine, reservationView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Reservation } from '../model.ts';
import { listBoard, readReservation } from '../queries.ts';
import { finishCheckIn, startCheckIn } from '../sagas/check-in.ts';
import { startCheckOut } from '../sagas/check-out.ts';
import { houseOf } from './house.ts';
import { view } from './view.ts';

const staff = operator(['owner', 'manager', 'front_desk']);
const params = z.strictObject({ reservationId: idText('rsv') });

type AtTheDesk = (ctx: Ctx, desk: { id: Id<'rsv'>; businessDate: string }) => Promise<Accepted<Reservation>>;

/** What the front desk does while the guest stands there. The hotel day is the property's, not the calendar's (R1). */
export function deskRoutes(ask: Ask): readonly AnyRoute[] {
  const list = defineRoute({
    method: 'GET',
    path: '/api/v1/reservations',
    summary: 'Who arrives, leaves or is in the house on a day',
    auth: operator(['owner', 'manager', 'front_desk', 'housekeeping', 'accountant', 'auditor']),
    query: board,
    returns: { 200: z.strictObject({ reservations: z.array(reservationLine) }) },
    handler: async ({ tx }, { query }) => ({
      status: 200,
      body: { reservations: await listBoard(tx, query) },
    }),
  });

  const rooms = defineRoute({
    method: 'POST',
    path: '/api/v1/reservations/:reservationId/rooms',
    summary: 'Give rooms their numbers, or move them from a night on',
    auth: staff,
    params,
    body: z.strictObject({
      fromNight: localDate,
      rooms: z
        .array(z.strictObject({ bookedRoomId: idText('brm'), roomId: idText('rom') }))
        .min(1)
        .max(50),
    }),
    returns: { 200: reservationView },
    errors: [coreErrors.NOT_FOUND, errors.NOT_CHANGEABLE, errors.ROOM_UNKNOWN],
    async handler(ctx, { params: { reservationId: id }, body }) {
      const numbers = Object.fromEntries(
        body.rooms.map(({ bookedRoomId, roomId }) => [bookedRoomId, roomId]),
      );
      const { value, events } = await assignRooms(ctx, { id, rooms: numbers, fromNight: body.fromNight });
      return { status: 200, body: view(value), events };
    },
  });

  const atTheDesk = (path: string, summary: string, step: AtTheDesk) =>
    defineRoute({
      method: 'POST',
      path: `/api/v1/reservations/:reservationId/${path}`,
      summary,
      auth: staff,
      transaction: 'late',
      params,
      returns: { 202: reservationView },
      errors: [
        coreErrors.NOT_FOUND,
        errors.NOT_CONFIRMED,
        errors.ARRIVES_LATER,
        errors.ROOM_NOT_ASSIGNED,
        errors.CHECK_IN_INCOMPLETE,
        errors.NOT_IN_HOUSE,
      ],
      async handler(ctx, { params: { reservationId: id } }) {
        const { propertyId } = await tenantRead(ctx.db, ctx, ({ tx }) => readReservation(tx, id));
        const { businessDate } = await houseOf(ask, ctx.tenantId, propertyId);
        return ctx.commit(async inside => {
          const { value, events } = await step(inside, { id, businessDate });
          return { status: 202, body: view(value), events };
        });
      },
    });

  return [
    list,
    rooms,
    atTheDesk('check-in', 'Begin a check-in: folio, key and welcome have 30 s', startCheckIn),
    atTheDesk(
      'check-in/finish',
      'Let a guest in whose check-in was late, once nothing is missing',
      finishCheckIn,
    ),
    atTheDesk('check-out', 'Begin a check-out: the folio closes, the keys die', startCheckOut),
  ];
}
