import { AppError } from '@ghasi/domain-primitives/errors';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { failAt, holdAt } from '@ghasi/testing/failpoints';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookOpenly, deskMigrations, deskRoutes } from './fixtures/desk.ts';
import { deskClient, newKey, sampleBooking } from './fixtures/desk-client.ts';
import { holdFirstAt } from './fixtures/hold-first.ts';
import { testHost } from './fixtures/test-host.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [deskMigrations] });
});
afterAll(() => database.drop());

const deskHost = (options: Parameters<typeof testHost>[1] = {}) =>
  testHost(deskRoutes, { db: database.open('desk'), ...options });
const codeOf = (body: string) => (JSON.parse(body) as { code: string }).code;
const rowOf = async (key: string) =>
  (await database.admin('select * from desk.idempotency where key = $1', [key]))[0] as Record<
    string,
    unknown
  >;
const expireLease = (key: string) =>
  database.admin(`update desk.idempotency set locked_until = now() - interval '1 s' where key = $1`, [key]);

test('IDEM-02, X-103: a repeated request gets the first status, headers and bytes, and no second effect', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const first = await client.book(key);
  const again = await client.book(key);
  expect(first).toMatchObject({
    status: 201,
    replayed: false,
    location: expect.stringContaining('/v1/bookings/'),
  });
  expect(again).toEqual({ ...first, replayed: true });
  expect(await client.count()).toBe(1);
});

test('IDEM-02: the answer survives a restart', async () => {
  const tenantId = newTenantId();
  const key = newKey();
  const before = await deskHost();
  const first = await deskClient(before, tenantId).book(key);
  await before.close();
  const after = await deskHost();
  expect(await deskClient(after, tenantId).book(key)).toEqual({ ...first, replayed: true });
});

test('IDEM-03, VAL-17: while the first still runs, a duplicate is 409 and then gets its answer', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const held = holdAt('http.claimed');
  const first = client.book(key);
  await held.reached;
  const duplicate = await client.book(key);
  expect([duplicate.status, codeOf(duplicate.body)]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  held.release();
  expect((await first).status).toBe(201);
  expect(await client.book(key)).toEqual({ ...(await first), replayed: true });
});

test('IDEM-05, X-102, safety-13: the same key with another body or query is 422, however the keys are ordered', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const first = await client.book(key);
  for (const other of [
    await client.book(key, { ...sampleBooking, nights: 4 }),
    await client.book(key, sampleBooking, { url: '/v1/bookings?channel=web' }),
  ]) {
    expect([other.status, codeOf(other.body)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  }
  const reordered = await client.book(key, { nights: 3, guest: 'Zarghuna' });
  expect(reordered).toEqual({ ...first, replayed: true });
  expect(await client.count()).toBe(1);
});

test('IDEM-09, X-099, safety-13: the same key of another tenant, principal or operation is a key of its own', async () => {
  const host = await deskHost();
  const [tenantId, other] = [newTenantId(), newTenantId()];
  const key = newKey();
  const mine = deskClient(host, tenantId);
  const colleague = deskClient(host, tenantId, 'usr_other');
  const stranger = deskClient(host, other);
  const held = holdAt('http.before-complete');
  const first = mine.book(key);
  await held.reached;
  const others = [
    colleague.book(key, { guest: 'B', nights: 1 }),
    stranger.book(key, { guest: 'C', nights: 2 }),
  ];
  held.release();
  const replies = await Promise.all([first, ...others]);
  expect(replies.map(reply => [reply.status, reply.replayed])).toEqual(Array(3).fill([201, false]));
  const id = (JSON.parse(replies[0]?.body ?? '') as { id: string }).id;
  const renamed = await mine.send(
    'PUT',
    `/v1/bookings/${id}/guest`,
    { guest: 'D' },
    { 'idempotency-key': key },
  );
  expect(renamed.status).toBe(204);
});

test('safety-13: a revoked or demoted user gets 401 or 403 for his own key, not the stored body', async () => {
  const host = await deskHost();
  const tenantId = newTenantId();
  const client = deskClient(host, tenantId);
  const key = newKey();
  await client.book(key);
  const demoted = host.door.signIn({ tenantId, id: 'usr_clerk', roles: [] });
  const replay = (token: string) =>
    client.send('POST', '/v1/bookings', sampleBooking, {
      'idempotency-key': key,
      authorization: `Bearer ${token}`,
    });
  expect((await replay(demoted)).status).toBe(403);
  host.door.revoke(client.token);
  const revoked = await client.book(key);
  expect(revoked.status).toBe(401);
  expect(revoked.body).not.toContain('Zarghuna');
});

test('safety-13: a missing, long or twofold key is 400 and nothing is written', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const post = (headers: Record<string, string>) =>
    client.send('POST', '/v1/bookings', sampleBooking, headers);
  expect(codeOf((await post({})).body)).toBe('IDEMPOTENCY_KEY_MISSING');
  expect(codeOf((await post({ 'idempotency-key': 'x'.repeat(256) })).body)).toBe('IDEMPOTENCY_KEY_INVALID');
  const twofold = ['k1', 'k2'] as unknown as string;
  expect(codeOf((await post({ 'idempotency-key': twofold })).body)).toBe('IDEMPOTENCY_KEY_INVALID');
  expect(await client.count()).toBe(0);
});

test('X-103: a refusal of the rules is kept and replayed, its effect rolled back', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const first = await client.book(key, { guest: 'A', nights: 31 });
  expect([first.status, codeOf(first.body)]).toEqual([409, 'FULLY_BOOKED']);
  expect(await client.book(key, { guest: 'A', nights: 31 })).toEqual({ ...first, replayed: true });
  expect(await client.count()).toBe(0);
});

test('IDEM-04: a failure on our side frees the key, and the retry is a new request', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  failAt('http.completed');
  const failed = await client.book(key);
  expect([failed.status, codeOf(failed.body)]).toEqual([500, 'INTERNAL']);
  expect(await rowOf(key)).toMatchObject({
    state: 'FAILED',
    locked_until: null,
    status_code: null,
    body: null,
  });
  expect(await client.count()).toBe(0);
  failAt('http.completed', new AppError({ code: 'X', qualifiedCode: 'M.X.X', status: 429, text: 'later' }));
  expect((await client.book(key)).status).toBe(429);
  expect(await rowOf(key)).toMatchObject({ state: 'FAILED' });
  disarmFailpoints();
  expect((await client.book(key, { ...sampleBooking, nights: 4 })).status).toBe(422);
  expect(await client.book(key)).toMatchObject({ status: 201, replayed: false });
  expect(await client.count()).toBe(1);
});

test('X-101, IDEM-12: after its lease a key can be taken over, and the zombie cannot commit its effect', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const held = holdFirstAt('http.before-complete');
  const zombie = client.book(key);
  await held.reached;
  expect((await client.book(key)).status).toBe(409);
  await expireLease(key);
  const winner = await client.book(key);
  expect(winner).toMatchObject({ status: 201, replayed: false });
  held.release();
  const late = await zombie;
  expect([late.status, codeOf(late.body)]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  expect(await client.count()).toBe(1);
  expect(await client.book(key)).toEqual({ ...winner, replayed: true });
});

test('X-101: a zombie cannot commit while its successor still runs', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const sleeping = holdFirstAt('http.before-complete');
  const zombie = client.book(key);
  await sleeping.reached;
  await expireLease(key);
  const running = holdFirstAt('http.claimed');
  const successor = client.book(key);
  await running.reached;
  sleeping.release();
  const late = await zombie;
  expect([late.status, codeOf(late.body)]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  expect(await client.count()).toBe(0);
  running.release();
  expect(await successor).toMatchObject({ status: 201, replayed: false });
  expect(await client.count()).toBe(1);
});

test('X-101: a zombie whose key was pruned and claimed again cannot commit either', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const held = holdFirstAt('http.before-complete');
  const zombie = client.book(key);
  await held.reached;
  await database.admin('delete from desk.idempotency where key = $1', [key]);
  const winner = await client.book(key);
  held.release();
  expect([winner.status, (await zombie).status]).toEqual([201, 409]);
  expect(await client.count()).toBe(1);
});

test('100 parallel duplicates have one effect and one answer', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  const replies = await Promise.all(Array.from({ length: 100 }, () => client.book(key)));
  const done = replies.filter(reply => reply.status === 201);
  expect(new Set(done.map(reply => reply.body)).size).toBe(1);
  expect(done.filter(reply => !reply.replayed)).toHaveLength(1);
  expect(replies.every(reply => reply.status === 201 || reply.status === 409)).toBe(true);
  expect(await client.count()).toBe(1);
});

test('IDEM-07: after 24 hours the key is free again, also for another payload', async () => {
  const host = await deskHost();
  const client = deskClient(host, newTenantId());
  const key = newKey();
  await client.book(key);
  const kept = (await database.admin(
    `select extract(epoch from expires_at - created_at)::int as seconds from desk.idempotency where key = $1`,
    [key],
  )) as { seconds: number }[];
  expect(kept[0]?.seconds).toBe(86_400);
  await database.admin(`update desk.idempotency set expires_at = now() where key = $1`, [key]);
  expect(await client.book(key, { guest: 'B', nights: 1 })).toMatchObject({ status: 201, replayed: false });
});

test('safety-13: without a sign-in the key must be a UUID, and then works the same', async () => {
  const host = await testHost([bookOpenly], { db: database.open('desk') });
  host.door.addTenant({ tenantId: newTenantId(), slug: 'kabul-inn' });
  const send = async (key: string) => {
    const reply = await host.fastify.inject({
      method: 'POST',
      url: '/t/kabul-inn/bookings',
      payload: sampleBooking,
      headers: { 'idempotency-key': key },
    });
    return { status: reply.statusCode, body: reply.body };
  };
  expect((await send('1')).status).toBe(400);
  const key = newKey();
  const first = await send(key);
  expect(first.status).toBe(201);
  expect(await send(key)).toEqual(first);
});
