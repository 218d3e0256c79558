import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeOrder, type Shop, shopMigrations, startShop } from './fixtures/shop.ts';

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
