import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { deskMigrations, deskRoutes } from './fixtures/desk.ts';
import { testHost } from './fixtures/test-host.ts';
import { defineRoute, operator } from './route.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [deskMigrations] });
});
afterAll(() => database.drop());

const TENANTS = 50;
const REQUESTS = process.env.MELM_LONG === '1' ? 500_000 : 10_000;

/** The newest guests of the house; fails on demand, after it has read. */
const newest = defineRoute({
  method: 'GET',
  path: '/v1/guests',
  summary: 'The newest guests',
  auth: operator([]),
  query: z.strictObject({ fail: z.enum(['throw', 'sql', 'gone']).optional() }),
  returns: { 200: z.strictObject({ guests: z.array(z.string()) }) },
  async handler({ tx }, { query }) {
    const found = await rows<{ guest: string }>(
      tx,
      sql`select guest from desk.bookings order by id desc limit 5`,
    );
    if (query.fail === 'throw') throw new Error('on purpose');
    if (query.fail === 'sql') await rows(tx, sql`select 1 / 0`);
    if (query.fail === 'gone') await rows(tx, sql`select pg_terminate_backend(pg_backend_pid())`);
    return { status: 200, body: { guests: found.map(({ guest }) => guest) } };
  },
});

test(`safety-4: ${TENANTS} tenants, ${REQUESTS} interleaved HTTP requests on a pool of 2 with errors and aborted clients see 0 foreign rows`, async () => {
  const db = database.openAs('svc_desk', { max: 2 });
  const much = { limit: 10_000_000, windowMs: 60_000 };
  const quotas = { tenant: much, principal: much, address: much, failedAuth: much };
  const host = await testHost([...deskRoutes, newest], { db, config: { quotas } });
  const { port } = new URL(await host.listen(0));
  const tokens = Array.from({ length: TENANTS }, () => {
    const tenantId = newTenantId();
    return { tenantId, token: host.door.signIn({ tenantId, id: `usr_${tenantId}` }) };
  });
  const agent = new Agent({ keepAlive: true, maxSockets: TENANTS });
  const seen = { statuses: {} as Record<number, number>, aborted: 0, rows: 0, foreign: 0 };
  let next = 0;

  function send(n: number): Promise<void> {
    const { tenantId, token } = tokens[(n * 7919) % TENANTS] as (typeof tokens)[number];
    const write = n % 3 === 0;
    const fail = n % 11 === 0 ? 'throw' : n % 13 === 0 ? 'sql' : n % 211 === 0 ? 'gone' : undefined;
    const path = write ? '/v1/bookings' : `/v1/guests${fail === undefined ? '' : `?fail=${fail}`}`;
    return new Promise(resolve => {
      const call = request({
        agent,
        port,
        path,
        method: write ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
      });
      call.on('response', response => {
        let body = '';
        response.on('data', chunk => (body += chunk));
        response.on('error', () => {});
        response.on('close', () => {
          seen.statuses[response.statusCode ?? 0] = (seen.statuses[response.statusCode ?? 0] ?? 0) + 1;
          const guests = response.statusCode === 200 ? (JSON.parse(body) as { guests: string[] }).guests : [];
          seen.rows += guests.length;
          seen.foreign += guests.filter(guest => guest !== tenantId).length;
          resolve();
        });
      });
      call.on('error', () => {
        seen.aborted++;
        resolve();
      });
      // A guest's name is his tenant's id, so that a row tells whose it is. Some are refused after they were written.
      call.end(write ? JSON.stringify({ guest: tenantId, nights: n % 7 === 0 ? 31 : 2 }) : undefined);
      if (n % 17 === 0)
        call.on('socket', () => setImmediate(() => call.destroy(new Error('the client went away'))));
    });
  }

  const worker = async () => {
    while (next < REQUESTS) await send(next++);
  };
  await Promise.all(Array.from({ length: TENANTS }, worker));
  agent.destroy();

  expect(seen.foreign).toBe(0);
  expect(seen.rows).toBeGreaterThan(REQUESTS);
  expect(seen.aborted).toBeGreaterThan(REQUESTS / 40);
  expect(Object.keys(seen.statuses).sort()).toEqual(['200', '201', '409', '500']);
  const mixed = await database.admin('select 1 from desk.bookings where guest <> tenant_id::text');
  expect(mixed).toEqual([]);
  expect(db.pool.totalCount).toBeLessThanOrEqual(2);
}, 600_000);
