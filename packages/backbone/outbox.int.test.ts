import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeOrder,
  OrderChanged,
  type Shop,
  StockReserved,
  shopMigrations,
  startShop,
} from './fixtures/shop.ts';
import { createSigner } from './signature.ts';

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database, { relay: false, consumers: false });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

type Row = {
  id: string;
  event_id: string;
  topic: string;
  ordering_key: string;
  aggregate_version: string;
  envelope: Record<string, unknown> & {
    correlationId: string;
    eventId: string;
    metadata: Record<string, unknown>;
  };
  attributes: { traceparent: string; signature: string };
  text: string;
};

const outbox = (tenantId: TenantId) =>
  database.admin<Row>(
    'select *, envelope::text as text from orders.outbox where tenant_id = $1 order by seq',
    [tenantId],
  );

const publish = (tenantId: TenantId, events: readonly unknown[], db = shop.orders) =>
  tenantTransaction(db, { tenantId, actor: testActor }, async ({ tx }) => {
    await execute(tx, sql`insert into orders.orders (tenant_id, id, version) values (${tenantId}, 'o1', 1)`);
    return accepted('done', events);
  });

const changed = (version: number, note = '') =>
  OrderChanged.from({ orderId: 'o1', version, note }, { aggregateVersion: version });

test('OUTBOX-01, OUTBOX-07..OUTBOX-16, ENV-25, X-022: a use case leaves its row and its event, or neither', async () => {
  const tenantId = newTenantId();
  await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
  const [row, ...more] = await outbox(tenantId);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    topic: 'shop.orders.order.changed.v1',
    ordering_key: `${tenantId}:o1`,
    aggregate_version: 1n,
    envelope: {
      tenantId,
      eventId: row?.event_id,
      idempotencyKey: 'o1:changed:1',
      payload: { orderId: 'o1', version: 1 },
    },
  });
  expect(row?.id).toBe(row?.event_id);
});

test('OUTBOX-05: a transaction that is rolled back leaves no event', async () => {
  const tenantId = newTenantId();
  const failing = tenantTransaction(shop.orders, { tenantId, actor: testActor }, async ({ tx }) => {
    await execute(tx, sql`select 1`);
    accepted('never returned', [changed(1)]);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await outbox(tenantId)).toEqual([]);
});

test('X-049: the same intent published twice leaves one event', async () => {
  const tenantId = newTenantId();
  await publish(tenantId, [changed(1), changed(1)]);
  expect(await outbox(tenantId)).toHaveLength(1);
});

test('safety-28: an event is signed over its exact text', async () => {
  const tenantId = newTenantId();
  await publish(tenantId, [changed(1)]);
  const [row] = await outbox(tenantId);
  const signer = createSigner([{ id: 'test', secret: database.secret }]);
  expect(signer.verify(row?.text ?? '', row?.attributes.signature)).toBe(true);
  expect(signer.verify(`${row?.text} `, row?.attributes.signature)).toBe(false);
});

test('ENV-09, X-024: events of one transaction share one trace, and the traceparent is of that trace', async () => {
  const tenantId = newTenantId();
  await publish(tenantId, [changed(1), changed(2)]);
  const rows = await outbox(tenantId);
  expect(new Set(rows.map(row => row.envelope.correlationId)).size).toBe(1);
  expect(new Set(rows.map(row => row.attributes.traceparent.split('-')[1])).size).toBe(1);
});

test.each([
  [
    'CAT-07, BROKER-18: an event of another service',
    () => [StockReserved.from({ orderId: 'o1', version: 1 }, { aggregateVersion: 1 })],
    /belongs to stock-service/,
  ],
  [
    'OUTBOX-02: something that is no event',
    () => [{ event: OrderChanged, payload: {}, aggregateId: 'o1' }],
    /no event/,
  ],
  ['an event that is far too large', () => [changed(1, 'x'.repeat(300_000))], /more than 262144/],
])('X-037: %s is refused at append, and nothing of the command is kept', async (_what, events, reason) => {
  const tenantId = newTenantId();
  await expect(publish(tenantId, events())).rejects.toThrow(reason);
  expect(await outbox(tenantId)).toEqual([]);
  expect(await database.admin('select from orders.orders where tenant_id = $1', [tenantId])).toEqual([]);
});

test('a service opened without an outbox cannot publish', async () => {
  const tenantId = newTenantId();
  await expect(publish(tenantId, [changed(1)], database.open('orders'))).rejects.toThrow(/without an outbox/);
  expect(await database.admin('select from orders.orders where tenant_id = $1', [tenantId])).toEqual([]);
});

test('safety-7: the outbox refuses a row of another tenant', async () => {
  const [tenantId, other] = [newTenantId(), newTenantId()];
  const forged = tenantTransaction(shop.orders, { tenantId, actor: testActor }, async ({ tx }) => {
    await execute(
      tx,
      sql`insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key,
                                     envelope, attributes, idempotency_key)
          values (${other}, 'order', 'o1', 1, 't', 'k', '{}', '{}', 'k')`,
    );
  });
  await expect(forged).rejects.toThrow(/row-level security/);
});
