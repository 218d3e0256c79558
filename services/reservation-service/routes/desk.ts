import type { Ask } from '@ghasi/backbone/question';
import type { Accepted } from '@ghasi/db/accepted';
import { type Ctx, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { assertAssignable, assignRooms } from '../commands.ts';
import { board, reservationLine, reservationView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Reservation } from '../model.ts';
import { listBoard, readReservation } from '../queries.ts';
import { finishCheckIn, startCheckIn } from '../sagas/check-in.ts';
import { startCheckOut } from '../sagas/check-out.ts';
import { takeBackCheckIn, undoCancellation, undoNoShow } from '../undo.ts';
import { assertRoomLeft, assertRoomsReady, assignAtInventory, houseOf, todayAt } from './asking.ts';
import { view } from './view.ts';

const staff = operator(['owner', 'manager', 'front_desk']);
const params = z.strictObject({ reservationId: idText('rsv') });

type Desk = { id: Id<'rsv'>; businessDate: string; today: string };
type AtTheDesk = (ctx: Ctx, desk: Desk) => Promise<Accepted<Reservation>>;

/** What must be true elsewhere before something begins here. */
type Before = (ctx: { tenantId: TenantId; now: Date }, booking: Reservation) => Promise<void>;

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
    transaction: 'late',
    params,
    body: z.strictObject({
      fromNight: localDate,
      rooms: z
        .array(z.strictObject({ bookedRoomId: idText('brm'), roomId: idText('rom') }))
        .min(1)
        .max(50),
    }),
    returns: { 200: reservationView },
    errors: [coreErrors.NOT_FOUND, errors.NOT_CHANGEABLE, errors.ROOM_UNKNOWN, errors.ROOM_TAKEN],
    async handler(ctx, { params: { reservationId: id }, body: { rooms: wanted, fromNight } }) {
      const before = await tenantRead(ctx.db, ctx, ({ tx }) => readReservation(tx, id));
      const numbers = Object.fromEntries(wanted.map(({ bookedRoomId, roomId }) => [bookedRoomId, roomId]));
      assertAssignable(before, numbers);
      await assignAtInventory(ask, ctx.tenantId, { before, wanted, fromNight });
      return ctx.commit(async inside => {
        const { value, events } = await assignRooms(inside, { id, rooms: numbers, fromNight });
        return { status: 200, body: view(value), events };
      });
    },
  });

  const atTheDesk = (path: string, summary: string, step: AtTheDesk, before: Before = async () => {}) =>
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
        errors.ROOM_NOT_READY,
        errors.CHECK_IN_INCOMPLETE,
        errors.NOT_IN_HOUSE,
        errors.SHORTEN_FIRST,
        errors.TRANSITION_REFUSED,
        errors.NO_ROOM,
        errors.ARRIVAL_PASSED,
        errors.TOO_LATE_TO_UNDO,
        errors.CHANGE_PENDING,
        errors.LEAVING,
      ],
      async handler(ctx, { params: { reservationId: id } }) {
        const booking = await tenantRead(ctx.db, ctx, ({ tx }) => readReservation(tx, id));
        const house = await houseOf(ask, ctx.tenantId, booking.propertyId);
        await before(ctx, booking);
        const { businessDate } = house;
        const today = todayAt(house, ctx.now);
        return ctx.commit(async inside => {
          const { value, events } = await step(inside, { id, businessDate, today });
          return { status: 202, body: view(value), events };
        });
      },
    });

  /** R14: the last condition of a check-in, and the only one that others know. */
  const roomsReady: Before = async ({ tenantId }, booking) => {
    const { status } = booking;
    if (status === 'confirmed' || status === 'confirmed_cash_pending')
      await assertRoomsReady(ask, tenantId, booking);
  };

  /** R18. Rooms that are still kept for him are his whatever is left (R17). */
  const roomLeft: Before = async ({ tenantId, now }, booking) => {
    const { status, noShowKeptUntil } = booking;
    if (status !== 'cancelled' && status !== 'no_show') return; // refused in a moment, with the better reason
    const isKept = status === 'no_show' && Date.parse(noShowKeptUntil ?? '') > now.getTime();
    if (!isKept) await assertRoomLeft(ask, tenantId, booking);
  };

  return [
    list,
    rooms,
    atTheDesk('check-in', 'Begin a check-in: folio, key and welcome have 30 s', startCheckIn, roomsReady),
    atTheDesk(
      'check-in/finish',
      'Let a guest in whose check-in was late, once nothing is missing',
      finishCheckIn,
    ),
    atTheDesk('check-in/undo', 'Take a check-in back, on the same hotel day', takeBackCheckIn),
    atTheDesk('check-out', 'Begin a check-out: the folio closes, the keys die', startCheckOut),
    atTheDesk('cancel/undo', 'Take a cancellation back, if there is still room', undoCancellation, roomLeft),
    atTheDesk('no-show/undo', 'The guest came after all, before the next day closed', undoNoShow, roomLeft),
  ];
}
