import { isId, newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignedToAnswer, assignRoomAnswer, availabilityAnswer, roomUseAnswer } from './answers.ts';
import { StopSellActivated, StopSellCleared } from './contract.ts';
import { type Caller, type House, type Inn, openHouse, service } from './fixtures/house.ts';

let house: House;
let inn: Inn;
let manager: Caller;
let desk: Caller;
beforeAll(async () => {
  house = await openHouse();
  inn = await house.inn(2, { zone: 'Asia/Kabul' });
  manager = { tenantId: inn.tenantId, roles: ['manager'] };
  desk = { tenantId: inn.tenantId, roles: ['front_desk'] };
});
afterAll(() => house.close());

type Body = Record<string, unknown>;
const get = (path: string, who = desk) => house.send(who, 'GET', path);
const of = (from: string, until: string) => `propertyId=${inn.propertyId}&from=${from}&until=${until}`;

test('what is left of each type on each night', async () => {
  const { status, body } = await get(`/availability?${of('2027-07-01', '2027-07-03')}`);
  expect(status).toBe(200);
  const night = { rooms: 2, overbookLimit: 0, sold: 0, available: 2, short: 0, stopSell: false };
  expect(body).toMatchObject({
    roomTypes: [{ roomTypeId: inn.roomTypeId, nights: [{ date: '2027-07-01', ...night }, night] }],
  });
});

test('EVT-32, EVT-33: a stop-sell is told once, sells nothing while it lasts, and is lifted once', async () => {
  const body = {
    roomTypeId: inn.roomTypeId,
    nights: { from: '2027-07-10', until: '2027-07-12' },
    reason: 'renovation',
  };
  const key = crypto.randomUUID();
  const made = await house.send(manager, 'POST', '/stop-sells', body, { 'idempotency-key': key });
  expect(made).toMatchObject({ status: 201, body: { ending: null, nights: body.nights } });
  expect(await house.send(manager, 'POST', '/stop-sells', body, { 'idempotency-key': key })).toEqual(made);
  const [told] = await house.hear(inn.tenantId, inn.book('2027-07-09', '2027-07-11').held());
  expect(told?.payload).toMatchObject({ reason: 'stop_sell', shortfall: [{ date: '2027-07-10' }] });
  const listed = await get(`/stop-sells?${of('2027-07-11', '2027-07-20')}`);
  expect(listed.body).toMatchObject({ stopSells: [made.body] });
  const { id } = made.body as unknown as { id: string };
  for (const _ of [1, 2])
    expect(await house.send(manager, 'POST', `/stop-sells/${id}/clear`)).toMatchObject({
      status: 200,
      body: { ending: 'operator' },
    });
  const topics = (await house.published(inn.tenantId)).map(({ topic }) => topic);
  expect(topics.filter(topic => topic.includes('stop_sell'))).toEqual([
    StopSellActivated.subject,
    StopSellCleared.subject,
  ]);
  expect((await house.nights(inn, '2027-07-10', '2027-07-12')).some(night => night.stop_sell)).toBe(false);
});

test('R11: blocking a sold room is 409 and lists the reservations; a free one is blocked and comes back', async () => {
  const [roomId] = inn.rooms;
  const booking = inn.book('2027-07-20', '2027-07-22', { roomId: roomId ?? null });
  await house.hear(inn.tenantId, booking.held());
  const nights = { from: '2027-07-21', until: '2027-07-24' };
  const body = { roomId, kind: 'out_of_order', nights, reason: 'paint' };
  const refused = await house.send(desk, 'POST', '/room-blocks', body);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'ROOM_IN_USE', issues: [{ path: booking.reservationId }] },
  });
  const free = { ...body, nights: { from: '2027-07-22', until: '2027-07-24' } };
  const made = await house.send(desk, 'POST', '/room-blocks', free);
  expect(made).toMatchObject({ status: 201, body: { status: 'active', ticketId: null } });
  expect((await get(`/room-blocks?${of('2027-07-01', '2027-07-30')}`)).body).toEqual({ blocks: [made.body] });
  const { id } = made.body as unknown as { id: string };
  expect(isId('rbl', id)).toBe(true);
  expect(await house.send(desk, 'POST', `/room-blocks/${id}/end`)).toMatchObject({
    status: 200,
    body: { status: 'ended' },
  });
});

test('a booked room is assigned, shown on the chart, and taken out again', async () => {
  const [roomId, other] = inn.rooms;
  const booking = inn.book('2027-08-01', '2027-08-04');
  await house.hear(inn.tenantId, booking.held());
  const path = `/room-assignments/${booking.bookedRoomId}`;
  expect(await house.send(desk, 'PUT', path, { roomId })).toMatchObject({ status: 200 });
  const moved = await house.send(desk, 'PUT', path, { roomId: other, fromNight: '2027-08-03' });
  expect(moved.body).toMatchObject({
    rooms: [
      { roomId, from: '2027-08-01', until: '2027-08-03' },
      { roomId: other, from: '2027-08-03', until: '2027-08-04' },
    ],
  });
  const { body } = await get(`/room-assignments?${of('2027-08-01', '2027-08-05')}`);
  expect(body).toMatchObject({ uses: [{ number: '101', kind: 'stay' }, { number: '102' }] });
  expect(await house.send(desk, 'DELETE', path)).toMatchObject({ status: 200, body: { rooms: [] } });
  expect(await get(`/move-list?propertyId=${inn.propertyId}`)).toMatchObject({
    status: 200,
    body: { moves: [] },
  });
});

test('a stranger gets nothing of another tenant: the same as for an id that does not exist', async () => {
  const stranger = { tenantId: (await house.inn(1)).tenantId, roles: ['owner'] };
  const [roomId] = inn.rooms;
  const nights = { from: '2027-07-22', until: '2027-07-24' };
  expect((await get(`/availability?${of('2027-07-01', '2027-07-03')}`, stranger)).body).toEqual({
    roomTypes: [],
  });
  for (const id of [roomId, newId('rom')]) {
    const body = { roomId: id, kind: 'out_of_service', nights };
    expect(await house.send(stranger, 'POST', '/room-blocks', body)).toMatchObject({ status: 404 });
  }
  const limit = await house.send(stranger, 'PUT', `/overbooking-limits/${inn.roomTypeId}`, { limit: 1 });
  expect(limit).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

describe('questions', () => {
  const ask = <T>(answer: { handle: (ctx: never, input: unknown) => Promise<unknown> }, input: object) =>
    answer.handle(house.answering as never, { tenantId: inn.tenantId, ...input }) as Promise<T>;

  test('R9: inventory.availability is the least of all nights, and none where a night is not counted', async () => {
    await house.hear(inn.tenantId, inn.book('2027-09-02', '2027-09-03').held());
    const sellable = async (arrival: string, departure: string) =>
      (
        await ask<{ roomTypes: { sellable: number }[] }>(availabilityAnswer, {
          propertyId: inn.propertyId,
          stay: { arrival, departure },
        })
      ).roomTypes.map(type => type.sellable);
    expect(await sellable('2027-09-01', '2027-09-02')).toEqual([2]);
    expect(await sellable('2027-09-01', '2027-09-05')).toEqual([1]);
    expect(await sellable('2027-09-01', '2029-09-05')).toEqual([0]);
    expect(await sellable('2039-09-01', '2039-09-05')).toEqual([]);
  });

  test('R11: inventory.room-use and assigned-to name who has a room; inventory.assign-room answers what it refuses', async () => {
    const roomId = inn.rooms[0] ?? null;
    const [one, two] = [inn.book('2027-10-01', '2027-10-03'), inn.book('2027-10-02', '2027-10-04')];
    for (const booking of [one, two]) await house.hear(inn.tenantId, booking.held());
    const assign = ({ bookedRoomId }: typeof one) =>
      ask(assignRoomAnswer, { bookedRoomId, roomId, fromNight: null });
    expect(await assign(one)).toEqual({ assigned: true });
    expect(await assign(one)).toEqual({ assigned: true });
    expect(await assign(two)).toEqual({ assigned: false, code: 'ROOM_TAKEN' });
    expect(await ask(roomUseAnswer, { roomId, from: '2027-10-01', until: '2027-10-09' })).toMatchObject({
      stays: [{ reservationId: one.reservationId, from: '2027-10-01', until: '2027-10-03' }],
    });
    const closing = { roomId, propertyId: inn.propertyId, closedFrom: '2027-10-02' };
    expect(await ask(assignedToAnswer, closing)).toEqual({ reservationIds: [one.reservationId] });
    expect(await ask(assignedToAnswer, { ...closing, closedFrom: '2027-10-03' })).toEqual({
      reservationIds: [],
    });
  });
});

const good: Record<string, () => { path: string; body: Body }> = {
  'POST /api/v1/stop-sells': () => ({
    path: '/stop-sells',
    body: {
      roomTypeId: inn.roomTypeId,
      nights: { from: '2027-12-01', until: '2027-12-02' },
      reason: 'owner_use',
    },
  }),
  'PUT /api/v1/overbooking-limits/:roomTypeId': () => ({
    path: `/overbooking-limits/${inn.roomTypeId}`,
    body: { limit: 0, nights: { from: '2027-12-01', until: '2027-12-02' } },
  }),
  'PUT /api/v1/room-assignments/:bookedRoomId': () => ({
    path: `/room-assignments/${newId('brm')}`,
    body: { roomId: inn.rooms[0], fromNight: '2027-12-01' },
  }),
  'POST /api/v1/room-blocks': () => ({
    path: '/room-blocks',
    body: {
      roomId: inn.rooms[0],
      kind: 'out_of_service',
      nights: { from: '2027-12-01', until: '2027-12-02' },
      reason: 'paint',
    },
  }),
  'POST /api/v1/calendar-feeds': () => ({
    path: '/calendar-feeds',
    body: { roomId: inn.rooms[0], name: 'Portal', url: 'https://portal.example/a.ics', ignored: ['CLOSED*'] },
  }),
  'PATCH /api/v1/calendar-feeds/:feedId': () => ({
    path: `/calendar-feeds/${newId('cfd')}`,
    body: { name: 'Portal', url: null, ignored: [], paused: true },
  }),
  'POST /api/v1/calendar-feeds/:feedId/upload': () => ({
    path: `/calendar-feeds/${newId('cfd')}/upload`,
    body: { calendar: 'BEGIN:VCALENDAR' },
  }),
  'POST /api/v1/published-calendars': () => ({
    path: '/published-calendars',
    body: { roomTypeId: inn.roomTypeId, exceptFeedId: newId('cfd') },
  }),
};
const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    1.5,
    1e21,
    2 ** 31,
    '',
    'x'.repeat(5000),
    [],
    {},
    '2027-02-30',
    '9999-12-31',
  ),
  fc.constantFrom<unknown>(
    { from: '0001-01-01', until: '9999-12-31' },
    "'; drop table x; --",
    'a\u0000b',
    '\ud800',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 400, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), odd, fc.boolean(), async (at, value, isNew) => {
        const { path, body } = (good[name] as (typeof good)[string])();
        const keys = [...Object.keys(body), 'tenantId'];
        const key = isNew ? 'status' : (keys[at % keys.length] as string);
        const spoilt = JSON.parse(JSON.stringify({ ...body, [key]: value }));
        const { status } = await house.send(manager, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (route.body?.safeParse(spoilt).success === false) expect(status).toBe(400);
      }),
      { numRuns: 30 },
    );
  },
);

test.each([
  '/availability',
  '/availability?propertyId=pro_x&from=2027-01-01&until=2027-01-02',
  `/availability?propertyId=${newId('pro')}&from=2027-01-02&until=2027-01-02`,
  `/availability?propertyId=${newId('pro')}&from=0001-01-01&until=9999-12-31`,
  `/availability?propertyId=${newId('pro')}&from=2027-02-30&until=2027-03-02`,
  `/room-assignments?propertyId=${newId('pro')}&from=2027-02-01&until=2027-03-02&more=1`,
])('a query such as %s is refused', async path => {
  expect(await get(path)).toMatchObject({ status: 400 });
});

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1', '')}: ${row.roles.join(' ')}`,
  );
  const all = 'accountant auditor front_desk housekeeping maintenance manager owner';
  const staff = 'auditor front_desk housekeeping maintenance manager owner';
  expect(table).toEqual([
    `GET /availability: ${all}`,
    'GET /calendar-feeds: auditor front_desk manager owner',
    'POST /calendar-feeds: manager owner',
    'DELETE /calendar-feeds/:feedId: manager owner',
    'PATCH /calendar-feeds/:feedId: manager owner',
    'POST /calendar-feeds/:feedId/import: front_desk manager owner',
    'POST /calendar-feeds/:feedId/upload: front_desk manager owner',
    'GET /move-list: front_desk manager owner',
    'PUT /overbooking-limits/:roomTypeId: manager owner',
    'GET /published-calendars: manager owner',
    'POST /published-calendars: manager owner',
    'DELETE /published-calendars/:calendarId: manager owner',
    'GET /published-calendars/:token/busy.ics: *',
    `GET /room-assignments: ${staff}`,
    'DELETE /room-assignments/:bookedRoomId: front_desk manager owner',
    'PUT /room-assignments/:bookedRoomId: front_desk manager owner',
    `GET /room-blocks: ${staff}`,
    'POST /room-blocks: front_desk maintenance manager owner',
    'POST /room-blocks/:blockId/end: front_desk maintenance manager owner',
    `GET /stop-sells: ${all}`,
    'POST /stop-sells: manager owner',
    'POST /stop-sells/:stopSellId/clear: manager owner',
  ]);
});
