import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { type Running, start } from './start.ts';

let database: TestDatabase;
let running: Running;
let token: string;
beforeAll(async () => {
  database = await testDatabase();
  const env = {
    DATABASE_URL: database.adminUrl,
    MELM_SECRET: database.secret,
    PORT: '0',
    MELM_LOG_LEVEL: 'silent',
  };
  running = await start(readEnvironment(env), { demo: true });
  const owner = running.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  const { accessToken } = await send('POST', '/auth/sign-in', {
    email: owner?.email,
    password: owner?.password,
  });
  token = accessToken;
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

// biome-ignore lint/suspicious/noExplicitAny: replies of many routes, read as a client of another language would
type Body = any;

async function send(method: string, path: string, body?: unknown): Promise<Body> {
  const reply = await fetch(`${running.url}/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'x-tenant-slug': 'bala-hissar',
      'idempotency-key': randomUUID(),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** A quote for two nights in a double room of the demo house in Kabul. */
async function quoteFor(arrival: string, departure: string) {
  const { properties } = await send('GET', '/properties');
  const propertyId = properties[0].id;
  const { roomTypes } = await send('GET', `/properties/${propertyId}/room-types`);
  const { ratePlans } = await send('GET', `/rate-plans?propertyId=${propertyId}`);
  const double = roomTypes.find(({ code }: Body) => code === 'DBL');
  const room = { roomTypeId: double.id, ratePlanId: ratePlans[0].id };
  const stay = { arrival, departure };
  const outcome = await send('POST', '/quotes', {
    ...{ propertyId, stay, rooms: [{ ...room, adults: 2, children: 0 }] },
  });
  expect(outcome).toMatchObject({ kind: 'quoted' });
  return outcome.quote;
}

test('SAGA-14..18, SAGA-27: a booking through the API is held, gets its rooms and is confirmed as cash on arrival', async () => {
  const quote = await quoteFor(inDays(10), inDays(12));
  const draft = await send('POST', '/reservations', {
    quoteId: quote.quoteId,
    rail: 'cash_pending',
    channel: 'phone',
    guest: { name: 'Mirwais Stanekzai', phone: '+93790000001', locale: 'ps' },
  });
  expect(draft).toMatchObject({ status: 'draft', total: quote.total });
  expect((await send('POST', `/reservations/${draft.reservationId}/confirm`)).status).toBe('held');
  const confirmed = await waitUntil('the booking is confirmed', async () => {
    const now = await send('GET', `/reservations/${draft.reservationId}`);
    return now.status === 'held' ? undefined : now;
  });
  expect(confirmed).toMatchObject({
    status: 'confirmed_cash_pending',
    payment: { rail: 'cash_pending', paid: { amount: '0' }, outstanding: quote.total.gross },
  });
});
