import { AppError } from '@ghasi/domain-primitives/errors';
import { type Id, newId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { RoomArchived } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { availabilityAnswer } from './answers.ts';
import { assignRoom } from './commands/assign-room.ts';
import { blockRoom, endBlock } from './commands/blocks.ts';
import { limitOverbooking } from './commands/capacity.ts';
import { beginWaitingBlocks } from './commands/waiting-blocks.ts';
import { AllocationCommitted, OversellBlocked } from './contract.ts';
import type { Booking } from './fixtures/bookings.ts';
import { day } from './fixtures/bookings.ts';
import { type House, type Inn, openHouse } from './fixtures/house.ts';
import { moveList } from './queries/move-list.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const room = (inn: Inn, at = 0) => inn.rooms[at] as Id<'rom'>;
const block = (inn: Inn, from: string, until: string, more: { at?: number; kind?: 'out_of_service' } = {}) =>
  house.inside(inn.tenantId, ctx =>
    blockRoom(ctx, {
      roomId: room(inn, more.at),
      kind: more.kind ?? 'out_of_order',
      from: day(from),
      until: day(until),
      reason: null,
    }),
  );
const assign = (inn: Inn, { bookedRoomId }: Booking, roomId: Id<'rom'> | null, fromNight?: string) =>
  house.inside(inn.tenantId, ctx =>
    assignRoom(ctx, {
      bookedRoomId,
      roomId,
      fromNight: fromNight === undefined ? undefined : day(fromNight),
    }),
  );
const refusal = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error ?? new Error('it was not refused');
};
const held = async (inn: Inn, from: string, until: string, more = {}) => {
  const booking = inn.book(from, until, more);
  await house.hear(inn.tenantId, booking.held());
  return booking;
};
const capacity = async (inn: Inn, from: string, until: string) =>
  (await house.nights(inn, from, until)).map(night => night.capacity);
const moves = (inn: Inn) => house.inside(inn.tenantId, ctx => moveList(ctx, inn.propertyId));

const ticket = (inn: Inn, from: string, until: string, version = 1): PendingEvent =>
  TicketOpened.from(
    {
      ticketId: newId('mtk'),
      propertyId: inn.propertyId,
      roomId: room(inn),
      area: null,
      category: 'plumbing',
      severity: 'urgent',
      block: 'out_of_order',
      blockedDays: { from, until },
      openedAt: '2026-11-16T00:00:00.000Z',
      reportedBy: null,
      reservationId: null,
      taskId: null,
    },
    { aggregateVersion: version },
  );
const closing = ({ payload }: PendingEvent): PendingEvent => {
  const { ticketId, propertyId, roomId } = payload as {
    ticketId: Id<'mtk'>;
    propertyId: Id<'pro'>;
    roomId: Id<'rom'>;
  };
  const none = { amount: '0', currency: 'AFN' as const };
  return TicketClosed.from(
    {
      ...{ ticketId, propertyId, roomId, area: null, category: 'plumbing' },
      ...{ resolution: 'repaired', block: 'out_of_order', needsCleaning: false },
      ...{ closedAt: '2026-11-16T00:00:00.000Z', closedBy: newId('usr'), parts: [] },
      ...{ labour: { minutes: 1, cost: none }, cost: none },
    } as never,
    { aggregateVersion: 2 },
  );
};

describe('R11: rooms that are taken out', () => {
  test('R11: out of order leaves the inventory and comes back; out of service stays sellable', async () => {
    const inn = await house.inn(2);
    const out = await block(inn, '2027-05-10', '2027-05-12');
    await block(inn, '2027-05-10', '2027-05-12', { at: 1, kind: 'out_of_service' });
    expect(await capacity(inn, '2027-05-09', '2027-05-13')).toEqual([2, 1, 1, 2]);
    await house.inside(inn.tenantId, ctx => endBlock(ctx, { blockId: out.id }));
    expect(await capacity(inn, '2027-05-09', '2027-05-13')).toEqual([2, 2, 2, 2]);
  });

  test('R11: a night whose last room goes out of order is not sellable, and is again when the room is back', async () => {
    const inn = await house.inn(2);
    await held(inn, '2027-05-10', '2027-05-12');
    const sellable = async () => {
      const { tenantId, propertyId } = inn;
      const stay = { arrival: '2027-05-10', departure: '2027-05-13' };
      const answered = await availabilityAnswer.handle(house.answering, { tenantId, propertyId, stay });
      const [type] = (answered as { roomTypes: { sellable: number; nights: { available: number }[] }[] })
        .roomTypes;
      return { stay: type?.sellable, nights: type?.nights.map(night => night.available) };
    };
    expect(await sellable()).toEqual({ stay: 1, nights: [1, 1, 2] });
    const out = await block(inn, '2027-05-11', '2027-05-13');
    expect(await sellable()).toEqual({ stay: 0, nights: [1, 0, 1] });
    const guest = inn.book('2027-05-10', '2027-05-13');
    const [refused] = await house.hear(inn.tenantId, guest.held());
    expect(refused).toMatchObject({
      event: OversellBlocked,
      payload: { shortfall: [{ date: '2027-05-11' }] },
    });
    await house.inside(inn.tenantId, ctx => endBlock(ctx, { blockId: out.id }));
    expect(await sellable()).toEqual({ stay: 1, nights: [1, 1, 2] });
    const [taken] = await house.hear(inn.tenantId, guest.held());
    expect(taken?.event).toBe(AllocationCommitted);
  });

  test.each(['out_of_order', 'out_of_service'] as const)(
    'R11: %s on an assigned room is refused, with the list of reservations',
    async kind => {
      const inn = await house.inn(2);
      const booking = await held(inn, '2027-05-10', '2027-05-12', { roomId: room(inn) });
      const more = kind === 'out_of_service' ? { kind } : {};
      const refused = await refusal(block(inn, '2027-05-11', '2027-05-14', more));
      expect(refused).toMatchObject({
        code: 'ROOM_IN_USE',
        status: 409,
        params: { issues: [{ path: booking.reservationId, message: '2027-05-10 to 2027-05-12' }] },
      });
      expect(await capacity(inn, '2027-05-10', '2027-05-14')).toEqual([2, 2, 2, 2]);
    },
  );

  test('R11: out of order on a night that needs every room is refused, though nobody is in this one', async () => {
    const inn = await house.inn(1);
    await held(inn, '2027-05-10', '2027-05-12');
    const refused = await refusal(block(inn, '2027-05-11', '2027-05-14'));
    expect(refused).toMatchObject({ code: 'NIGHTS_SOLD', params: { issues: [{ path: '2027-05-11' }] } });
  });

  test('a room that is out of order is not assigned, and is not taken out twice', async () => {
    const inn = await house.inn(2);
    await block(inn, '2027-05-10', '2027-05-12');
    const booking = await held(inn, '2027-05-10', '2027-05-12');
    expect(await refusal(assign(inn, booking, room(inn)))).toMatchObject({ code: 'ROOM_TAKEN' });
    expect(await refusal(block(inn, '2027-05-11', '2027-05-13'))).toMatchObject({ code: 'ROOM_BLOCKED' });
  });

  test('R11: a repair ticket takes its room out until it is closed', async () => {
    const inn = await house.inn(1);
    const opened = ticket(inn, '2027-05-10', '2027-05-12');
    await house.hear(inn.tenantId, opened);
    expect(await capacity(inn, '2027-05-10', '2027-05-13')).toEqual([0, 0, 1]);
    await house.hear(inn.tenantId, closing(opened));
    await house.hear(inn.tenantId, opened);
    expect(await capacity(inn, '2027-05-10', '2027-05-13')).toEqual([1, 1, 1]);
  });

  test('R11: a repair ticket on an occupied room waits, is on the move list, and begins when the room is free', async () => {
    const inn = await house.inn(2);
    const booking = await held(inn, '2027-05-10', '2027-05-12', { roomId: room(inn) });
    await house.hear(inn.tenantId, ticket(inn, '2027-05-11', '2027-05-14'));
    expect(await capacity(inn, '2027-05-10', '2027-05-14')).toEqual([2, 2, 2, 2]);
    expect(await moves(inn)).toMatchObject([
      {
        reason: 'room_wanted_by_ticket',
        reservationId: booking.reservationId,
        from: '2027-05-11',
        until: '2027-05-12',
      },
    ]);
    expect(await house.inside(inn.tenantId, beginWaitingBlocks)).toBe(0);
    await assign(inn, booking, room(inn, 1));
    expect(await house.inside(inn.tenantId, beginWaitingBlocks)).toBe(1);
    expect(await capacity(inn, '2027-05-10', '2027-05-14')).toEqual([2, 1, 1, 1]);
    expect(await moves(inn)).toEqual([]);
  });

  test('R11: an archived room that is sold opens a move list; nothing more is sold until the night has room again', async () => {
    const inn = await house.inn(2);
    const first = await held(inn, '2027-05-10', '2027-05-11', { roomId: room(inn) });
    const second = await held(inn, '2027-05-10', '2027-05-11');
    await house.hear(inn.tenantId, archived(inn, '2027-05-01'));
    expect(await house.nights(inn, '2027-05-10', '2027-05-12')).toMatchObject([
      { rooms: 1, capacity: 2, sold: 2 },
      { rooms: 1, capacity: 1, sold: 0 },
    ]);
    expect(await moves(inn)).toMatchObject([{ reason: 'room_closed', reservationId: first.reservationId }]);
    await house.hear(inn.tenantId, second.cancelled());
    expect(await house.nights(inn, '2027-05-10', '2027-05-11')).toMatchObject([{ capacity: 1, sold: 1 }]);
    const [told] = await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-11').held());
    expect(told?.event).toBe(OversellBlocked);
  });
});

const archived = (inn: Inn, closedFrom: string) =>
  RoomArchived.from(
    {
      ...{ roomId: room(inn), propertyId: inn.propertyId, roomTypeId: inn.roomTypeId },
      ...{ number: '101', closedFrom, reason: 'converted' },
    },
    { aggregateVersion: 2 },
  );

describe('R7: rooms that are assigned', () => {
  test('R5, R7: turnover on a day is fine, a shared night is 409 with the reservation in the way', async () => {
    const inn = await house.inn(3);
    const first = await held(inn, '2027-05-10', '2027-05-12');
    const next = await held(inn, '2027-05-12', '2027-05-14');
    const other = await held(inn, '2027-05-11', '2027-05-13');
    await assign(inn, first, room(inn));
    await assign(inn, next, room(inn));
    const refused = await refusal(assign(inn, other, room(inn)));
    const reservations = (refused.params.issues as { path: string }[]).map(({ path }) => path);
    expect([refused.code, refused.status, reservations]).toEqual([
      'ROOM_TAKEN',
      409,
      [first.reservationId, next.reservationId],
    ]);
    await assign(inn, first, null);
    await assign(inn, next, room(inn, 1));
    expect((await assign(inn, other, room(inn))).slices).toMatchObject([{ roomId: room(inn) }]);
  });

  test('R7: ten clients who assign the same room to different guests: one gets it', async () => {
    const inn = await house.inn(10);
    const bookings = [];
    for (let n = 0; n < 10; n += 1) bookings.push(await held(inn, '2027-05-10', '2027-05-12'));
    const results = await Promise.allSettled(bookings.map(booking => assign(inn, booking, room(inn))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = results.flatMap(one => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['ROOM_TAKEN']));
  });

  test('R16: a move from a night on makes two slices, and the nights slept stay where they were', async () => {
    const inn = await house.inn(2);
    const booking = await held(inn, '2027-05-10', '2027-05-14', { roomId: room(inn) });
    await house.hear(inn.tenantId, booking.moved(room(inn, 1), '2027-05-12'));
    const { slices } = await assign(inn, booking, room(inn, 1), '2027-05-13');
    expect(slices).toEqual([
      { roomId: room(inn), from: '2027-05-10', until: '2027-05-12' },
      { roomId: room(inn, 1), from: '2027-05-12', until: '2027-05-14' },
    ]);
  });

  test('a booking that names a room somebody else has goes without one, on the move list', async () => {
    const inn = await house.inn(2);
    const winner = await held(inn, '2027-05-10', '2027-05-12', { roomId: room(inn) });
    const booking = await held(inn, '2027-05-10', '2027-05-12');
    await house.hear(inn.tenantId, booking.moved(room(inn)));
    expect(await moves(inn)).toMatchObject([
      { reason: 'room_taken', reservationId: booking.reservationId, roomId: room(inn) },
    ]);
    await house.hear(inn.tenantId, winner.cancelled());
    await assign(inn, booking, room(inn));
    expect(await moves(inn)).toEqual([]);
  });

  test('only a room of the booked type that is sold on all nights, and only for nights of the stay', async () => {
    const inn = await house.inn(2);
    const suite = await house.inn(1, { tenantId: inn.tenantId, propertyId: inn.propertyId });
    const booking = await held(inn, '2027-05-10', '2027-05-12');
    const codes = [];
    codes.push((await refusal(assign(inn, booking, room(suite)))).code);
    codes.push((await refusal(assign(inn, booking, newId('rom')))).code);
    codes.push((await refusal(assign(inn, booking, room(inn), '2027-05-12'))).code);
    await house.hear(inn.tenantId, archived(inn, '2027-05-11'));
    codes.push((await refusal(assign(inn, booking, room(inn)))).code);
    codes.push((await refusal(assign(inn, inn.book('2027-05-10', '2027-05-12'), room(inn)))).code);
    expect(codes).toEqual([
      'ROOM_OF_OTHER_TYPE',
      'NOT_FOUND',
      'NIGHT_NOT_BOOKED',
      'ROOM_CLOSED',
      'NOT_ALLOCATED',
    ]);
  });

  test('a move to a room of another type takes the nights along', async () => {
    const inn = await house.inn(1);
    const suite = await house.inn(1, { tenantId: inn.tenantId, propertyId: inn.propertyId });
    const booking = await held(inn, '2027-05-10', '2027-05-12');
    if (booking.rooms[0]) booking.rooms[0].roomTypeId = suite.roomTypeId;
    await house.hear(inn.tenantId, booking.moved(room(suite)));
    const [again] = await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-12').held());
    const [full] = await house.hear(suite.tenantId, suite.book('2027-05-10', '2027-05-12').held());
    expect([again?.event, full?.event]).toEqual([AllocationCommitted, OversellBlocked]);
  });
});

describe('R7: overbooking', () => {
  const limit = (inn: Inn, n: number) =>
    house.inside(inn.tenantId, async ctx => {
      await limitOverbooking(ctx, { roomTypeId: inn.roomTypeId, limit: n });
    });

  test('R7: a limit of one sells one room more and no second one, and cannot be taken back while it is used', async () => {
    const inn = await house.inn(1);
    await limit(inn, 1);
    await held(inn, '2027-05-10', '2027-05-12');
    await held(inn, '2027-05-10', '2027-05-12');
    const [told] = await house.hear(inn.tenantId, inn.book('2027-05-11', '2027-05-12').held());
    expect(told?.event).toBe(OversellBlocked);
    expect(await refusal(limit(inn, 0))).toMatchObject({ code: 'NIGHTS_SOLD', status: 409 });
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([2, 2]);
  });

  test('R7: the database refuses a counter beyond its capacity, whoever writes it', async () => {
    const inn = await house.inn(1);
    const force = (change: string) =>
      house.database.admin(`update inventory.nights set ${change} where tenant_id = $1`, [inn.tenantId]);
    await expect(force('sold = sold + 2')).rejects.toThrow('nights_not_oversold');
    await expect(force('sold = sold - 1')).rejects.toThrow('nights_sold');
  });
});
