import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from './drizzle.ts';
import { scratch } from './fixtures/scratch.ts';
import { execute, row, rows } from './sql.ts';
import { tenantTransaction } from './tenant-transaction.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
});
afterAll(() => database.drop());

const TENANTS = 50;
const REQUESTS = process.env.MELM_LONG === '1' ? 500_000 : 10_000;

test(`safety-4, TEN-18: ${TENANTS} tenants, ${REQUESTS} interleaved requests on a pool of 2 with errors, timeouts and aborted clients see 0 foreign rows`, async () => {
  const db = database.openAs('svc_scratch', { max: 2 });
  const tenants = Array.from({ length: TENANTS }, newTenantId);
  const seen = { rows: 0, foreign: 0, committed: 0, failed: 0 };
  let next = 0;

  async function request(n: number): Promise<void> {
    const tenantId = tenants[(n * 7919) % TENANTS] as (typeof tenants)[number];
    await tenantTransaction(db, { tenantId, actor: testActor }, async ({ tx }) => {
      await execute(
        tx,
        sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, ${String(n)})`,
      );
      const found = await rows<{ tenant_id: string }>(
        tx,
        sql`select tenant_id from scratch.journal order by id desc limit 5`,
      );
      seen.rows += found.length;
      seen.foreign += found.filter(entry => entry.tenant_id !== tenantId).length;
      if (n % 11 === 0) throw new Error('the handler failed');
      if (n % 13 === 0) await execute(tx, sql`select 1 / 0`);
      if (n % 101 === 0) {
        await execute(tx, sql`set local statement_timeout = '1ms'`);
        await execute(tx, sql`select pg_sleep(1)`);
      }
      if (n % 211 === 0) await row(tx, sql`select pg_terminate_backend(pg_backend_pid())`); // the client is gone
      if (n % 17 === 0) void execute(tx, sql`select 1`).catch(() => {}); // a statement nobody waits for
    });
    seen.committed++;
  }

  async function worker(): Promise<void> {
    while (next < REQUESTS) await request(next++).catch(() => seen.failed++);
  }
  await Promise.all(Array.from({ length: TENANTS }, worker));

  expect(seen.foreign).toBe(0);
  expect(seen.rows).toBeGreaterThan(REQUESTS);
  expect(seen.failed).toBeGreaterThan(REQUESTS / 10);
  expect(seen.committed + seen.failed).toBe(REQUESTS);
  const [{ n } = { n: -1 }] = await database.admin<{ n: number }>(
    'select count(*)::int as n from scratch.journal',
  );
  expect(n).toBe(seen.committed);
  expect(db.pool.totalCount).toBeLessThanOrEqual(2);
}, 600_000);
