import { sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { count, deskErrors, deskMigrations } from './fixtures/desk.ts';
import { deskClient, newKey } from './fixtures/desk-client.ts';
import { testHost } from './fixtures/test-host.ts';
import { pruneKeys } from './idempotency.ts';
import { type AnyRoute, defineRoute, operator, type RouteCtx } from './route.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [deskMigrations] });
});
afterAll(() => database.drop());

const clerk = operator(['clerk']);
const shared = { summary: 'A write', auth: clerk, body: z.strictObject({}) } as const;
const reply = z.object({ id: z.string() });

async function insert(
  { tx, tenantId }: Pick<RouteCtx<typeof clerk>, 'tx' | 'tenantId'>,
  id: string = uuid7(),
) {
  await execute(
    tx,
    sql`insert into desk.bookings (tenant_id, id, guest, nights) values (${tenantId}, ${id}, 'A', 1)`,
  );
  return id;
}

async function clientOf(route: AnyRoute) {
  const host = await testHost([route, count], { db: database.open('desk') });
  const client = deskClient(host, newTenantId());
  const send = (key = newKey()) => client.send('POST', route.path, {}, { 'idempotency-key': key });
  return { host, client, send };
}

test('safety-32: a GET runs in a transaction that refuses writes', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/sneaky',
    summary: 'Tries to write',
    auth: clerk,
    returns: { 200: reply },
    handler: async ctx => ({ status: 200, body: { id: await insert(ctx) } }),
  });
  const { host, client } = await clientOf(route);
  const headers = { authorization: `Bearer ${client.token}` };
  const answer = await host.fastify.inject({ url: '/v1/sneaky', headers });
  expect(answer.statusCode).toBe(500);
  expect(host.logged()).toContain('read-only transaction');
  expect(await client.count()).toBe(0);
});

test('safety-12: a reply that does not fit its schema rolls the effect back and frees the key', async () => {
  let broken = true;
  const route = defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/broken',
    returns: { 201: reply },
    async handler(ctx) {
      const id = await insert(ctx);
      return { status: 201, body: broken ? ({ id: 1 } as never) : { id } };
    },
  });
  const { client, send } = await clientOf(route);
  const key = newKey();
  expect((await send(key)).status).toBe(500);
  expect(await client.count()).toBe(0);
  broken = false;
  expect((await send(key)).status).toBe(201);
  expect(await client.count()).toBe(1);
});

test('a reply with cookies cannot be stored, so an idempotent route may not set any', async () => {
  const route = defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/session',
    returns: { 201: reply },
    handler: async ctx => ({
      status: 201,
      body: { id: await insert(ctx) },
      cookies: [{ name: '__Host-session', value: 'secret' }],
    }),
  });
  const { host, client, send } = await clientOf(route);
  expect((await send()).status).toBe(500);
  expect(host.logged()).toContain('declare idempotency.none');
  expect(await client.count()).toBe(0);
});

test('a handler past its time is answered with 504; its key is free and its effect cannot commit any more', async () => {
  const entered = signal();
  const stuck = signal();
  let slow = true;
  const route = defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/slow',
    returns: { 201: reply },
    timeoutMs: 1_000, // the second request has to be quicker, on a busy machine too
    handler: async ctx => {
      const id = await insert(ctx);
      if (slow) {
        entered.fire();
        await stuck.promise;
      }
      return { status: 201, body: { id } };
    },
  });
  const { client, send } = await clientOf(route);
  const key = newKey();
  const first = await send(key);
  expect([first.status, JSON.parse(first.body).code]).toEqual([504, 'HANDLER_TIMEOUT']);
  await entered.promise;
  slow = false;
  const second = await send(key);
  expect(second.status).toBe(201);
  stuck.fire();
  await waitUntil('the zombie has ended its transaction', async () => {
    const busy = await database.admin(
      `select 1 from pg_stat_activity where datname = current_database() and usename = 'svc_desk' and state <> 'idle'`,
    );
    return busy.length === 0;
  });
  expect(await send(key)).toEqual({ ...second, replayed: true });
  expect(await client.count()).toBe(1);
});

test('a write without a body has a key like any other', async () => {
  const route = defineRoute({
    method: 'POST',
    path: '/v1/bookings/default',
    summary: 'Book the default room',
    auth: clerk,
    returns: { 201: reply },
    handler: async ctx => ({ status: 201, body: { id: await insert(ctx) } }),
  });
  const { host, client } = await clientOf(route);
  const key = newKey();
  const send = async () => {
    const headers = { authorization: `Bearer ${client.token}`, 'idempotency-key': key };
    return (await host.fastify.inject({ method: 'POST', url: route.path, headers })).body;
  };
  expect(await send()).toBe(await send());
  expect(await client.count()).toBe(1);
});

test('LOCK-01: a write that loses a race is run again as a whole, and the client sees only the success', async () => {
  let attempts = 0;
  const route = defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/contested',
    returns: { 201: reply },
    async handler(ctx) {
      const id = await insert(ctx);
      attempts += 1;
      if (attempts < 3) throw coreErrors.VERSION_CONFLICT();
      return { status: 201, body: { id } };
    },
  });
  const { client, send } = await clientOf(route);
  expect((await send()).status).toBe(201);
  expect(attempts).toBe(3);
  expect(await client.count()).toBe(1);
});

test('a late route works first, then commits its effect and its answer together, once', async () => {
  const route = defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/late',
    returns: { 201: reply },
    transaction: 'late',
    async handler(ctx) {
      const id = uuid7();
      return ctx.commit(async inside => ({ status: 201, body: { id: await insert(inside, id) } }));
    },
  });
  const { client, send } = await clientOf(route);
  const key = newKey();
  const first = await send(key);
  expect(first.status).toBe(201);
  expect(await send(key)).toEqual({ ...first, replayed: true });
  expect(await client.count()).toBe(1);
});

test('a late route that refuses before it commits has its refusal kept; one that never commits is broken', async () => {
  const late = { ...shared, method: 'POST', returns: { 201: reply }, transaction: 'late' } as const;
  const refusing = await clientOf(
    defineRoute({
      ...late,
      path: '/v1/refusing',
      handler: async () => {
        throw deskErrors.FULLY_BOOKED({ nights: 1 });
      },
    }),
  );
  const key = newKey();
  const refusal = await refusing.send(key);
  expect(refusal.status).toBe(409);
  expect(await refusing.send(key)).toEqual({ ...refusal, replayed: true });

  const forgetful = await clientOf(
    defineRoute({
      ...late,
      path: '/v1/forgetful',
      handler: async () => ({ status: 201, body: { id: '1' } }),
    }),
  );
  expect((await forgetful.send()).status).toBe(500);
  expect(forgetful.host.logged()).toContain('never called ctx.commit');

  const eager = await clientOf(
    defineRoute({
      ...late,
      path: '/v1/eager',
      async handler(ctx) {
        await ctx.commit(async inside => ({ status: 201, body: { id: await insert(inside) } }));
        return ctx.commit(async inside => ({ status: 201, body: { id: await insert(inside) } }));
      },
    }),
  );
  await eager.send();
  expect(await eager.client.count()).toBe(1);
});

test('X-106: the pruner removes what is over, of every tenant, and nothing that still runs or can be replayed', async () => {
  const db = database.open('desk');
  const add = (key: string, state: string, expires: string, locked: string | null) =>
    tenantTransaction(db, { tenantId: newTenantId(), actor: testActor }, ({ tx, tenantId }) =>
      execute(
        tx,
        sql`
          insert into desk.idempotency
            (tenant_id, principal, operation, key, request_hash, state, locked_until, expires_at)
          values
            (${tenantId}, 'operator:1', 'POST /p', ${key}, ${'a'.repeat(64)}, ${state},
             now() + ${locked}::interval, now() + ${expires}::interval)`,
      ),
    );
  await add('prune-old', 'FAILED', '-1 s', null);
  await add('prune-crashed', 'PROCESSING', '-1 s', '-1 s');
  await add('prune-running', 'PROCESSING', '-1 s', '1 h');
  await add('prune-fresh', 'FAILED', '1 h', null);
  const maintenance = database.openAs('maintenance');
  const prune = (limit: number) =>
    systemTransaction(maintenance, { actor: testActor }, ({ tx }) => pruneKeys(tx, 'desk', limit));
  expect([await prune(1), await prune(1), await prune(1)]).toEqual([1, 1, 0]);
  const left = await database.admin<{ key: string }>(
    `select key from desk.idempotency where key like 'prune-%' order by key`,
  );
  expect(left.map(({ key }) => key)).toEqual(['prune-fresh', 'prune-running']);
});

test('the service role sees the keys of the running tenant only', async () => {
  const db = database.open('desk');
  const seen = await tenantTransaction(db, { tenantId: newTenantId(), actor: testActor }, ({ tx }) =>
    row<{ keys: number }>(tx, sql`select count(*)::int as keys from desk.idempotency`),
  );
  expect(seen?.keys).toBe(0);
});
