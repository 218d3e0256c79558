import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeOrder, shopMigrations, startShop } from './fixtures/shop.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
});
afterAll(() => database.drop());

test('a database that stops answering without a word is left after a while, and events flow over new connections', async () => {
  let isLost = false;
  let swallowed = 0;
  const judge = () => {
    if (isLost) swallowed++;
    return isLost ? 'swallow' : 'pass';
  };
  const proxy = await tcpProxy({ target: targetOf(database.adminUrl), judge });
  const place = { adminUrl: proxy.through(database.adminUrl), secret: database.secret };
  const times = { heartbeatMs: 100, pollMs: 50, ackMs: 50 };
  const shop = await startShop(place, { answerMs: 2_000, times });
  const tenantId = newTenantId();
  const arrived = (orderId: string) =>
    waitUntil(`the effect of ${orderId}`, async () => {
      const rows = await database.admin('select from stock.effects where tenant_id = $1 and order_id = $2', [
        tenantId,
        orderId,
      ]);
      return rows.length > 0;
    });
  await changeOrder(shop.orders, tenantId, { orderId: 'before' });
  await arrived('before');

  isLost = true;
  await waitUntil('relay and consumers wait for answers', () => swallowed >= 8);
  await expect(changeOrder(shop.orders, tenantId, { orderId: 'meanwhile' })).rejects.toThrow();
  isLost = false;

  await changeOrder(shop.orders, tenantId, { orderId: 'after' });
  await arrived('after');
  await shop.stop();
  await proxy.close();
});
