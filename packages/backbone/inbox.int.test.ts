import { seek } from '@ghasi/brokers/operations/seek';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplesOf } from './fixtures/metric-samples.ts';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  type Shop,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { on } from './reaction.ts';
import { unsettled } from './settled.ts';

const metrics = createMetrics();
const ran: string[] = [];
let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  const react = on(OrderChanged, async (ctx, change) => {
    ran.push(change.note);
    if (change.note === 'nothing to do') return 'noop';
    await recordEffect(ctx, change);
  });
  shop = await startShop(database, { stock: stock([react]), metrics });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const settled = () =>
  waitUntil('everything is done', async () => {
    const open = await unsettled({
      backbone: shop.backbone,
      relayDb: shop.relay,
      schemas: ['orders', 'stock'],
    });
    return open.length === 0;
  });

/** Rows as they are on disk: whoever writes one again changes its xmin. */
const inbox = () =>
  database.admin(
    `select xmin::text, aggregate_version, result, attempts, processed_at is not null as done
     from stock.inbox order by aggregate_version`,
  );

test('X-058, INBOX-03, INBOX-01: a handler with nothing to do leaves the result noop; a duplicate writes no row, is counted as noop and told from it', async () => {
  const tenantId = newTenantId();
  for (const note of ['something', 'nothing to do'])
    await changeOrder(shop.orders, tenantId, { orderId: 'o1', note });
  await settled();
  const once = await inbox();
  expect(once).toMatchObject([
    { aggregate_version: 1n, result: 'ok', attempts: 0, done: true },
    { aggregate_version: 2n, result: 'noop', attempts: 0, done: true },
  ]);
  const counted = async () => {
    const consumed = await samplesOf(metrics, 'melmastoon_events_consumed_total');
    const skips = await samplesOf(metrics, 'melmastoon_inbox_dedup_skips_total');
    const { ok, noop } = Object.fromEntries(
      ['ok', 'noop'].map(result => [
        result,
        consumed[
          `service=stock-service,topic=${OrderChanged.subject},subscription=stock-service,result=${result}`
        ],
      ]),
    );
    return { ok, noop, skips: Object.values(skips).reduce((sum, n) => sum + n, 0) };
  };
  expect(await counted()).toEqual({ ok: 1, noop: 1, skips: 0 });

  const operator = { actor: 'usr_operator', reason: 'test' };
  await seek(shop.relay, operator, { subscription: 'stock-service', to: 'start' });
  await settled();
  expect(await inbox()).toEqual(once);
  expect(await counted()).toEqual({ ok: 1, noop: 3, skips: 2 });
  expect(await database.admin('select version from stock.effects')).toEqual([{ version: 1 }]);
});
