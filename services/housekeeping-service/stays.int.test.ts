import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setConditions } from './commands/condition.ts';
import { RoomStatusChanged, TaskCreated } from './contract.ts';
import { FIRST_DAY, type House, type Inn, openHouse, short } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const stay = { arrival: FIRST_DAY, departure: '2027-05-13' };
const stateOf = async ({ tenantId }: Inn, roomId: Id<'rom'> | undefined) =>
  short((await house.roomOf(tenantId, roomId)).state);
const workIn = async ({ tenantId }: Inn, roomId: Id<'rom'> | undefined) =>
  (await house.tasksOf(tenantId, roomId)).map(({ kind, cause }) => `${kind} ${cause}`).sort();
const makeClean = ({ tenantId }: Inn, ...roomIds: (Id<'rom'> | undefined)[]) =>
  house.inside(tenantId, ctx => setConditions(ctx, { roomIds: roomIds as Id<'rom'>[], condition: 'clean' }));
const eventsOf = (events: readonly PendingEvent[], { subject }: { subject: string }) =>
  events.filter(({ event }) => event.subject === subject).map(({ payload }) => payload);

describe('check-in and check-out', () => {
  test('SAGA-41: nothing but a finished check-in makes a room occupied', async () => {
    const inn = await house.inn(2);
    const [roomId, other] = inn.rooms;
    await makeClean(inn, roomId, other);
    const booking = inn.book({ ...stay, roomId: null });
    await house.hear(
      inn.tenantId,
      booking.confirmed(),
      booking.moved(roomId as Id<'rom'>, FIRST_DAY, 'confirmed'),
    );
    expect(await stateOf(inn, roomId)).toBe('vacant clean');
    // A check-in that is late stays partial, and moving such a guest lets nobody in either.
    await house.hear(inn.tenantId, booking.moved(other as Id<'rom'>, FIRST_DAY, 'check_in_partial'));
    expect([await stateOf(inn, roomId), await stateOf(inn, other)]).toEqual(['vacant clean', 'vacant clean']);
    const told = await house.hear(inn.tenantId, booking.checkedIn());
    expect([await stateOf(inn, roomId), await stateOf(inn, other)]).toEqual([
      'vacant clean',
      'occupied clean',
    ]);
    expect(eventsOf(told, RoomStatusChanged)).toMatchObject([
      { roomId: other, cause: 'check_in', statusVersion: 2, reservationId: booking.reservationId },
    ]);
  });

  test('SAGA-45: a check-out leaves a vacant dirty room and one task, whether the guest has paid or not', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    await makeClean(inn, roomId);
    const booking = inn.book({ ...stay, roomId: roomId ?? null });
    await house.hear(inn.tenantId, booking.confirmed(), booking.checkedIn());
    const told = await house.hear(inn.tenantId, booking.checkedOut({ owes: 500 }));
    expect(await stateOf(inn, roomId)).toBe('vacant dirty');
    expect(eventsOf(told, TaskCreated)).toMatchObject([
      {
        ...{ roomId, kind: 'departure_clean', cause: 'check_out', businessDate: '2027-05-13' },
        ...{ reservationId: booking.reservationId, rush: false, dueAt: null, estimatedMinutes: 35 },
      },
    ]);
  });

  test('X-115: the check-out that is told again when the balance is paid does not touch the next guest', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const [first, next] = [
      inn.book({ ...stay, roomId }),
      inn.book({ arrival: '2027-05-13', departure: '2027-05-15', roomId }),
    ];
    await house.hear(inn.tenantId, first.confirmed(), first.checkedIn(), first.checkedOut({ owes: 1 }));
    await house.hear(inn.tenantId, next.confirmed(), next.checkedIn());
    expect(await house.hear(inn.tenantId, first.checkedOut())).toEqual([]);
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('occupied dirty');
  });

  test('a departure that is heard of after the next arrival leaves the room to the guest who is in it', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const [first, next] = [inn.book({ ...stay, roomId }), inn.book({ ...stay, roomId })];
    await house.hear(inn.tenantId, first.checkedIn(), next.checkedIn());
    expect(await house.hear(inn.tenantId, first.checkedOut())).toEqual([]);
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('occupied dirty');
    await house.hear(inn.tenantId, next.checkedOut());
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('vacant dirty');
  });

  test('the next guest of the same day makes it urgent, due when he may stand at the door', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const leaving = inn.book({ ...stay, roomId });
    const coming = inn.book({ arrival: stay.departure, departure: '2027-05-20', roomId });
    await house.hear(inn.tenantId, leaving.checkedIn(), coming.confirmed());
    const told = await house.hear(inn.tenantId, leaving.checkedOut());
    expect(eventsOf(told, TaskCreated)).toMatchObject([{ rush: true, dueAt: '2027-05-13T09:30:00.000Z' }]);
  });

  test('a guest who cancelled or did not come is awaited by nobody; one who came after all is', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const leaving = inn.book({ ...stay, roomId });
    const never = inn.book({ arrival: stay.departure, departure: '2027-05-20', roomId });
    const late = inn.book({ arrival: stay.departure, departure: '2027-05-20', roomId });
    await house.hear(inn.tenantId, leaving.checkedIn(), never.confirmed(), never.cancelled());
    await house.hear(inn.tenantId, late.confirmed(), late.noShow());
    const told = await house.hear(inn.tenantId, leaving.checkedOut());
    expect(eventsOf(told, TaskCreated)).toMatchObject([{ rush: false }]);
    await house.hear(inn.tenantId, late.checkedIn(stay.departure));
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('occupied dirty');
  });

  test('R18: a check-in that is taken back leaves a room that needs a quick hand and is free for others', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    await makeClean(inn, roomId as Id<'rom'>);
    const booking = inn.book({ ...stay, roomId });
    await house.hear(inn.tenantId, booking.confirmed(), booking.checkedIn(), booking.checkInUndone());
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('vacant pickup');
    expect(await workIn(inn, roomId as Id<'rom'>)).toEqual([]);
    await house.hear(inn.tenantId, booking.checkedIn());
    expect(await stateOf(inn, roomId as Id<'rom'>)).toBe('occupied pickup');
  });

  test('a room that property-service has not told of yet is followed all the same', async () => {
    const [inn, elsewhere] = [await house.inn(1), await house.inn(1)];
    const [roomId = null] = elsewhere.rooms;
    const booking = inn.book({ ...stay, roomId });
    await house.hear(inn.tenantId, booking.checkedIn());
    expect(await house.roomOf(inn.tenantId, roomId as Id<'rom'>)).toMatchObject({
      number: null,
      state: { occupancy: 'occupied' },
    });
  });
});

describe('room moves', () => {
  test('R16: a guest who moves leaves the old room dirty with work in it and has the new one from then on', async () => {
    const inn = await house.inn(2);
    const [a, b] = inn.rooms as [Id<'rom'>, Id<'rom'>];
    await makeClean(inn, a, b);
    const booking = inn.book({ ...stay, roomId: a });
    await house.hear(inn.tenantId, booking.confirmed(), booking.checkedIn());
    const told = await house.hear(inn.tenantId, booking.moved(b, FIRST_DAY));
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['vacant dirty', 'occupied clean']);
    expect(await workIn(inn, a)).toEqual(['departure_clean room_move']);
    expect(eventsOf(told, RoomStatusChanged)).toMatchObject([
      { roomId: a, cause: 'room_move', to: { occupancy: 'vacant', condition: 'dirty' } },
      { roomId: b, cause: 'room_move', to: { occupancy: 'occupied', condition: 'clean' } },
    ]);
    await house.hear(inn.tenantId, booking.checkedOut());
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['vacant dirty', 'vacant dirty']);
  });

  test('R16: a move that is agreed for a later night takes place with that hotel day', async () => {
    const inn = await house.inn(2);
    const [a, b] = inn.rooms as [Id<'rom'>, Id<'rom'>];
    const booking = inn.book({ ...stay, roomId: a });
    await house.hear(inn.tenantId, booking.checkedIn(), booking.moved(b, '2027-05-12'));
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['occupied dirty', 'vacant dirty']);
    await house.hear(inn.tenantId, inn.nextDay('2027-05-10'));
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['occupied dirty', 'vacant dirty']);
    await house.hear(inn.tenantId, inn.nextDay('2027-05-11'));
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['vacant dirty', 'occupied dirty']);
  });

  test('R15, R16: who leaves before the day of his move never was in the other room', async () => {
    const inn = await house.inn(2);
    const [a, b] = inn.rooms as [Id<'rom'>, Id<'rom'>];
    await makeClean(inn, a, b);
    const booking = inn.book({ ...stay, roomId: a });
    await house.hear(inn.tenantId, booking.checkedIn(), booking.moved(b, '2027-05-12'));
    await house.hear(inn.tenantId, booking.checkedOut({ businessDate: '2027-05-11' }));
    expect([await stateOf(inn, a), await stateOf(inn, b)]).toEqual(['vacant dirty', 'vacant clean']);
    expect(await workIn(inn, b)).toEqual([]);
  });

  test('X-088: the facts of a stay may arrive in any order and end alike', async () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 });
    const inn = await house.inn(0);
    await fc.assert(
      fc.asyncProperty(order, async places => {
        const { rooms, tenantId } = await house.moreRooms(inn, 2);
        const [a, b] = rooms as [Id<'rom'>, Id<'rom'>];
        await makeClean(inn, a, b);
        const booking = inn.book({ ...stay, roomId: null });
        const facts = [
          booking.confirmed(),
          booking.moved(a, FIRST_DAY, 'confirmed'),
          booking.checkedIn(),
          booking.moved(b, FIRST_DAY),
          booking.checkedOut(),
        ];
        for (const place of places) await house.hear(tenantId, facts[place] as PendingEvent);
        for (const roomId of [a, b]) {
          expect(await stateOf(inn, roomId)).toBe('vacant dirty');
          expect(await workIn(inn, roomId)).toHaveLength(1);
        }
      }),
      { numRuns: 10 },
    );
  });
});
