import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { tenantWrite } from '@ghasi/db/tenant-write';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { inTraceOf } from '@ghasi/telemetry/tracing';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { samplesOf } from './fixtures/metric-samples.ts';
import {
  changeOrder,
  OrderChanged,
  type Shop,
  StockReserved,
  shopMigrations,
  startShop,
} from './fixtures/shop.ts';
import { startRelay } from './relay.ts';
import { createSigner } from './signature.ts';

let database: TestDatabase;
let shop: Shop;
const metrics = createMetrics();
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database, { relay: false, consumers: false, metrics });
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

test('OUTBOX-01, OUTBOX-08, OUTBOX-10..OUTBOX-16, ENV-25, X-022: a use case leaves its row and its event, or neither', async () => {
  const tenantId = newTenantId();
  await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
  const [row, ...more] = await outbox(tenantId);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    seq: expect.any(BigInt),
    tenant_id: tenantId,
    aggregate_type: 'order',
    aggregate_id: 'o1',
    topic: 'shop.orders.order.changed.v1',
    ordering_key: `${tenantId}:o1`,
    aggregate_version: 1n,
    idempotency_key: 'o1:changed:1',
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

test('X-049: the same intent published twice leaves one event, and what was left out is counted', async () => {
  const tenantId = newTenantId();
  const name = 'melmastoon_outbox_repeated_total';
  const repeated = async () => Object.values(await samplesOf(metrics, name)).reduce((sum, n) => sum + n, 0);
  const before = await repeated();
  await publish(tenantId, [changed(1), changed(1), changed(2)]);
  expect(await outbox(tenantId)).toHaveLength(2);
  expect((await repeated()) - before).toBe(1);
  expect(await samplesOf(metrics, name)).toEqual({
    'service=orders-service,topic=shop.orders.order.changed.v1': expect.any(Number),
  });
});

test('X-049: events of one transaction keep their order, however many there are, and repeated intents fall out', async () => {
  const who = { tenantId: newTenantId(), actor: testActor };
  const versions = Array.from({ length: 53 }, (_, n) => n + 1); // with every fifth followed by one before it 63: 16, 16, 16, 8, 4, 2, 1
  const again = versions.flatMap(version => (version % 5 === 0 ? [version, version - 1] : [version]));
  await tenantTransaction(shop.orders, who, async () =>
    accepted(
      0,
      again.map(version => changed(version)),
    ),
  );
  const rows = await outbox(who.tenantId);
  expect(rows.map(({ aggregate_version }) => Number(aggregate_version))).toEqual(versions);
});

test('safety-28: an event is signed over its exact text', async () => {
  const tenantId = newTenantId();
  await publish(tenantId, [changed(1)]);
  const [row] = await outbox(tenantId);
  const signer = createSigner([{ id: 'test', secret: database.secret }]);
  expect(signer.verify(row?.text ?? '', row?.attributes.signature)).toBe(true);
  expect(signer.verify(`${row?.text} `, row?.attributes.signature)).toBe(false);
});

test('ENV-09, ENV-11: callers who share a transaction leave events of their own, each in his name and trace', async () => {
  const tenantId = newTenantId();
  const traces = ['a', 'b', 'c'].map(letter => letter.repeat(32));
  await Promise.all(
    traces.map((trace, n) =>
      inTraceOf(`00-${trace}-${'1'.repeat(16)}-01`, () =>
        tenantWrite(shop.orders, { tenantId, actor: { type: 'user', id: `usr_${n}` } }, () =>
          accepted(n, [changed(n + 1)]),
        ),
      ),
    ),
  );
  const rows = await outbox(tenantId);
  const told = rows.map(({ envelope, attributes }) => [
    envelope.actorId,
    attributes.traceparent.split('-')[1],
  ]);
  expect(told).toHaveLength(3);
  expect(told).toEqual(
    expect.arrayContaining(traces.map((trace, n) => [{ type: 'user', id: `usr_${n}` }, trace])),
  );
});

test('a bad event is the fault of its caller alone, and what others published with it stands', async () => {
  const tenantId = newTenantId();
  const who = { tenantId, actor: testActor };
  const outcomes = await Promise.allSettled([
    tenantWrite(shop.orders, who, () => accepted(1, [changed(1)])),
    tenantWrite(shop.orders, who, () =>
      accepted(2, [StockReserved.from({ orderId: 'o1', version: 2 }, { aggregateVersion: 2 })]),
    ),
    tenantWrite(shop.orders, who, () => accepted(3, [changed(3)])),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'NOT_THE_OWNER' } });
  const versions = (await outbox(tenantId)).map(({ aggregate_version }) => Number(aggregate_version));
  expect(versions.sort()).toEqual([1, 3]);
});

test('ENV-09, X-024: events of one transaction share one trace, and the traceparent is of that trace', async () => {
  const tenantId = newTenantId();
  await publish(tenantId, [changed(1), changed(2)]);
  const rows = await outbox(tenantId);
  expect(new Set(rows.map(row => row.envelope.correlationId)).size).toBe(1);
  expect(new Set(rows.map(row => row.attributes.traceparent.split('-')[1])).size).toBe(1);
});

/** Declared, its owner's, and in no registry. */
const OrderForgotten = eventCatalogue({
  prefix: 'shop',
  services: { orders: 'orders-service' },
}).defineEvent({
  subject: 'shop.orders.order.forgotten.v1',
  summary: 'an order was forgotten',
  retention: 'warm',
  payload: z.strictObject({ orderId: z.string() }),
  aggregateId: ({ orderId }) => orderId,
  idempotencyKey: ({ orderId }) => orderId,
});

test.each([
  [
    'CAT-08: an event that nobody registered',
    () => [OrderForgotten.from({ orderId: 'o1' }, { aggregateVersion: 1 })],
    /shop\.orders\.order\.forgotten\.v1 .*regist/,
  ],
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
  ['an event that is in no list', () => changed(1) as never, /reaction \[Event\.from\(…\)\] or nothing/],
  ['an event that is far too large', () => [changed(1, 'x'.repeat(300_000))], /more than 262144/],
])('X-037: %s is refused at append, and nothing of the command is kept', async (_what, events, reason) => {
  const tenantId = newTenantId();
  await expect(publish(tenantId, events())).rejects.toThrow(reason);
  expect(await outbox(tenantId)).toEqual([]);
  expect(await database.admin('select from orders.orders where tenant_id = $1', [tenantId])).toEqual([]);
});

test.each([
  ['a list of events', () => [changed(1)]],
  ['an event', () => changed(1)],
  ['what another use case accepted', () => accepted(accepted('o1', [changed(1)]), [])],
])(
  'a use case that answers with %s instead of publishing it fails: nobody would hear of it',
  async (_what, answer) => {
    const tenantId = newTenantId();
    const who = { tenantId, actor: testActor };
    const insert = sql`insert into orders.orders (tenant_id, id, version) values (${tenantId}, 'o1', 1)`;
    const together = tenantWrite<unknown>(shop.orders, who, ctx => {
      ctx.write(execute(ctx.tx, insert));
      return answer();
    });
    await expect(together).rejects.toThrow('return accepted(answer, [event])');
    const alone = tenantTransaction<unknown>(shop.orders, who, async ctx => {
      await execute(ctx.tx, insert);
      return answer();
    });
    await expect(alone).rejects.toThrow('return accepted(answer, [event])');
    expect(await outbox(tenantId)).toEqual([]);
    expect(await database.admin('select from orders.orders where tenant_id = $1', [tenantId])).toEqual([]);
  },
);

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

test('an event whose number was used before is moved too: a server that took over may count from further back', async () => {
  const relay = startRelay({
    db: database.openAs('relay'),
    schemas: ['orders'],
    log: undefined,
    pollMs: 20,
    lookMs: 100,
    onMoved() {},
  });
  const [before, after] = [newTenantId(), newTenantId()];
  for (const version of [1, 2, 3]) await changeOrder(shop.orders, before, { orderId: `o${version}` });
  const logged = async (tenantId: TenantId) =>
    (await database.admin('select from brokers.log where tenant_id = $1', [tenantId])).length;
  await waitUntil('all are in the log', async () => (await logged(before)) === 3);
  await waitUntil('no number is missing', () => relay.seen('orders').holes === '{}');
  const [at] = await database.admin<{ seq: number }>(
    'select min(source_seq)::float8 as seq from brokers.log where tenant_id = $1',
    [before],
  );
  await database.admin(`alter table orders.outbox alter column seq restart with ${at?.seq}`);
  await changeOrder(shop.orders, after, { orderId: 'o1' });
  await waitUntil('it is in the log too', async () => (await logged(after)) === 1);
  await relay.stop();
});
