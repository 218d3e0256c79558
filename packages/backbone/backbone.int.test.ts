import { openDatabase } from '@ghasi/db/database';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Backbone } from './backbone.ts';
import {
  changeOrder,
  OrderChanged,
  orders,
  type Shop,
  StockReserved,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { type Claim, createInbox } from './inbox.ts';
import { createRegistry } from './registry.ts';
import { createSigner } from './signature.ts';

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database);
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const effects = (tenantId: string) =>
  database.admin<{ order_id: string; version: number }>(
    'select order_id, version from stock.effects where tenant_id = $1 order by seq',
    [tenantId],
  );

test('OUTBOX-01, INBOX-02: a committed event has one effect, in order', async () => {
  const tenantId = uuid7() as unknown as TenantId;
  for (let n = 0; n < 5; n++) await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
  await waitUntil('five effects', async () => (await effects(tenantId)).length >= 5);
  expect(await effects(tenantId)).toEqual([1, 2, 3, 4, 5].map(version => ({ order_id: 'o1', version })));
  expect(await database.admin('select count(*)::int as n from orders.outbox')).toEqual([{ n: 0 }]);
});

test('a backbone that could not start its consumers leaves no session behind', async () => {
  const place = await testDatabase({ migrations: shopMigrations });
  const judge = (chunk: Buffer) => (chunk.includes('heartbeat_at >') ? 'cut-before' : 'pass');
  const proxy = await tcpProxy({ target: targetOf(place.adminUrl), judge });
  const backbone = new Backbone({
    services: [orders, stock()],
    registry: createRegistry([OrderChanged, StockReserved]),
    signer: createSigner([{ id: 'test', secret: place.secret }]),
    producedBy: { instance: 'test-1', commit: '0000000', region: 'me-central1' },
    dataResidency: 'me-central1',
  });
  const relayDb = openDatabase({ url: proxy.through(place.roleUrl('relay')), service: 'relay' });
  const databases = { orders: place.open('orders'), stock: place.open('stock') };
  await expect(backbone.start({ relayDb, databases })).rejects.toThrow();
  const sessions = () =>
    place.admin(
      `select from pg_stat_activity where datname = current_database() and application_name like 'melm-%'`,
    );
  expect(await sessions()).not.toEqual([]);
  await backbone.stop();
  await waitUntil('nothing is left of it', async () => (await sessions()).length === 0);
  await relayDb.close();
  await proxy.close();
  await place.drop();
});

test('whoever lost one of the shards of a batch claims none of it', async () => {
  const fence = (epochs: number[]) => ({ subscription: 'fenced-service', shards: [3, 4], epochs });
  await database.admin(
    `insert into brokers.cursor (subscription, shard, off, day, epoch)
     values ('fenced-service', 3, 0, current_date, 7), ('fenced-service', 4, 0, current_date, 9)`,
  );
  const stock = database.openAs('svc_stock');
  const who = { tenantId: uuid7() as unknown as TenantId, actor: { type: 'service', id: 'stock' } } as const;
  const inbox = createInbox('stock');
  const claims = [1, 2].map((version): Claim => {
    const of = { orderingKey: 'o1', aggregateVersion: version, occurredAt: new Date().toISOString() };
    const message = { messageId: `${version}`, idempotencyKey: `o1:${version}`, topic: 't', eventType: 't' };
    return { consumer: 'stock-service.order-changed', eventId: uuid7(), ...message, ...of };
  });
  const claim = (epochs: number[]) =>
    tenantTransaction(stock, who, ctx => inbox.claim(ctx, claims, fence(epochs)));

  await expect(claim([7, 8])).rejects.toMatchObject({ code: 'MB001' });
  await expect(claim([6, 9])).rejects.toMatchObject({ code: 'MB001' });
  expect(await database.admin('select from stock.inbox where tenant_id = $1', [who.tenantId])).toEqual([]);
  expect(await claim([7, 9])).toEqual(new Set([0, 1]));
  expect(await claim([7, 9])).toEqual(new Set());

  // Whoever lost it may fail at what somebody else has applied since.
  await inbox.recordFailure(stock, who, claims[0] as Claim, 'too late');
  expect(
    await database.admin('select result, attempts, last_error from stock.inbox where tenant_id = $1', [
      who.tenantId,
    ]),
  ).toEqual(claims.map(() => ({ result: 'ok', attempts: 0, last_error: null })));
});
