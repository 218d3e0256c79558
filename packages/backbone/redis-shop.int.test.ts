import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, join } from 'node:path';
import { openRedisStreamsBroker, type RedisStreamsBroker } from '@ghasi/brokers/redis-streams-broker';
import type { Database } from '@ghasi/db/database';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { failAt } from '@ghasi/testing/failpoints';
import { describeWithRedis } from '@ghasi/testing/redis';
import { type RedisServer, startRedisServer } from '@ghasi/testing/redis-server';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openOrders, openStock } from './fixtures/network-shop.ts';
import { openRelay } from './fixtures/open-relay.ts';
import { changeOrder, OrderChanged, shopMigrations, startShop, stock } from './fixtures/shop.ts';
import { on, type Reaction } from './reaction.ts';

const times = { leaseMs: 2_000, heartbeatMs: 100, pollMs: 50, markMs: 50, trimMs: 100 };
const cleanUps: (() => unknown)[] = [];
const later = <T>(thing: T, cleanUp: (thing: T) => unknown): T => {
  cleanUps.push(() => cleanUp(thing));
  return thing;
};
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

let database: TestDatabase;
let orders: Database;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  orders = openOrders(database);
});
afterAll(async () => {
  await orders.close();
  await database.drop();
});

async function openBroker(url: string, namespace: string): Promise<RedisStreamsBroker> {
  const db = later(database.openAs('relay'), it => it.close());
  return later(await openRedisStreamsBroker({ url, db, namespace, times }), it => it.close());
}

/** What the consumer did for a tenant, by order. */
async function effects(tenantId: TenantId): Promise<Record<string, number[]>> {
  const rows = await database.admin<{ order_id: string; version: number }>(
    'select order_id, version from stock.effects where tenant_id = $1 order by seq',
    [tenantId],
  );
  const byOrder: Record<string, number[]> = {};
  for (const { order_id, version } of rows) byOrder[order_id] = [...(byOrder[order_id] ?? []), version];
  return byOrder;
}

/** Empties a Redis, in its own words. */
async function flushAll(url: string): Promise<void> {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  socket.end('FLUSHALL\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toBe('+OK\r\n');
}

const newTenant = () => uuid7() as unknown as TenantId;
const expected = (keys: readonly string[], versions: number) =>
  Object.fromEntries(keys.map(key => [key, Array.from({ length: versions }, (_, n) => n + 1)]));

describeWithRedis('a shop on Redis Streams', url => {
  test('OUTBOX-39, INBOX-02: what is published twice has one effect; the second time is a noop', async () => {
    const namespace = `test-${randomUUID()}`;
    const tenantId = newTenant();
    const metrics = later(createMetrics(), it => it.close());
    const broker = await openBroker(url, namespace);
    later(await openStock(database, broker, metrics), it => it.close());
    const relay = later(openRelay(database, { broker, leaseMs: 300, publishMs: 100 }), it => it.close());
    failAt('relay.after-publish');
    for (let n = 0; n < 3; n++) await changeOrder(orders, tenantId, { orderId: 'o1' });
    relay.nudge('orders');
    const skips = async () =>
      Number(/melmastoon_inbox_dedup_skips_total\{[^}]*\} (\d+)/.exec(await metrics.render())?.[1] ?? 0);
    await waitUntil('the same events came twice', async () => (await skips()) > 0);
    disarmFailpoints();
    await waitUntil(
      'the outbox is empty',
      async () => (await database.admin('select from orders.outbox')).length === 0,
    );
    expect(await effects(tenantId)).toEqual(expected(['o1'], 3));
  });

  test('OBS-15, OBS-24: dead letters, parked keys and what waits behind them are gauges as on PostgreSQL', async () => {
    const tenantId = newTenant();
    const db = later(database.openAs('relay'), it => it.close());
    const retry = { minBackoffMs: 1, maxBackoffMs: 1, maxAttempts: 2 };
    const broker = later(
      await openRedisStreamsBroker({ url, db, namespace: `test-${randomUUID()}`, times, retry }),
      it => it.close(),
    );
    const fussy = on(OrderChanged, () => {
      throw new Error('stock would be negative');
    }) as Reaction;
    const metrics = later(createMetrics(), it => it.close());
    const shop = later(await startShop(database, { broker, metrics, stock: stock([fussy]) }), it =>
      it.stop(),
    );
    for (let n = 0; n < 3; n++) await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
    await waitUntil('two wait behind a dead letter', async () => {
      const parked = await database.admin(
        `select from brokers.parked_message m join brokers.parked_key k using (tenant_id, subscription, park_key)
         where m.tenant_id = $1 and k.state = 'dead'`,
        [tenantId],
      );
      return parked.length === 3;
    });
    await waitUntil('Redis was told', async () => (await broker.backlog()).get('stock-service') === 0);
    const shown = await metrics.render();
    const of = (name: string) =>
      new RegExp(`^melmastoon_${name}\\{[^}]*stock-service[^}]*\\} (\\S+)$`, 'm').exec(shown)?.[1];
    expect(of('dlq_depth_count')).toBe('1');
    expect(of('parked_keys_count')).toBe('0');
    expect(of('event_consumer_lag_count')).toBe('0');
    expect(of('event_undelivered_count')).toBe('2');
    expect(of('event_consumer_lag_seconds')).toBeUndefined(); // only the streams know how old their entries are
  });
});

const isHere = (process.env.PATH ?? '')
  .split(delimiter)
  .some(folder => existsSync(join(folder, 'redis-server')));
// house-ok patient-tests: the design asks that a run without Redis says what it left out
describe.runIf(isHere)('a shop on a Redis that loses its memory', () => {
  test('safety-30: two relays, two consumers, FLUSHALL again and again: every event has one effect, in order', async () => {
    const redis = later((await startRedisServer({ own: true })) as RedisServer, it => it.stop());
    const tenantId = newTenant();
    const keys = Array.from({ length: 12 }, (_, at) => `o${at}`);
    const brokers = [await openBroker(redis.url, 'melm'), await openBroker(redis.url, 'melm')];
    for (const broker of brokers) {
      later(await openStock(database, broker), it => it.close());
      later(openRelay(database, { broker }), it => it.close());
    }
    for (let round = 1; round <= 20; round++) {
      await Promise.all(keys.map(orderId => changeOrder(orders, tenantId, { orderId })));
      if (round % 5 === 3) await flushAll(redis.url);
    }
    await waitUntil('every event has its effect', async () => {
      const found = await effects(tenantId);
      return Object.values(found).reduce((sum, versions) => sum + versions.length, 0) >= 20 * keys.length;
    });
    expect(await effects(tenantId)).toEqual(expected(keys, 20));
  });
});
