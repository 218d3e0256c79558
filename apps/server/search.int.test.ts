import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { type Running, start } from './start.ts';

let database: TestDatabase;
let running: Running;
let token: string | undefined;
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
  token = (await send('POST', '/auth/sign-in', { email: owner?.email, password: owner?.password })).accessToken;
});
afterAll(async () => {
  await running?.close();
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

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const stay = { arrival: inDays(33), departure: inDays(35) };
const look = (more: Record<string, string> = {}) =>
  send('GET', `/search?${new URLSearchParams({ ...stay, guests: '2', ...more })}`);
const ours = async (more?: Record<string, string>) =>
  (await look(more)).listings.find(({ tenantSlug }: Body) => tenantSlug === 'bala-hissar');

test('the houses of the demo are found by everybody, in every language, with a price that a quote repeats', async () => {
  await waitUntil('all three houses are listed', async () => (await look()).listings.length >= 3, {
    timeoutMs: 60_000,
  });
  const found = await ours({ city: 'کابل' });
  expect(found.offer).toMatchObject({ board: expect.any(String), free: expect.any(Number) });
  const { propertyId, offer } = found;
  const rooms = [{ roomTypeId: offer.roomTypeId, ratePlanId: offer.ratePlanId, adults: 2, children: 0 }];
  const quoted = await send('POST', '/quotes', { propertyId, stay, rooms });
  expect(quoted.quote.total.gross).toEqual(offer.total);
});

test('SAGA-23: a booking through the API is seen in the search', async () => {
  const before = await ours();
  const { propertyId, offer } = before;
  const rooms = [{ roomTypeId: offer.roomTypeId, ratePlanId: offer.ratePlanId, adults: 2, children: 0 }];
  const { quote } = await send('POST', '/quotes', { propertyId, stay, rooms });
  const draft = await send('POST', '/reservations', {
    ...{ quoteId: quote.quoteId, rail: quote.rails[0].rail, channel: 'phone' },
    guest: { name: 'Mirwais Stanekzai', phone: '+93790000001', locale: 'ps' },
  });
  await send('POST', `/reservations/${draft.reservationId}/confirm`);
  const after = await waitUntil('the search shows one room less', async () => {
    const now = await ours();
    const isLess = now.offer.roomTypeId !== offer.roomTypeId || now.offer.free === offer.free - 1;
    return isLess ? now : undefined;
  }, { timeoutMs: 30_000 });
  expect(Date.parse(after.freshness.asOf)).toBeGreaterThan(0);
});

test('hotel rule 3.8: what was done so far is in the chain of the hotel, and the chain is intact', async () => {
  const entries = await waitUntil('the booking is recorded', async () => {
    const { entries } = await send('GET', '/audit/entries?action=reservation.booking');
    return entries.length > 0 ? entries : undefined;
  }, { timeoutMs: 30_000 });
  expect(entries[0]).toMatchObject({ about: { type: 'booking' } });
  const { id } = await send('POST', '/audit/verifications', {});
  const done = await waitUntil('the chain was looked through', async () => {
    const now = await send('GET', `/audit/verifications/${id}`);
    return ['intact', 'broken'].includes(now.status) ? now : undefined;
  }, { timeoutMs: 60_000 });
  expect(done).toMatchObject({ status: 'intact', findings: [] });
  expect(done.lastPosition).toBeGreaterThan(10);
});
