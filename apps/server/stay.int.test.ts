import { idToUuid, parseId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { freePorts } from '@ghasi/testing/free-ports';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { type Body, type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import { type Running, start } from './start.ts';

let database: TestDatabase;
let running: Running;
let desk: DeskClient;
beforeAll(async () => {
  database = await testDatabase();
  const [port] = (await freePorts(1)) as [number]; // providers call back to it
  const env = {
    DATABASE_URL: database.adminUrl,
    MELM_SECRET: database.secret,
    PORT: String(port),
    MELM_LOG_LEVEL: 'silent',
  };
  running = await start(readEnvironment(env), { demo: true });
  const owner = running.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  desk = await deskClient(running.url, owner as NonNullable<typeof owner>);
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

/** Further than the stays of the demo reach: there is room. */
const FAR = 200;

/** The page of the provider where the guest of a booking pays. */
function paymentPage(reservationId: string): Promise<string> {
  return waitUntil('there is a page to pay on', async () => {
    const { payments } = await desk.send('GET', `/payments?reservationId=${reservationId}`);
    return payments[0]?.redirectUrl;
  });
}

/** What a guest does on the provider's page; his browser does not come back by itself. */
async function onThePage(page: string, choice: 'pay' | 'decline' | 'cancel'): Promise<void> {
  const body = new URLSearchParams({ action: choice });
  const reply = await fetch(page, { method: 'POST', body, redirect: 'manual' });
  expect(reply.status).toBe(303);
}

async function heldBy(rail: string): Promise<Body> {
  const draft = await desk.draft({ arrival: inDays(FAR), departure: inDays(FAR + 2) }, rail);
  return desk.send('POST', `/reservations/${draft.reservationId}/confirm`);
}

test('SAGA-14..18, SAGA-27: a booking through the API is held, gets its rooms and is confirmed as cash on arrival', async () => {
  const booking = await desk.book({ arrival: inDays(FAR), departure: inDays(FAR + 2) }, 'cash_pending');
  expect(booking).toMatchObject({
    status: 'confirmed_cash_pending',
    payment: { rail: 'cash_pending', paid: { amount: '0' }, outstanding: booking.total.gross },
  });
});

test.for(['card', 'paypal', 'mobile_money'])(
  'SAGA-17, SAGA-18: a guest who pays by %s on the page of the provider is confirmed',
  async rail => {
    const { reservationId, dueNow } = await heldBy(rail);
    await onThePage(await paymentPage(reservationId), 'pay');
    const booking = await desk.once(reservationId, 'held');
    expect(booking).toMatchObject({ status: 'confirmed', payment: { rail, paid: dueNow } });
  },
);

test('SAGA-25: a declined card cancels the hold, and the rooms are free again', async () => {
  const { reservationId } = await heldBy('card');
  await onThePage(await paymentPage(reservationId), 'decline');
  expect(await desk.once(reservationId, 'held')).toMatchObject({ status: 'cancelled' });
});

/** A room type for two that has a room on a night. */
async function typeWithRoom({ arrival, departure }: { arrival: string; departure: string }): Promise<string> {
  const { propertyId } = await desk.house();
  const { roomTypes } = await desk.send('GET', `/properties/${propertyId}/room-types`);
  const forTwo = new Set(roomTypes.filter(({ code }: Body) => code !== 'SGL').map(({ id }: Body) => id));
  return waitUntil('inventory has counted its rooms', async () => {
    const nights = `from=${arrival}&until=${departure}`;
    const left = await desk.send('GET', `/availability?propertyId=${propertyId}&${nights}`);
    return left.roomTypes.find(
      (type: Body) => forTwo.has(type.roomTypeId) && type.nights.every((night: Body) => night.available > 0),
    )?.roomTypeId;
  });
}

/** A room of a type that nobody has, clean and inspected. */
async function readyRoom(roomTypeId: string): Promise<string> {
  const { propertyId } = await desk.house();
  const free = await waitUntil('a room is free', async () => {
    const { rooms } = await desk.send('GET', `/housekeeping/rooms?propertyId=${propertyId}`);
    return rooms.find(
      (room: Body) => room.roomTypeId === roomTypeId && room.occupancy === 'vacant' && room.overlay === null,
    );
  });
  const way = { dirty: ['clean', 'inspected'], pickup: ['clean', 'inspected'], clean: ['inspected'] };
  for (const condition of way[free.condition as keyof typeof way] ?? [])
    await desk.send('POST', '/housekeeping/room-conditions', { roomIds: [free.roomId], condition });
  return free.roomId;
}

async function atRoom(roomId: string): Promise<Body> {
  const { propertyId } = await desk.house();
  const { rooms } = await desk.send('GET', `/housekeeping/rooms?propertyId=${propertyId}`);
  return rooms.find((room: Body) => room.roomId === roomId);
}

test('SAGA-35..47: a whole stay, from the card to the closed folio, across all services', async () => {
  const { propertyId } = await desk.house();
  // The night audit has not run yet: the hotel day is yesterday, the guest leaves today (R1).
  await database.admin(
    'update property.properties set opened_on = opened_on - 1, business_date = business_date - 1 where id = $1',
    [idToUuid(parseId('pro', propertyId))],
  );
  const { businessDate } = await desk.send('GET', `/properties/${propertyId}`);
  const stay = { arrival: businessDate, departure: addDays(businessDate, 1) };
  const roomTypeId = await typeWithRoom(stay);
  const draft = await desk.draft(stay, 'card', roomTypeId);
  const id = draft.reservationId;
  await desk.send('POST', `/reservations/${id}/confirm`);
  await onThePage(await paymentPage(id), 'pay');
  const booking = await desk.once(id, 'held');
  expect(booking.status).toBe('confirmed');

  const roomId = await readyRoom(roomTypeId);
  const [{ bookedRoomId }] = booking.rooms;
  await desk.send('POST', `/reservations/${id}/rooms`, {
    fromNight: stay.arrival,
    rooms: [{ bookedRoomId, roomId }],
  });
  await desk.send('POST', `/reservations/${id}/check-in`);
  const inHouse = await desk.once(id, 'confirmed');
  expect(inHouse).toMatchObject({ status: 'checked_in', missing: [] });
  const { keys } = await desk.send('GET', `/key-credentials?reservationId=${id}`);
  expect(keys).toMatchObject([{ roomId }]);
  await waitUntil('the room is occupied', async () => (await atRoom(roomId)).occupancy === 'occupied');

  await desk.send('POST', `/reservations/${id}/check-out`);
  const gone = await desk.once(id, 'checked_in');
  expect(gone.status).toBe('checked_out');
  const { folios } = await desk.send('GET', `/folios?reservationId=${id}`);
  expect(folios).toMatchObject([
    { status: 'closed', balance: { amount: '0' }, charges: booking.total.gross },
  ]);
  await waitUntil('the key is dead', async () => {
    const after = await desk.send('GET', `/key-credentials?reservationId=${id}`);
    return after.keys.every(({ status }: Body) => status === 'revoked');
  });
  await waitUntil('the room is dirty and empty', async () => {
    const room = await atRoom(roomId);
    return room.occupancy === 'vacant' && room.condition === 'dirty';
  });
  await waitUntil('the guest has been written to', async () => {
    const { messages } = await desk.send('GET', `/messages?reservationId=${id}`);
    const written = new Set(
      messages.filter(({ dispatchedAt }: Body) => dispatchedAt).map(({ template }: Body) => template),
    );
    return ['booking_confirmed', 'welcome', 'receipt'].every(template => written.has(template));
  });
});
