import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const [poisoned, clean] = [newTenantId(), newTenantId()];
let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  const react = on(OrderChanged, async (ctx, change) => {
    if (change.note === 'poison') throw new Error('impossible state');
    await recordEffect(ctx, change);
  });
  shop = await startShop(database, {
    stock: stock([react], { concurrency: 1 }), // one lane: whatever cannot leave it holds up the tenant
    retry: { minBackoffMs: 1, maxBackoffMs: 5, maxAttempts: 7 },
    times: { heartbeatMs: 50, pollMs: 50 },
    breaker: { failingKeys: 5, firstPauseMs: 10, longestPauseMs: 20 },
  });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const effects = (tenantId: string) =>
  database.admin('select order_id as "orderId", version from stock.effects where tenant_id = $1', [tenantId]);

const parked = () =>
  database.admin<{ state: string; attempts: number }>(
    'select state, attempts from brokers.parked_key where tenant_id = $1',
    [poisoned],
  );

test('X-066, DLQ-07: poison on more keys than open the breaker becomes dead letters after 7 attempts, and holds up nobody', async () => {
  const poison = Array.from({ length: 6 }, (_, n) => `p${n}`);
  for (const orderId of poison) await changeOrder(shop.orders, poisoned, { orderId, note: 'poison' });
  await changeOrder(shop.orders, poisoned, { orderId: 'healthy' });
  await waitUntil('what came behind the poison', async () => (await effects(poisoned)).length === 1);
  await changeOrder(shop.orders, clean, { orderId: 'healthy' });
  await waitUntil('what came for another tenant', async () => (await effects(clean)).length === 1);
  await waitUntil('six dead letters', async () => (await parked()).every(({ state }) => state === 'dead'));
  expect(await parked()).toEqual(poison.map(() => ({ state: 'dead', attempts: 7 })));
  await changeOrder(shop.orders, poisoned, { orderId: 'healthy' });
  await waitUntil('what came later', async () => (await effects(poisoned)).length === 2);
});
