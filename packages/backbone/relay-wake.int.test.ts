import { openWakeUps } from '@ghasi/brokers/wake-up';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { changeOrder, type Shop, shopMigrations, startShop } from './fixtures/shop.ts';
import { startRelay } from './relay.ts';

const HOUR = 3_600_000;

let database: TestDatabase;
let producer: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  producer = await startShop(database, { relay: false, consumers: false });
});
afterAll(async () => {
  await producer.stop();
  await database.drop();
});

/** A relay in another place than the producer. */
function openRelay(pollMs: number) {
  const db = database.openAs('relay');
  const relay = startRelay({ db, schemas: ['orders'], log: undefined, pollMs, lookMs: HOUR, onMoved() {} });
  onTestFinished(() => relay.stop());
  return { relay, url: db.url };
}

const logged = async (tenantId: string) =>
  (await database.admin('select from brokers.log where tenant_id = $1', [tenantId])).length;

test('X-048, OUTBOX-25, OUTBOX-28: a relay that is always there is woken by the notification of another process, and need not look', async () => {
  const { relay, url } = openRelay(HOUR);
  const woken: string[] = [];
  const wakeUps = openWakeUps({
    url,
    log: undefined,
    onWake(wake) {
      if (wake.kind !== 'outbox') return;
      woken.push(wake.schema);
      relay.nudge(wake.schema, wake.tenantId);
    },
  });
  onTestFinished(() => wakeUps.stop());
  await waitUntil('notifications arrive', () => wakeUps.hears);
  const tenantId = newTenantId();
  for (const count of [1, 2]) {
    await changeOrder(producer.orders, tenantId, { orderId: 'o1' }); // the look at its start may find the first
    await waitUntil('it is in the log', async () => (await logged(tenantId)) === count);
  }
  expect(woken).toContain('orders');
});

test('X-048: without notifications, as behind a pooler that swallows them, the relay finds what waits by looking', async () => {
  openRelay(20);
  const tenantId = newTenantId();
  for (const count of [1, 2]) {
    await changeOrder(producer.orders, tenantId, { orderId: 'o1' });
    await waitUntil('it is in the log', async () => (await logged(tenantId)) === count);
  }
});
