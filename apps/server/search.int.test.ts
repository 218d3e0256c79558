import type { TestDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import { type Body, type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import type { Running } from './start.ts';

let database: TestDatabase;
let running: Running;
let desk: DeskClient;
beforeAll(async () => {
  database = await demoDatabase();
  running = await serveDemo(database);
  const owner = running.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  desk = await deskClient(running.url, owner as NonNullable<typeof owner>);
});
afterAll(async () => {
  await running?.close();
  await database.drop();
});

/** Further than the stays of the demo reach: there is room. */
const stay = { arrival: inDays(200), departure: inDays(202) };
const look = (more: Record<string, string> = {}) =>
  desk.send('GET', `/search?${new URLSearchParams({ ...stay, guests: '2', ...more })}`);
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
  const quoted = await desk.send('POST', '/quotes', { propertyId, stay, rooms });
  expect(quoted.quote.total.gross).toEqual(offer.total);
});

test('SAGA-23: a booking through the API is seen in the search', async () => {
  const before = await ours();
  const { propertyId, offer } = before;
  const rooms = [{ roomTypeId: offer.roomTypeId, ratePlanId: offer.ratePlanId, adults: 2, children: 0 }];
  const { quote } = await desk.send('POST', '/quotes', { propertyId, stay, rooms });
  const draft = await desk.send('POST', '/reservations', {
    ...{ quoteId: quote.quoteId, rail: quote.rails[0].rail, channel: 'phone' },
    guest: { name: 'Mirwais Stanekzai', phone: '+93790000001', locale: 'ps' },
  });
  await desk.send('POST', `/reservations/${draft.reservationId}/confirm`);
  const after = await waitUntil(
    'the search shows one room less',
    async () => {
      const now = await ours();
      const isLess = now.offer.roomTypeId !== offer.roomTypeId || now.offer.free === offer.free - 1;
      return isLess ? now : undefined;
    },
    { timeoutMs: 30_000 },
  );
  expect(Date.parse(after.freshness.asOf)).toBeGreaterThan(0);
});

test('hotel rule 3.8: what was done so far is in the chain of the hotel, and the chain is intact', async () => {
  const entries = await waitUntil(
    'the booking is recorded',
    async () => {
      const { entries } = await desk.send('GET', '/audit/entries?action=reservation.booking');
      return entries.length > 0 ? entries : undefined;
    },
    { timeoutMs: 30_000 },
  );
  expect(entries[0]).toMatchObject({ about: { type: 'booking' } });
  const { id } = await desk.send('POST', '/audit/verifications', {});
  const done = await waitUntil(
    'the chain was looked through',
    async () => {
      const now = await desk.send('GET', `/audit/verifications/${id}`);
      return ['intact', 'broken'].includes(now.status) ? now : undefined;
    },
    { timeoutMs: 60_000 },
  );
  expect(done).toMatchObject({ status: 'intact', findings: [] });
  expect(done.lastPosition).toBeGreaterThan(10);
});
