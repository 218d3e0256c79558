import type { TestDatabase } from '@ghasi/testing/database';
import { freePorts } from '@ghasi/testing/free-ports';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import { type Body, type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import { atRoom, lastNight, onThePage, paymentPage, readyRoom, typeWithRoom } from './fixtures/stay.ts';
import type { Running } from './start.ts';

let database: TestDatabase;
let running: Running;
let desk: DeskClient;
beforeAll(async () => {
  database = await demoDatabase();
  const [port] = (await freePorts(1)) as [number]; // providers call back to it
  running = await serveDemo(database, { PORT: String(port) });
  const owner = running.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  desk = await deskClient(running.url, owner as NonNullable<typeof owner>);
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

/** Further than the stays of the demo reach: there is room. */
const FAR = 200;

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
    await onThePage(await paymentPage(desk, reservationId), 'pay');
    const booking = await desk.once(reservationId, 'held');
    expect(booking).toMatchObject({ status: 'confirmed', payment: { rail, paid: dueNow } });
  },
);

test('SAGA-25: a declined card cancels the hold, and the rooms are free again', async () => {
  const { reservationId } = await heldBy('card');
  await onThePage(await paymentPage(desk, reservationId), 'decline');
  expect(await desk.once(reservationId, 'held')).toMatchObject({ status: 'cancelled' });
});

test('SAGA-35..47, ORD-03: a whole stay, from the card to the closed folio, across all services', async () => {
  const stay = await lastNight(desk, database);
  const roomTypeId = await typeWithRoom(desk, stay);
  const draft = await desk.draft(stay, 'card', roomTypeId);
  const id = draft.reservationId;
  await desk.send('POST', `/reservations/${id}/confirm`);
  await onThePage(await paymentPage(desk, id), 'pay');
  const booking = await desk.once(id, 'held');
  expect(booking.status).toBe('confirmed');

  const roomId = await readyRoom(desk, roomTypeId);
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
  await waitUntil('the room is occupied', async () => (await atRoom(desk, roomId)).occupancy === 'occupied');

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
    const room = await atRoom(desk, roomId);
    return room.occupancy === 'vacant' && room.condition === 'dirty';
  });
  await waitUntil('the guest has been written to', async () => {
    const { messages } = await desk.send('GET', `/messages?reservationId=${id}`);
    const written = new Set(
      messages.filter(({ dispatchedAt }: Body) => dispatchedAt).map(({ template }: Body) => template),
    );
    return ['booking_confirmed', 'welcome', 'receipt'].every(template => written.has(template));
  });

  const lifecycle = ['held', 'confirmed', 'checked_in', 'checked_out'];
  const said = await database.admin<{ verb: string }>(
    `select split_part(topic, '.', 4) as verb from brokers.log
     where topic like 'melmastoon.reservation.booking.%' and ordering_key like '%:' || $1 order by off`,
    [id],
  );
  expect(said.map(({ verb }) => verb).filter(verb => lifecycle.includes(verb))).toEqual(lifecycle);
  for (const schema of ['inventory', 'billing', 'lock_integration']) {
    const heard = await database.admin<{ version: number }>(
      `select aggregate_version::int as version from ${schema}.inbox
       where ordering_key like '%:' || $1 and event_type like 'melmastoon.reservation.booking.%'
       order by processed_at, aggregate_version`,
      [id],
    );
    const versions = heard.map(({ version }) => version);
    expect({ schema, versions }).toEqual({ schema, versions: versions.toSorted((a, b) => a - b) });
    expect(versions.length).toBeGreaterThan(2);
  }
});
