import { randomBytes, randomUUID } from 'node:crypto';
import { listDeadLetters } from '@ghasi/brokers/operations/dead-letters';
import { seek } from '@ghasi/brokers/operations/seek';
import { settleDeadLetters } from '@ghasi/brokers/operations/settle-letters';
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
  shop = await startShop(database, {
    retry: { minBackoffMs: 1, maxBackoffMs: 5, maxAttempts: 7 },
    times: { heartbeatMs: 100, pollMs: 100 },
  });
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
  eventId?: string;
  attributes?: unknown;
}) {
  const { signature } = message;
  const { attributes = signature === undefined ? {} : { signature } } = message;
  const eventId = message.eventId ?? randomUUID();
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
      JSON.stringify(attributes),
    ],
  );
  return eventId;
}

const deadLetter = (eventId: string) =>
  waitUntil('a dead letter', async () => {
    const rows = await database.admin<{ last_error: string; attempts: number; topic: string }>(
      `select k.last_error, k.attempts, l.topic
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
    attempts: 1,
    topic: `${TOPIC}.dlq`,
  });
});

test.each([
  ['null', { signature: null }],
  ['a number', { signature: 5 }],
  ['a list', { signature: ['test.', 'x'] }],
  ['in attributes that are a list', ['signature']],
])('safety-28: a signature that is %s is none, and holds nobody up', async (_what, attributes) => {
  const tenantId = newTenantId();
  const eventId = await inject({ envelope: good.text, attributes, tenantId });
  await changeOrder(shop.orders, tenantId, { orderId: 'beside' });
  expect((await deadLetter(eventId)).last_error).toMatch(/not signed/);
  await waitUntil('the effect', async () => {
    const rows = await database.admin('select from stock.effects where tenant_id = $1', [tenantId]);
    return rows.length === 1;
  });
});

test('safety-28: a genuine body under another tenant is a dead letter', async () => {
  const eventId = await inject({ envelope: good.text, signature: good.signature });
  expect((await deadLetter(eventId)).last_error).toMatch(/tenant/);
});

test.each([
  ['eventId', () => ({ eventId: randomUUID() })],
  ['ordering key', () => ({ key: `${victim}:o2` })],
])('safety-28: a genuine body under another %s is a dead letter', async (what, other) => {
  const { eventId, metadata } = JSON.parse(good.text);
  const own = { tenantId: victim, eventId, key: metadata.orderingKey };
  const injected = await inject({ envelope: good.text, signature: good.signature, ...own, ...other() });
  expect((await deadLetter(injected)).last_error).toBe(`the body has another ${what} than the message`);
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

test('X-080: a schema nobody released is a dead letter as schema drift, after the usual attempts', async () => {
  const { tenantId, metadata } = JSON.parse(good.text);
  const eventId = randomUUID();
  const drifted = edited(() => ({
    eventId,
    schemaUri: `schemas://orders/order/changed/v1#sha256-${'0'.repeat(64)}`,
  }));
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
  expect(await deadLetter(eventId)).toMatchObject({
    last_error: expect.stringMatching(/schema drift/),
    attempts: 7,
  });
});

/** As its owner would publish it on a key of its own, but for one thing. */
function signedBut(change: (envelope: Envelope) => object) {
  const eventId = randomUUID();
  const key = `${victim}:${eventId}`;
  const message = edited(from => {
    const wrong = { ...from, ...change(from as Envelope) } as Envelope;
    return { ...wrong, eventId, metadata: { ...wrong.metadata, orderingKey: key } };
  });
  return inject({ ...message, eventId, tenantId: victim, key });
}
type Envelope = { metadata: object; producedBy: object };

test('X-038: an event of another region is a dead letter, whoever signed it', async () => {
  const eventId = await signedBut(({ metadata }) => ({
    metadata: { ...metadata, dataResidency: 'europe-west1' },
  }));
  expect((await deadLetter(eventId)).last_error).toBe(
    `${TOPIC} is of europe-west1, and this deployment serves me-central1`,
  );
});

test.each([
  [
    'another owner',
    ({ producedBy }: Envelope) => ({ producedBy: { ...producedBy, service: 'stock-service' } }),
    /only orders-service/,
  ],
  [
    'another retention class',
    ({ metadata }: Envelope) => ({ metadata: { ...metadata, retentionClass: 'hot' } }),
    /the registry says warm/,
  ],
])(
  'X-037, INBOX-07, RET-04: a signed envelope that says %s than its event is a dead letter',
  async (_what, change, reason) => {
    expect((await deadLetter(await signedBut(change))).last_error).toMatch(reason);
  },
);

test.each([
  ['null', null],
  ['a list', []],
  ['a text', 'signature'],
  ['no texts', { signature: 7, traceparent: { a: 1 } }],
])(
  'attributes that are %s are a dead letter, and whoever reads the log goes on',
  async (_what, attributes) => {
    const eventId = await inject({ envelope: good.text, attributes });
    expect((await deadLetter(eventId)).last_error).toMatch(/not signed/);
  },
);

test('ORD-04: a message whose ordering key no index takes is a dead letter, and other tenants flow', async () => {
  const [tenantId, other] = [newTenantId(), newTenantId()];
  const [row] = await database.admin<{ event_id: string }>(
    `insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope,
                                attributes, idempotency_key)
     values ($1, 'order', 'long', 1, $2, $3, $4, '{}', 'long') returning event_id`,
    [tenantId, TOPIC, randomBytes(2_250).toString('base64'), good.text],
  );
  await changeOrder(shop.orders, other, { orderId: 'beside' });
  await waitUntil('the effect', async () => {
    const rows = await database.admin('select from stock.effects where tenant_id = $1', [other]);
    return rows.length === 1;
  });
  expect((await deadLetter(row?.event_id ?? '')).last_error).toMatch(/not signed/);
  await changeOrder(shop.orders, other, { orderId: 'beside' });
  await waitUntil('the cursors pass it', async () => {
    const rows = await database.admin(
      `select from brokers.cursor where subscription = 'stock-service'
       and off < (select max(off) from brokers.log where topic = $1)`,
      [TOPIC],
    );
    return rows.length === 0;
  });
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

test('DLQ-16, X-060: a message that cannot be read and was quarantined stays away after a seek, and its key goes on', async () => {
  const tenantId = newTenantId();
  const effects = (count: number) =>
    waitUntil(`${count} effects`, async () => {
      const rows = await database.admin('select version from stock.effects where tenant_id = $1', [tenantId]);
      return rows.length === count && rows;
    });
  const eventId = await inject({
    envelope: 'null',
    signature: sign('null'),
    tenantId,
    key: `${tenantId}:o9`,
  });
  await deadLetter(eventId);
  await changeOrder(shop.orders, tenantId, { orderId: 'o9' });
  const change = { actor: 'usr_operator', reason: 'test' };
  await settleDeadLetters(shop.relay, change, { how: 'quarantined', filter: { tenantId } });
  await effects(1);
  expect(
    await database.admin('select event_id, result from stock.inbox where tenant_id = $1 and event_id = $2', [
      tenantId,
      eventId,
    ]),
  ).toEqual([{ event_id: eventId, result: 'noop' }]);
  await seek(shop.relay, change, { subscription: 'stock-service', to: 'start' });
  await changeOrder(shop.orders, tenantId, { orderId: 'o9' });
  expect(await effects(2)).toEqual([{ version: 1 }, { version: 2 }]);
  expect(await listDeadLetters(shop.relay, { tenantId })).toEqual([]);
});

test('DLQ-16: a message with a NUL in its body and its attributes can be quarantined', async () => {
  const [eventId, key] = [randomUUID(), `${victim}:with-nul`];
  const { envelope, signature } = edited(from => ({
    eventId,
    payload: { note: 'a\0b' },
    metadata: { ...(from as Envelope).metadata, orderingKey: key, retentionClass: 'hot' },
  }));
  const attributes = { signature, traceparent: '\0' };
  await inject({ envelope, attributes, eventId, tenantId: victim, key });
  await deadLetter(eventId);
  const letters = await listDeadLetters(shop.relay, { tenantId: victim });
  const ids = letters.filter(one => one.eventId === eventId).map(({ id }) => id);
  const change = { actor: 'usr_operator', reason: 'test' };
  await settleDeadLetters(shop.relay, change, { how: 'quarantined', filter: { ids } });
  expect(await database.admin('select result from stock.inbox where event_id = $1', [eventId])).toEqual([
    { result: 'noop' },
  ]);
});

test('safety-28: to skip a forged copy of a message does not skip the message', async () => {
  const tenantId = newTenantId();
  const letters = (count: number) =>
    waitUntil(`${count} dead letters`, async () => {
      const found = await listDeadLetters(shop.relay, { tenantId });
      return found.length === count && found;
    });
  await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
  const [genuine] = await waitUntil('it was applied', () =>
    database
      .admin<{ event_id: string }>('select event_id from stock.inbox where tenant_id = $1', [tenantId])
      .then(rows => (rows.length === 1 ? rows : undefined)),
  );
  // As it stands while a reaction that fails is waited for.
  await database.admin(`update stock.inbox set processed_at = null, result = 'error' where tenant_id = $1`, [
    tenantId,
  ]);
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     select day, nextval('brokers.log_off'), shard, topic, ordering_key, event_id, tenant_id, envelope, '{}', 'by hand', now()
     from brokers.log where tenant_id = $1`,
    [tenantId],
  );
  await letters(1);
  await settleDeadLetters(
    shop.relay,
    { actor: 'usr_operator', reason: 'test' },
    { how: 'skipped', filter: { tenantId } },
  );
  await letters(0);
  expect(
    await database.admin('select event_id, result from stock.inbox where tenant_id = $1', [tenantId]),
  ).toEqual([{ event_id: genuine?.event_id, result: 'error' }]);
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
