import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { idToUuid, newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from './define-job.ts';
import { enqueue, enqueueMany } from './enqueue.ts';
import { type Harness, type JobRow, openHarness } from './fixtures/harness.ts';

const input = z.strictObject({ room: z.string() });
const clean = defineJob({ name: 'shop.clean', input, scope: 'tenant', run: async () => {} });
const sweep = defineJob({
  name: 'shop.sweep',
  input: z.strictObject({}),
  scope: 'system',
  run: async () => {},
});
const count = defineJob({
  name: 'depot.count',
  input: z.strictObject({}),
  scope: 'tenant',
  run: async () => {},
});

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const visible = (ctx: Ctx) => rows<JobRow>(ctx.tx, sql`select * from jobs.jobs order by created_at, id`);

describe('enqueue is part of the transaction of the caller', () => {
  test('a job is gone when the transaction rolls back, and there when it commits', async () => {
    const tenant = newTenantId();
    const failed = harness.inShop(tenant, async ctx => {
      await enqueue(ctx, clean, { room: '1' });
      expect(await visible(ctx)).toHaveLength(1);
      throw new Error('the booking failed');
    });
    await expect(failed).rejects.toThrow('the booking failed');
    expect(await harness.inShop(tenant, visible)).toEqual([]);
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: '1' }));
    expect((await harness.inShop(tenant, visible)).map(job => job.id)).toEqual([idToUuid(id)]);
  });

  test('none, one or many jobs take one statement', async () => {
    const tenant = newTenantId();
    const wanted = Array.from({ length: 200 }, (_, n) => ({
      input: { room: String(n) },
      priority: (n % 10) + 1,
    }));
    const ids = await harness.inShop(tenant, async ctx => {
      expect(await enqueueMany(ctx, clean, [])).toEqual([]);
      return enqueueMany(ctx, clean, wanted);
    });
    const found = new Map((await harness.inShop(tenant, visible)).map(job => [job.id, job]));
    expect(ids.map(id => found.get(idToUuid(id))?.payload)).toEqual(wanted.map(one => one.input));
    expect(ids.map(id => found.get(idToUuid(id))?.priority)).toEqual(wanted.map(one => one.priority));
  });

  test('what a job would refuse is refused here, and nothing is written', async () => {
    const tenant = newTenantId();
    const wrong = { room: '1', tenant_id: PLATFORM_TENANT_ID } as { room: string };
    await expect(harness.inShop(tenant, ctx => enqueue(ctx, clean, wrong))).rejects.toThrow('tenant_id');
    const urgent = harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: '1' }, { priority: 11 }));
    await expect(urgent).rejects.toMatchObject({ code: 'PRIORITY_OUT_OF_RANGE' });
    expect(await harness.inShop(tenant, visible)).toEqual([]);
  });

  test('JOB-22: a job of the platform cannot be enqueued for a tenant, nor the other way round', async () => {
    const forTenant = harness.inShop(newTenantId(), ctx => enqueue(ctx, sweep, {}));
    await expect(forTenant).rejects.toMatchObject({ code: 'WRONG_SCOPE' });
    const forPlatform = harness.inShop(PLATFORM_TENANT_ID, ctx => enqueue(ctx, clean, { room: '1' }));
    await expect(forPlatform).rejects.toMatchObject({ code: 'WRONG_SCOPE' });
  });
});

describe('the view jobs.jobs', () => {
  test('JOB-01 to JOB-18: has exactly the columns of the ledger', async () => {
    const columns = await harness.database.admin<{ column_name: string; udt_name: string }>(
      `select column_name, udt_name from information_schema.columns
       where table_schema = 'jobs' and table_name = 'jobs' order by ordinal_position`,
    );
    expect(columns.map(column => [column.column_name, column.udt_name])).toEqual([
      ['id', 'uuid'],
      ['org_id', 'uuid'],
      ['account_id', 'uuid'],
      ['job_type', 'varchar'],
      ['queue', 'varchar'],
      ['priority', 'int4'],
      ['payload', 'jsonb'],
      ['status', 'job_status'],
      ['worker_id', 'varchar'],
      ['scheduled_at', 'timestamptz'],
      ['started_at', 'timestamptz'],
      ['completed_at', 'timestamptz'],
      ['retry_count', 'int4'],
      ['max_retries', 'int4'],
      ['next_retry_at', 'timestamptz'],
      ['timeout_seconds', 'int4'],
      ['result', 'jsonb'],
      ['error_message', 'text'],
      ['created_at', 'timestamptz'],
      ['updated_at', 'timestamptz'],
    ]);
  });

  test('JOB-08: knows the six statuses', async () => {
    const [found] = await harness.database.admin<{ labels: string[] }>(
      `select enum_range(null::jobs.job_status)::text[] as labels`,
    );
    expect(found?.labels).toEqual(['pending', 'running', 'completed', 'failed', 'canceled', 'dead_letter']);
  });

  test('JOB-02 to JOB-15: a new job shows tenant, account, type, queue, due time and limits', async () => {
    const tenant = newTenantId();
    const operator = newId('usr');
    const runAt = new Date('2031-01-02T03:04:05Z');
    const who = { tenantId: tenant, actor: { type: 'user', id: operator } as const };
    const id = await tenantTransaction(harness.shop, who, ctx =>
      enqueue(ctx, clean, { room: '7' }, { runAt, priority: 9 }),
    );
    expect(await harness.job(id)).toMatchObject({
      org_id: tenant,
      account_id: idToUuid(operator),
      job_type: 'shop.clean',
      queue: 'default',
      priority: 9,
      payload: { room: '7' },
      status: 'pending',
      worker_id: null,
      scheduled_at: runAt,
      started_at: null,
      completed_at: null,
      retry_count: 0,
      max_retries: 3,
      next_retry_at: null,
      timeout_seconds: 300,
      result: null,
      error_message: null,
    });
  });

  test('JOB-02: a job of the platform has no tenant', async () => {
    const id = await harness.inShop(PLATFORM_TENANT_ID, ctx => enqueue(ctx, sweep, {}));
    expect((await harness.job(id)).org_id).toBeNull();
  });
});

describe('tenants and services see and touch their own jobs only', () => {
  test('safety-1: tenant B sees nothing of tenant A, and without a tenant there is nothing', async () => {
    const [a, b] = [newTenantId(), newTenantId()];
    const id = await harness.inShop(a, ctx => enqueue(ctx, clean, { room: '1' }));
    expect((await harness.inShop(a, visible)).map(job => job.id)).toEqual([idToUuid(id)]);
    expect(await harness.inShop(b, visible)).toEqual([]);
    const { rows: without } = await harness.shop.pool.query('select * from jobs.jobs');
    expect(without).toEqual([]);
  });

  test('a service sees nothing of the jobs of another service of the same tenant', async () => {
    const tenantId = newTenantId();
    await harness.inShop(tenantId, ctx => enqueue(ctx, clean, { room: '1' }));
    const inDepot = <T>(work: (ctx: Ctx) => Promise<T>) =>
      tenantTransaction(harness.depot, { tenantId, actor: testActor }, work);
    expect(await inDepot(visible)).toEqual([]);
    await inDepot(ctx => enqueue(ctx, count, {}));
    expect((await inDepot(visible)).map(job => job.job_type)).toEqual(['depot.count']);
    // The shop cannot have the depot run something: the row would be in another service's queue.
    await expect(harness.inShop(tenantId, ctx => enqueue(ctx, count, {}))).rejects.toMatchObject({
      code: '42501',
    });
  });

  test('safety-7: a row for another tenant or for pg-boss itself is refused, and so is moving one', async () => {
    const [a, b] = [newTenantId(), newTenantId()];
    const id = await harness.inShop(a, ctx => enqueue(ctx, clean, { room: '1' }));
    const attempts = [
      sql`insert into jobs.job_common (name, group_id, priority) values ('shop.default', ${b}, 5)`,
      sql`insert into jobs.job (name, group_id, priority) values ('shop.default', ${b}, 5)`,
      sql`insert into jobs.job_common (name, group_id, priority) values ('__pgboss__send-it', ${a}, 5)`,
      sql`insert into jobs.job_common (name, group_id, priority) values ('depot.default', ${a}, 5)`,
      sql`insert into jobs.job_common (name, priority) values ('shop.default', 5)`,
      sql`update jobs.job_common set group_id = ${b} where id = ${idToUuid(id)}`,
      sql`update jobs.job_common set name = 'depot.default' where id = ${idToUuid(id)}`,
      sql`delete from jobs.job_common where id = ${idToUuid(id)}`,
      sql`insert into jobs.schedule (name, cron) values ('depot.default', '* * * * *')`,
      sql`update jobs.queue set policy = 'standard'`,
    ];
    for (const attempt of attempts)
      await expect(harness.inShop(a, ctx => rows(ctx.tx, attempt))).rejects.toMatchObject({ code: '42501' });
    const foreign = await harness.inShop(b, ctx =>
      rows(ctx.tx, sql`update jobs.job_common set data = '{}' where id = ${idToUuid(id)} returning id`),
    );
    expect(foreign).toEqual([]);
  });

  test('safety-1, safety-5: both job tables force row-level security, and the view is security_invoker', async () => {
    const tables = await harness.database.admin(
      `select relname, relrowsecurity and relforcerowsecurity as forced from pg_class
       where oid in ('jobs.job'::regclass, 'jobs.job_common'::regclass) order by relname`,
    );
    expect(tables).toEqual([
      { relname: 'job', forced: true },
      { relname: 'job_common', forced: true },
    ]);
    const [view] = await harness.database.admin(
      `select reloptions from pg_class where oid = 'jobs.jobs'::regclass`,
    );
    expect(view).toEqual({ reloptions: ['security_invoker=true'] });
    const policies = await harness.database.admin<{ tables: string[]; complete: boolean }>(
      `select bool_and(polqual is not null and polwithcheck is not null) as complete, count(*)::int as policies
       from pg_policy where polrelid in ('jobs.job'::regclass, 'jobs.job_common'::regclass)`,
    );
    // svc_shop, svc_depot, jobs_worker, maintenance at least, on both tables.
    expect(policies).toEqual([{ complete: true, policies: expect.any(Number) }]);
    expect((policies[0] as unknown as { policies: number }).policies).toBeGreaterThanOrEqual(8);
  });

  test('safety-2, X-093: the worker role sees the jobs of all, and nothing of what the services keep', async () => {
    await harness.inShop(newTenantId(), ctx => enqueue(ctx, clean, { room: '1' }));
    await harness.inShop(newTenantId(), ctx => enqueue(ctx, clean, { room: '2' }));
    const { pool } = harness.database.openAs('jobs_worker');
    const { rows: tenants } = await pool.query('select distinct org_id from jobs.jobs');
    expect(tenants.length).toBeGreaterThan(1);
    await expect(pool.query('select * from shop.effects')).rejects.toMatchObject({ code: '42501' });
    await expect(pool.query('truncate jobs.job')).rejects.toMatchObject({ code: '42501' });
    await expect(pool.query('create table jobs.mine ()')).rejects.toMatchObject({ code: '42501' });
  });

  test('the platform tenant of the migration is the one of the kernel', async () => {
    const [found] = await harness.database.admin(
      `select pg_get_expr(adbin, adrelid) like $1 as same from pg_attrdef
       where adrelid = 'jobs.job'::regclass
         and adnum = (select attnum from pg_attribute where attrelid = 'jobs.job'::regclass and attname = 'tenant_id')`,
      [`%${PLATFORM_TENANT_ID}%`],
    );
    expect(found).toEqual({ same: true });
  });
});

describe('a key', () => {
  test('a job with a key that still waits is replaced, not doubled', async () => {
    const tenant = newTenantId();
    const first = await harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: '1' }, { key: 'k' }));
    const runAt = new Date('2031-01-01T00:00:00Z');
    const second = await harness.inShop(tenant, ctx =>
      enqueue(ctx, clean, { room: '2' }, { key: 'k', runAt }),
    );
    expect(second).toBe(first);
    expect(await harness.job(first)).toMatchObject({ payload: { room: '2' }, scheduled_at: runAt });
    expect(await harness.inShop(tenant, visible)).toHaveLength(1);
  });

  test('a job with a new key is replaced later like any other; a key that was not new after all is refused', async () => {
    const tenant = newTenantId();
    const add = (room: string, options: { isNewKey?: boolean }) =>
      harness.inShop(tenant, ctx => enqueue(ctx, clean, { room }, { key: 'new', ...options }));
    const first = await add('1', { isNewKey: true });
    expect(await add('2', {})).toBe(first);
    await expect(add('3', { isNewKey: true })).rejects.toThrow('refused');
    expect(await harness.job(first)).toMatchObject({ payload: { room: '2' } });
    expect(await harness.inShop(tenant, visible)).toHaveLength(1);
  });

  test('safety-8: the same key of another tenant is another key', async () => {
    const ids = [];
    for (const tenant of [newTenantId(), newTenantId()])
      ids.push(await harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: '1' }, { key: 'same' })));
    expect(new Set(ids).size).toBe(2);
  });

  test('twenty transactions at once with one key leave one job', async () => {
    const tenant = newTenantId();
    const all = Array.from({ length: 20 }, (_, n) =>
      harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: String(n) }, { key: 'rush' })),
    );
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(await harness.inShop(tenant, visible)).toHaveLength(1);
  });
});
