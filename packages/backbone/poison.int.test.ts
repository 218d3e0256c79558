import { createHash } from 'node:crypto';
import { replayDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import type { TenantId } from '@ghasi/domain-primitives/ids';
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
import { on, type Reaction } from './reaction.ts';

const EVENTS = 1_000;
const KEYS = 40;
const poison = { orderId: 'o7', version: 5 };
const databases: TestDatabase[] = [];
beforeAll(async () => {
  for (let n = 0; n < 2; n++) databases.push(await testDatabase({ migrations: shopMigrations }));
});
afterAll(() => Promise.all(databases.map(database => database.drop())));

let broken = true;
const reaction = on(OrderChanged, async (ctx, payload) => {
  if (broken && payload.orderId === poison.orderId && payload.version === poison.version)
    throw new Error('cannot make sense of this');
  await recordEffect(ctx, payload);
}) as Reaction;

async function run(database: TestDatabase): Promise<Shop> {
  const shop = await startShop(database, {
    stock: stock([reaction]),
    retry: { minBackoffMs: 1, maxBackoffMs: 5, maxAttempts: 7 },
  });
  for (let n = 0; n < EVENTS; n += KEYS)
    await Promise.all(
      Array.from({ length: KEYS }, (_, key) => changeOrder(shop.orders, tenantId, { orderId: `o${key}` })),
    );
  return shop;
}

const tenantId: TenantId = newTenantId();
const effects = (database: TestDatabase) =>
  database.admin<{ order_id: string; version: number }>(
    'select order_id, version from stock.effects order by seq',
  );

/** The state a consumer would have built: for each key what it applied, in its order. */
async function stateHash(database: TestDatabase): Promise<string> {
  const byKey = Map.groupBy(await effects(database), effect => effect.order_id);
  const state = [...byKey].sort().map(([key, list]) => [key, list.map(({ version }) => version)]);
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}

test('DLQ-07, DLQ-15, X-046: a poison message parks its key and nothing else; replayed after the fix, the state is that of a clean run', async () => {
  const [sick, clean] = databases as [TestDatabase, TestDatabase];
  const shop = await run(sick);
  await waitUntil(
    'a dead letter',
    async () => (await sick.admin(`select from brokers.parked_key where state = 'dead'`)).length === 1,
  );
  const perKey = EVENTS / KEYS;
  const held = perKey - (poison.version - 1);
  await waitUntil('all other keys', async () => (await effects(sick)).length === EVENTS - held);
  const ofPoisonKey = (await effects(sick)).filter(({ order_id }) => order_id === poison.orderId);
  expect(ofPoisonKey.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  expect(await sick.admin('select attempts, last_error from brokers.parked_key')).toEqual([
    { attempts: 7, last_error: 'cannot make sense of this' },
  ]);
  await waitUntil(
    'its key waits',
    async () => (await sick.admin('select from brokers.parked_message')).length === held,
  );

  broken = false;
  await replayDeadLetters(sick.openAs('relay'), { actor: 'test', reason: 'fixed' }, {});
  await waitUntil('everything', async () => (await effects(sick)).length === EVENTS);
  await waitUntil(
    'nothing is parked',
    async () => (await sick.admin('select from brokers.parked_key')).length === 0,
  );
  await shop.stop();

  const other = await run(clean);
  await waitUntil('the clean run', async () => (await effects(clean)).length === EVENTS);
  await other.stop();
  expect(await stateHash(sick)).toBe(await stateHash(clean));
});
