import { randomUUID } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import type { TestDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { SessionIssued, UserCreated } from '@melmastoon/iam-service/events';
import { RoleGranted, TenantCreated } from '@melmastoon/tenant-service/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoAccount } from './demo.ts';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import type { Running } from './start.ts';

let database: TestDatabase;
let running: Running;

beforeAll(async () => {
  database = await demoDatabase('untold'); // filled by a server without a relay
  running = await serveDemo(database);
});
afterAll(async () => {
  await running?.close();
  await database.drop();
});

/** What consumers can read, in the order they read it. */
async function arrived({ subject }: { subject: string }) {
  const rows = await database.admin<{ envelope: EventEnvelope<never> }>(
    'select envelope from brokers.log where topic = $1 order by off',
    [subject],
  );
  return rows.map(({ envelope }) => envelope);
}

const nothingWaits = async () => {
  const [left] = await database.admin<{ n: number }>(
    'select (select count(*) from tenant.outbox)::int + (select count(*) from iam.outbox)::int as n',
  );
  return left?.n === 0;
};

async function post(path: string, body: object, headers: Record<string, string>) {
  const reply = await fetch(`${running.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Record<string, string>;
}

const enter = async ({ slug, email, password }: DemoAccount) =>
  post('/auth/sign-in', { email, password }, { 'x-tenant-slug': slug });

const one = (role: string) => running.demo.find(account => account.role === role) as DemoAccount;

test('EVT-01, EVT-07, EVT-09: the demo, seeded before any relay ran and once more since, is told once', async () => {
  await waitUntil('the outboxes are empty', nothingWaits);
  const hotels = await arrived(TenantCreated);
  expect(hotels.map(({ payload: { slug } }) => slug)).toEqual(['bala-hissar', 'gazargah', 'silk-valley']);
  expect(await arrived(RoleGranted)).toHaveLength(running.demo.length);
  expect(await arrived(UserCreated)).toHaveLength(running.demo.length);
});

test('EVT-02: a sign-in arrives in the log, of a hotel as of the platform; a refused one does not', async () => {
  const [owner, admin] = [one('owner'), one('platform_admin')];
  const refused = await enter({ ...owner, password: 'wrong' });
  expect(refused.code).toBe('SIGN_IN_REFUSED');
  const sessions = [await enter(owner), await enter(admin)];
  const issued = await waitUntil('both sessions arrived', async () => {
    const found = await arrived(SessionIssued);
    return found.length >= 2 ? found : undefined;
  });
  expect(issued.map(({ payload: { sessionId } }) => sessionId)).toEqual(
    sessions.map(({ sessionId }) => sessionId),
  );
  const [hotel] = await arrived(TenantCreated);
  expect(issued.map(({ tenantId }) => tenantId)).toEqual([hotel?.tenantId, 'platform']);
});

test('EVT-07: a tenant that the platform opens over HTTP arrives in the log once, however often it asks', async () => {
  const { accessToken } = await enter(one('platform_admin'));
  const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': randomUUID() };
  const slug = 'band-e-amir';
  const wanted = { name: 'Band-e Amir', slug, ownerId: newId('usr'), rooms: 8, region: 'me-central1' };
  const [first, again] = [
    await post('/platform/tenants', wanted, headers),
    await post('/platform/tenants', wanted, headers),
  ];
  expect(again).toEqual(first);
  await waitUntil('the outboxes are empty', nothingWaits);
  const created = (await arrived(TenantCreated)).filter(({ tenantId }) => tenantId === first.tenantId);
  expect(created).toMatchObject([{ payload: { ...wanted, planClass: 'small' } }]);
});
