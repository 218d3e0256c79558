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
  const draft = await desk.draft({ arrival: inDays(10), departure: inDays(12) }, rail);
  return desk.send('POST', `/reservations/${draft.reservationId}/confirm`);
}

test('SAGA-14..18, SAGA-27: a booking through the API is held, gets its rooms and is confirmed as cash on arrival', async () => {
  const booking = await desk.book({ arrival: inDays(10), departure: inDays(12) }, 'cash_pending');
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
