import type { Id } from '@ghasi/domain-primitives/ids';
import { newId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { RoomArchived } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setConditions } from './commands/condition.ts';
import { requestTask } from './commands/work.ts';
import { RoomStatusChanged, TaskCreated } from './contract.ts';
import { FIRST_DAY, type House, type Inn, openHouse, short } from './fixtures/house.ts';
import { saveHabits } from './queries/houses.ts';
import { findTask } from './queries/tasks.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type RoomId = Id<'rom'>;
const stateOf = async ({ tenantId }: Inn, roomId: RoomId | undefined) =>
  short((await house.roomOf(tenantId, roomId)).state);
const workIn = async ({ tenantId }: Inn, roomId: RoomId | undefined) =>
  (await house.tasksOf(tenantId, roomId)).map(({ kind, cause }) => `${kind} ${cause}`).sort();
const makeClean = ({ tenantId }: Inn, ...roomIds: (RoomId | undefined)[]) =>
  house.inside(tenantId, ctx => setConditions(ctx, { roomIds: roomIds as RoomId[], condition: 'clean' }));
const subjectsOf = (events: readonly PendingEvent[]) => events.map(({ event }) => event.subject);

describe('a hotel day begins', () => {
  test('rooms of guests who stay are dirty and get their service; who leaves today waits for the big clean', async () => {
    const inn = await house.inn(4);
    const [staying, leaving, today, empty] = inn.rooms;
    await makeClean(inn, ...inn.rooms);
    const book = (roomId: RoomId | undefined, departure: string, arrival = FIRST_DAY) =>
      inn.book({ arrival, departure, roomId: roomId ?? null });
    await house.hear(inn.tenantId, book(staying, '2027-05-13').checkedIn());
    await house.hear(inn.tenantId, book(leaving, '2027-05-11').checkedIn());
    // Came in before the close of yesterday was heard of: has not slept here yet.
    await house.hear(inn.tenantId, book(today, '2027-05-13', '2027-05-11').checkedIn());
    const close = inn.nextDay(FIRST_DAY);
    const told = await house.hear(inn.tenantId, close);
    const states = await Promise.all(inn.rooms.map(room => stateOf(inn, room)));
    expect(states).toEqual(['occupied dirty', 'occupied dirty', 'occupied clean', 'vacant clean']);
    expect(await workIn(inn, staying)).toEqual(['stayover_clean schedule']);
    for (const room of [leaving, today, empty]) expect(await workIn(inn, room)).toEqual([]);
    expect(subjectsOf(told).filter(subject => subject === TaskCreated.subject)).toHaveLength(1);
    // R1, X-088: told again, or an older day after it, nothing is done twice.
    expect(await house.hear(inn.tenantId, close)).toEqual([]);
    expect(await workIn(inn, staying)).toEqual(['stayover_clean schedule']);
  });

  test('a service that was not done yesterday is not asked for twice, and a departure replaces it', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-14', roomId });
    await house.hear(inn.tenantId, booking.checkedIn(), inn.nextDay(FIRST_DAY), inn.nextDay('2027-05-11'));
    const [service] = await house.tasksOf(inn.tenantId, roomId as RoomId);
    expect(service).toMatchObject({ kind: 'stayover_clean', businessDate: '2027-05-11' });
    const told = await house.hear(inn.tenantId, booking.checkedOut({ businessDate: '2027-05-12' }));
    expect(await workIn(inn, roomId as RoomId)).toEqual(['departure_clean check_out']);
    const created = told.find(({ event }) => event.subject === TaskCreated.subject);
    expect(created?.payload).toMatchObject({ kind: 'departure_clean', replaces: [service?.id] });
    const replaced = await house.inside(inn.tenantId, ctx => findTask(ctx, service?.id as Id<'hkt'>));
    expect(replaced).toMatchObject({ status: 'cancelled', outcome: 'not_needed' });
  });

  test('a guest whose stay was made longer gets service on the day he would have left', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-11', roomId });
    await house.hear(inn.tenantId, booking.confirmed(), booking.checkedIn());
    await house.hear(inn.tenantId, booking.reallocated('2027-05-14'), inn.nextDay(FIRST_DAY));
    expect(await workIn(inn, roomId as RoomId)).toEqual(['stayover_clean schedule']);
  });

  test('a house decides whether guests who stay are served, and how often rooms get a deep clean', async () => {
    const inn = await house.inn(2);
    const [a, b] = inn.rooms;
    await house.hear(
      inn.tenantId,
      inn.book({ arrival: FIRST_DAY, departure: '2027-06-30', roomId: a ?? null }).checkedIn(),
    );
    await house.inside(inn.tenantId, async ctx =>
      saveHabits(ctx, inn.propertyId, { stayoverService: false, deepCleanEvery: 7 }),
    );
    await house.hear(inn.tenantId, inn.nextDay('2027-05-15'));
    expect([await workIn(inn, a), await workIn(inn, b)]).toEqual([[], []]);
    await house.hear(inn.tenantId, inn.nextDay('2027-05-16'));
    expect([await workIn(inn, a), await workIn(inn, b)]).toEqual([[], ['deep_clean schedule']]);
  });

  test('a room that property-service closes takes its work with it on its last day, and asks for none after', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms as [RoomId];
    const wanted = { roomId, kind: 'deep_clean', rush: false, reservationId: null, note: null } as const;
    await house.inside(inn.tenantId, ctx => requestTask(ctx, wanted));
    const gone = { roomId, propertyId: inn.propertyId, roomTypeId: newId('rty'), number: '101' };
    const archived = RoomArchived.from(
      { ...gone, closedFrom: '2027-05-12', reason: 'converted' },
      { aggregateVersion: 2 },
    );
    await house.hear(inn.tenantId, archived, inn.nextDay(FIRST_DAY));
    expect(await workIn(inn, roomId)).toEqual(['deep_clean operator']);
    await house.hear(inn.tenantId, inn.nextDay('2027-05-11'));
    expect(await workIn(inn, roomId)).toEqual([]);
    const refused = house.inside(inn.tenantId, ctx => requestTask(ctx, wanted));
    await expect(refused).rejects.toMatchObject({ code: 'ROOM_CLOSED' });
  });
});

const none = { amount: '0', currency: 'AFN' as const };

function ticketOf({ propertyId }: Inn, roomId: RoomId | undefined) {
  const head = { ticketId: newId('mtk'), propertyId, roomId: roomId as RoomId, area: null };
  const about = { ...head, category: 'plumbing' as const };
  return {
    opened: (block: 'none' | 'out_of_order' | 'out_of_service', from = FIRST_DAY, until = '2027-05-12') =>
      TicketOpened.from(
        {
          ...about,
          ...{ severity: 'urgent', block, blockedDays: block === 'none' ? null : { from, until } },
          ...{ openedAt: '2027-05-10T06:00:00.000Z', reportedBy: null, reservationId: null, taskId: null },
        },
        { aggregateVersion: 1 },
      ),
    closed: (needsCleaning: boolean) =>
      TicketClosed.from(
        {
          ...about,
          ...{ resolution: 'repaired', block: 'out_of_order', needsCleaning, parts: [], cost: none },
          ...{ closedAt: '2027-05-10T09:00:00.000Z', closedBy: newId('usr') },
          labour: { minutes: 5, cost: none },
        },
        { aggregateVersion: 4 },
      ),
  };
}

describe('rooms out of order', () => {
  test('R11, R26: a ticket blocks its room, and closing it returns the room dirty with work in it', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    await makeClean(inn, roomId);
    const ticket = ticketOf(inn, roomId);
    const told = await house.hear(inn.tenantId, ticket.opened('out_of_order'));
    expect(await stateOf(inn, roomId)).toBe('vacant clean out_of_order');
    expect(told[0]?.payload).toMatchObject({
      cause: 'ticket_opened',
      to: { overlay: { kind: 'out_of_order', returnCondition: 'dirty', days: { until: '2027-05-12' } } },
    });
    await house.hear(inn.tenantId, ticket.closed(true));
    expect(await stateOf(inn, roomId)).toBe('vacant dirty');
    expect(await workIn(inn, roomId)).toEqual(['deep_clean maintenance_done']);
  });

  test('R26: a repair that made no dirt returns the room as it was', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    await makeClean(inn, roomId);
    const ticket = ticketOf(inn, roomId);
    await house.hear(inn.tenantId, ticket.opened('out_of_service'), ticket.closed(false));
    expect(await stateOf(inn, roomId)).toBe('vacant clean');
    expect(await workIn(inn, roomId)).toEqual([]);
  });

  test('R26: a block begins and ends with its days', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    await makeClean(inn, roomId);
    await house.hear(inn.tenantId, ticketOf(inn, roomId).opened('out_of_order', '2027-05-11', '2027-05-12'));
    expect(await stateOf(inn, roomId)).toBe('vacant clean');
    await house.hear(inn.tenantId, inn.nextDay(FIRST_DAY));
    expect(await stateOf(inn, roomId)).toBe('vacant clean out_of_order');
    const told = await house.hear(inn.tenantId, inn.nextDay('2027-05-11'));
    expect(await stateOf(inn, roomId)).toBe('vacant dirty');
    expect(subjectsOf(told)).toEqual([RoomStatusChanged.subject, TaskCreated.subject]);
  });

  test('R11: a block waits while somebody is in the room and begins when he leaves', async () => {
    const inn = await house.inn(1);
    const [roomId = null] = inn.rooms;
    const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-11', roomId });
    await house.hear(inn.tenantId, booking.checkedIn());
    await house.hear(
      inn.tenantId,
      ticketOf(inn, roomId as RoomId).opened('out_of_order', FIRST_DAY, '2027-05-20'),
    );
    expect(await stateOf(inn, roomId as RoomId)).toBe('occupied dirty');
    await house.hear(inn.tenantId, booking.checkedOut());
    expect(await stateOf(inn, roomId as RoomId)).toBe('vacant dirty out_of_order');
  });

  test('X-088: a ticket that is heard to be closed before it is heard to be opened blocks nothing', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    await makeClean(inn, roomId);
    const ticket = ticketOf(inn, roomId);
    await house.hear(inn.tenantId, ticket.closed(false), ticket.opened('out_of_order'));
    expect(await stateOf(inn, roomId)).toBe('vacant clean');
  });
});
