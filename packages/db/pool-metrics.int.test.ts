import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { freePorts } from '@ghasi/testing/free-ports';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { tenantRead } from './tenant-transaction.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const who = { tenantId: newTenantId(), actor: { type: 'service', id: 'test' } } as const;

test('OBS-18: a pool says how much of it is used, and how long transactions waited for it', async () => {
  const metrics = createMetrics();
  const db = openDatabase({ url: database.adminUrl, service: 'shop', max: 1, metrics });
  const said = async (what: string) =>
    (await metrics.render())
      .split('\n')
      .filter(line => line.startsWith(`melmastoon_db_pool_${what}`))
      .map(line => Number(line.split(' ').at(-1)));
  try {
    await tenantRead(db, who, async () => {
      const second = tenantRead(db, who, async () => {});
      expect(await said('in_use_count')).toEqual([1]);
      expect(await said('waiting_count')).toEqual([1]);
      expect(await said('max_count')).toEqual([1]);
      expect(await said('wait_seconds_count')).toEqual([1]); // the second has none yet
      return { second };
    }).then(({ second }) => second);
    expect(await said('in_use_count')).toEqual([0]);
    expect(await said('idle_count')).toEqual([1]);
    expect(await said('wait_seconds_count')).toEqual([2]);
    expect(await said('exhausted_total')).toEqual([]);
  } finally {
    await db.close();
  }
  expect(await said('in_use_count')).toEqual([]); // nobody reads a pool that is closed
});

test('a transaction that gets no connection is counted', async () => {
  const metrics = createMetrics();
  const [port] = await freePorts(1);
  const db = openDatabase({ url: `postgres://nobody@127.0.0.1:${port}/none`, service: 'shop', metrics });
  await expect(tenantRead(db, who, async () => {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await metrics.render()).toContain('melmastoon_db_pool_exhausted_total{service="shop"} 1');
  await db.close();
});
