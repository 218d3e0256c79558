import { openClient } from '@ghasi/db/database';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { holdAt } from '@ghasi/testing/failpoints';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
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

let database: TestDatabase;
let shop: Shop;
let handle: typeof recordEffect = recordEffect;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  const reacts = [on(OrderChanged, (ctx, order) => handle(ctx, order))];
  shop = await startShop(database, { stock: stock(reacts), times: { heartbeatMs: 50, pollMs: 50 } });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const look = (soonMs = 0) =>
  unsettled({ backbone: shop.backbone, relayDb: shop.relay, schemas: ['orders', 'stock'], soonMs });
const settled = () => waitUntil('the shop has settled', async () => (await look()).length === 0);
const change = (orderId: string) => changeOrder(shop.orders, newTenantId(), { orderId });

test('a shop without work has settled', async () => {
  expect(await look()).toEqual([]);
});

test('nothing has settled while a row waits for the relay', async () => {
  handle = recordEffect;
  // The lock all movers wait for: a pass that is under way already cannot take the row either.
  const held = await openClient(database.adminUrl, 'held-lock');
  onTestFinished(() => held.end());
  await held.query('select pg_advisory_lock(brokers.append_lock())');
  await change('o0');
  expect(await look()).toEqual(['1 rows wait in orders.outbox']);
  await held.query('select pg_advisory_unlock(brokers.append_lock())');
  await settled();
});

test.each(['broker.before-handle', 'consumer.after-claim', 'consumer.after-effect', 'broker.after-handle'])(
  'nothing has settled while somebody is held at %s',
  async point => {
    handle = recordEffect;
    const held = holdAt(point);
    await change('o1');
    await held.reached;
    expect(await look()).toEqual([expect.stringMatching(/^stock-service has come to \d+ of \d+$/)]);
    held.release();
    await settled();
  },
);

test('a parked key is open while its retry is due or runs, and settled while the retry is far', async () => {
  handle = async () => {
    throw new RetryLater(600_000, 'not now');
  };
  await change('o2');
  await settled();
  expect(await look(599_000)).toEqual([]);
  expect(await look(601_000)).toEqual([
    expect.stringMatching(/^stock-service will try .*:o2 again: not now$/),
  ]);

  handle = recordEffect;
  const held = holdAt('broker.before-handle');
  await database.admin('update brokers.parked_key set retry_at = now()');
  expect(await look()).toEqual([expect.stringMatching(/ again: not now$/)]);
  await held.reached;
  expect(await look()).toEqual([expect.stringMatching(/ again: not now$/)]);
  held.release();
  await settled();
  expect(await database.admin('select from brokers.parked_key')).toEqual([]);
});

test('a dead letter is settled: somebody must decide', async () => {
  handle = async () => {
    throw new GiveUp('never');
  };
  await change('o3');
  await settled();
  expect(await database.admin('select state from brokers.parked_key')).toEqual([{ state: 'dead' }]);
  expect(await look(601_000)).toEqual([]);
});
