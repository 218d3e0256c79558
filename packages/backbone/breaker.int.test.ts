import { createMetrics } from '@ghasi/telemetry/metrics';
import { testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, onTestFinished, test } from 'vitest';
import { samplesOf } from './fixtures/metric-samples.ts';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { on } from './reaction.ts';

const STOCK = 'service=stock-service,subscription=stock-service';
const [poisoned, clean, other] = [newTenantId(), newTenantId(), newTenantId()];
const poison = Array.from({ length: 8 }, (_, n) => ({ orderId: `p${n}`, note: 'poison' }));

/** A shop of its own for a test. `fails` says which messages cannot be handled. */
async function openShop(
  fails: (note: string) => boolean,
  options: Omit<Parameters<typeof startShop>[1], 'stock'> = {},
) {
  const database = await testDatabase({ migrations: shopMigrations });
  const tried = new Set<string>();
  const react = on(OrderChanged, async (ctx, change) => {
    tried.add(`${ctx.tenantId} ${change.orderId}`);
    if (fails(change.note)) throw new Error('impossible state');
    await recordEffect(ctx, change);
  });
  const { backbone, orders, stop } = await startShop(database, {
    stock: stock([react], { concurrency: 1 }), // one lane: whatever cannot leave it holds up the tenant
    times: { heartbeatMs: 50, pollMs: 50 },
    ...options,
  });
  onTestFinished(async () => {
    await stop();
    await database.drop();
  });
  return {
    backbone,
    database,
    /** Tenant and order of what was tried so far. */
    tried,
    change: (tenantId: typeof poisoned, order: { orderId: string; note?: string }) =>
      changeOrder(orders, tenantId, order),
    effects: (tenantId: string) =>
      database.admin('select order_id as "orderId", version from stock.effects where tenant_id = $1', [
        tenantId,
      ]),
    parked: () =>
      database.admin<{ state: string; attempts: number }>('select state, attempts from brokers.parked_key'),
  };
}

test('X-066, DLQ-07: poison on more keys than open the breaker becomes dead letters after 7 attempts, and holds up nobody', async () => {
  const { change, effects, parked } = await openShop(note => note === 'poison', {
    retry: { minBackoffMs: 1, maxBackoffMs: 5, maxAttempts: 7 },
    breaker: { failingKeys: 5, firstPauseMs: 10, longestPauseMs: 20 },
  });
  for (const order of poison.slice(0, 6)) await change(poisoned, order);
  await change(poisoned, { orderId: 'healthy' });
  await waitUntil('what came behind the poison', async () => (await effects(poisoned)).length === 1);
  await change(clean, { orderId: 'healthy' });
  await waitUntil('what came for another tenant', async () => (await effects(clean)).length === 1);
  await waitUntil('six dead letters', async () => (await parked()).every(({ state }) => state === 'dead'));
  expect(await parked()).toEqual(poison.slice(0, 6).map(() => ({ state: 'dead', attempts: 7 })));
  await change(poisoned, { orderId: 'healthy' });
  await waitUntil('what came later', async () => (await effects(poisoned)).length === 2);
});

test('X-066, ORD-04: five bad keys of a tenant pause that tenant; what others send meanwhile is applied at once', async () => {
  const metrics = createMetrics();
  const { change, tried, effects, parked } = await openShop(note => note === 'poison', {
    metrics,
    // Neither the pause nor the wait of a parked key is over before the test is.
    breaker: { failingKeys: 5, firstPauseMs: 600_000, longestPauseMs: 600_000 },
    retry: { minBackoffMs: 600_000, maxBackoffMs: 600_000, maxAttempts: 7 },
  });
  for (const order of poison) await change(poisoned, order);
  const firstFive = poison.slice(0, 5).map(({ orderId }) => `${poisoned} ${orderId}`);
  await waitUntil('five have failed', async () => tried.size >= 5 && (await parked()).length === 4);
  for (let n = 0; n < 10; n++) await change(clean, { orderId: `o${n % 3}` });
  await waitUntil('what another tenant sent', async () => (await effects(clean)).length === 10);
  await change(other, { orderId: 'bad', note: 'poison' }); // while others succeed, this is no reason to pause anybody
  await change(other, { orderId: 'healthy' });
  await waitUntil('what a third one sent', async () => (await effects(other)).length === 1);
  await waitUntil('its bad key is parked', async () => (await parked()).length === 4 + 1);
  expect([...tried].filter(what => what.startsWith(poisoned))).toEqual(firstFive);
  expect((await parked()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
  expect(await samplesOf(metrics, 'melmastoon_consumer_pauses_total')).toMatchObject({
    [`${STOCK},cause=tenant`]: expect.toSatisfy((pauses: number) => pauses > 0),
    [`${STOCK},cause=several_tenants`]: 0,
    [`${STOCK},cause=database`]: 0,
  });
});

test('X-066: what fails for several tenants pauses the subscription, and after each pause one attempt counts', async () => {
  const { change, tried, parked, database, backbone } = await openShop(() => true);
  for (const order of poison.slice(0, 3)) await change(poisoned, order);
  for (const order of poison.slice(0, 2)) await change(clean, order);
  await waitUntil('five have failed', async () => tried.size === 5 && (await parked()).length === 4);
  await change(other, { orderId: 'waits' });
  await database.admin('update brokers.parked_key set retry_at = now()');
  await backbone.hurry();
  const attempts = async () => (await parked()).reduce((sum, key) => sum + key.attempts, 0);
  expect(await attempts()).toBe(4);
  await waitUntil('one was tried after the pause', async () => (await attempts()) > 4);
  expect(await attempts()).toBe(5);
});
