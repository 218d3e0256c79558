import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeOrder, type Shop, shopMigrations, startShop } from './fixtures/shop.ts';
import { createSigner } from './signature.ts';

const TOPIC = 'shop.orders.order.changed.v1';
const victim = newTenantId();
let database: TestDatabase;
let shop: Shop;
let good: { text: string; signature: string };
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database);
  await changeOrder(shop.orders, victim, { orderId: 'o1' });
  const [row] = await waitUntil('the first event in the log', async () => {
    const rows = await database.admin<{ text: string; attributes: { signature: string } }>(
      'select envelope::text as text, attributes from brokers.log where tenant_id = $1',
      [victim],
    );
    return rows.length === 1 ? rows : undefined;
  });
  good = { text: row?.text ?? '', signature: row?.attributes.signature ?? '' };
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

/** Puts a message straight on the broker, as somebody with the keys to the database could. */
async function inject(message: {
  envelope: string;
  signature?: string;
  tenantId?: string;
  topic?: string;
  key?: string;
}) {
  const eventId = randomUUID();
  const tenantId = message.tenantId ?? newTenantId();
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     values (brokers.log_today(), nextval('brokers.log_off'), brokers.shard_of($2), $1, $2, $3, $4, $5, $6, 'by hand', now())`,
    [
      message.topic ?? TOPIC,
      message.key ?? `${tenantId}:forged`,
      eventId,
      tenantId,
      message.envelope,
      JSON.stringify(message.signature === undefined ? {} : { signature: message.signature }),
    ],
  );
  return eventId;
}

const deadLetter = (eventId: string) =>
  waitUntil('a dead letter', async () => {
    const rows = await database.admin<{ last_error: string; topic: string }>(
      `select k.last_error, l.topic
       from brokers.parked_message m
       join brokers.parked_key k using (tenant_id, subscription, park_key)
       join brokers.log l on l.event_id = m.event_id and l.topic like '%.dlq'
       where m.event_id = $1 and k.state = 'dead'`,
      [eventId],
    );
    return rows[0];
  });

const sign = (text: string) => createSigner([{ id: 'test', secret: database.secret }]).sign(text);
const edited = (change: (envelope: Record<string, unknown>) => object) => {
  const text = JSON.stringify({ ...JSON.parse(good.text), ...change(JSON.parse(good.text)) });
  return { envelope: text, signature: sign(text) };
};

test('safety-28: a message without a signature is a dead letter with a reason', async () => {
  const eventId = await inject({ envelope: good.text });
  expect(await deadLetter(eventId)).toEqual({
    last_error: expect.stringMatching(/not signed/),
    topic: `${TOPIC}.dlq`,
  });
});

test('safety-28: a genuine body under another tenant is a dead letter', async () => {
  const eventId = await inject({ envelope: good.text, signature: good.signature });
  expect((await deadLetter(eventId)).last_error).toMatch(/tenant/);
});

test('safety-28: a body that was changed after signing is a dead letter', async () => {
  const eventId = await inject({ envelope: good.text.replace('"o1"', '"o2"'), signature: good.signature });
  expect((await deadLetter(eventId)).last_error).toMatch(/not signed/);
});

test.each([
  ['no envelope at all', '{"hello":"world"}', /body is of undefined/],
  ['a list', '[1,2,3]', /body is of undefined/],
  ['null', 'null', /unreadable/],
  ['a number', '42', /body is of undefined/],
])('INBOX-07: %s, even signed, is a dead letter', async (_what, envelope, reason) => {
  const eventId = await inject({ envelope, signature: sign(envelope) });
  expect((await deadLetter(eventId)).last_error).toMatch(reason);
});

test('X-080: a schema nobody released is a dead letter as schema drift', async () => {
  const { tenantId, eventId, metadata } = JSON.parse(good.text);
  const drifted = edited(() => ({ schemaUri: `schemas://orders/order/changed/v1#sha256-${'0'.repeat(64)}` }));
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     values (brokers.log_today(), nextval('brokers.log_off'), brokers.shard_of($2), $1, $2, $3, $4, $5, $6, 'by hand', now())`,
    [
      TOPIC,
      metadata.orderingKey,
      eventId,
      tenantId,
      drifted.envelope,
      JSON.stringify({ signature: drifted.signature }),
    ],
  );
  expect((await deadLetter(eventId)).last_error).toMatch(/schema drift/);
});

test("safety-28: a forged message on a key, its own tenant's or another's, holds nothing back", async () => {
  const [tenantId, other] = [newTenantId(), newTenantId()];
  for (const forger of [tenantId, other])
    await deadLetter(await inject({ envelope: good.text, tenantId: forger, key: `${tenantId}:o7` }));
  await changeOrder(shop.orders, tenantId, { orderId: 'o7' });
  await waitUntil('the effect', async () => {
    const rows = await database.admin('select from stock.effects where tenant_id = $1', [tenantId]);
    return rows.length === 1;
  });
  expect(await database.admin('select from stock.effects where tenant_id = $1', [other])).toEqual([]);
});

test('after all that, other tenants and other keys flow, and nothing crashed', async () => {
  const tenantId = newTenantId();
  await changeOrder(shop.orders, tenantId, { orderId: 'fine' });
  const effects = await waitUntil('the effect', async () => {
    const rows = await database.admin('select order_id from stock.effects where tenant_id = $1', [tenantId]);
    return rows.length > 0 && rows;
  });
  expect(effects).toEqual([{ order_id: 'fine' }]);
  // Of the victim: its own first event, and none of the forgeries.
  expect(
    await database.admin('select order_id, version from stock.effects where tenant_id = $1', [victim]),
  ).toEqual([{ order_id: 'o1', version: 1 }]);
});
