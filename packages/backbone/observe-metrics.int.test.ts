import { replayRange } from '@ghasi/brokers/operations/replay-range';
import { settleDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import { openDatabase } from '@ghasi/db/database';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { GiveUp } from '@ghasi/jobs/outcome';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { samplesOf } from './fixtures/metric-samples.ts';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  type Shop,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { observeBacklog } from './observe-backlog.ts';
import { createOutbox } from './outbox.ts';
import { on, type Reaction } from './reaction.ts';
import { createRegistry } from './registry.ts';
import { createSigner } from './signature.ts';

const TOPIC = OrderChanged.subject;
const STOCK = `service=stock-service,topic=${TOPIC},subscription=stock-service`;
const large = newTenantId();
const metrics = createMetrics();

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  const handle: Reaction = on(OrderChanged, async (ctx, order) => {
    if (order.note === 'impossible') throw new GiveUp('impossible');
    if (order.note === 'nothing to do') return 'noop';
    return recordEffect(ctx, order);
  }) as Reaction;
  shop = await startShop(database, {
    metrics,
    stock: stock([handle]),
    tenantClassOf: async tenantId => (tenantId === large ? 'large' : 'small'),
  });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const change = (tenantId: TenantId, orderId: string, note = '') =>
  changeOrder(shop.orders, tenantId, { orderId, note });

/** Waits until nothing is on its way: then every message has been counted. */
const quiet = () =>
  waitUntil('nothing is on its way', async () => {
    await shop.backbone.hurry();
    const waiting = [
      ...Object.values(await samplesOf(metrics, 'melmastoon_outbox_unpublished_count')),
      ...Object.values(await samplesOf(metrics, 'melmastoon_event_undelivered_count')),
    ];
    return waiting.length === 3 && waiting.every(value => value === 0);
  });

/** Waits until a sample has a value. */
const reaches = (name: string, labels: string, value: number) =>
  waitUntil(`${name}{${labels}} is ${value}`, async () => {
    await shop.backbone.hurry();
    return ((await samplesOf(metrics, name))[labels] ?? 0) === value;
  });

test('OBS-20, OBS-21: what is consumed and given up is counted from 0 on, so that a first burst is an increase', async () => {
  expect(await samplesOf(metrics, 'melmastoon_events_consumed_total')).toEqual({
    [`${STOCK},result=ok`]: 0,
    [`${STOCK},result=noop`]: 0,
    [`${STOCK},result=error`]: 0,
  });
  expect(await samplesOf(metrics, 'melmastoon_events_dlq_total')).toEqual({ [STOCK]: 0 });
});

test('OBS-05, OBS-14, X-040: published events are counted by topic and by the class of their tenant', async () => {
  const published = (of: string) => `service=orders-service,topic=${TOPIC},tenant_id_class=${of}`;
  const name = 'melmastoon_events_published_total';
  await quiet();
  const before = (await samplesOf(metrics, name))[published('small')] ?? 0;
  for (const tenantId of [large, newTenantId(), newTenantId()]) await change(tenantId, 'o1');
  await reaches(name, published('small'), before + 2);
  await reaches(name, published('large'), 1);
  const waits = await samplesOf(metrics, 'melmastoon_event_publish_duration_seconds_count');
  expect(waits[`service=orders-service,topic=${TOPIC}`]).toBe(before + 3);
});

test('OBS-06, OBS-08, OBS-11: consumed events are counted by result, and what the inbox knew as skipped', async () => {
  const name = 'melmastoon_events_consumed_total';
  const result = (of: string) => `${STOCK},result=${of}`;
  await quiet();
  const before = await samplesOf(metrics, name);
  const tenantId = newTenantId();
  const since = new Date();
  await change(tenantId, 'o1');
  await change(tenantId, 'o2', 'nothing to do');
  await reaches(name, result('ok'), (before[result('ok')] ?? 0) + 1);
  await reaches(name, result('noop'), (before[result('noop')] ?? 0) + 1);

  const again = { subscription: 'stock-service', since: new Date(since.getTime() - 60_000), tenantId };
  await replayRange(shop.relay, { actor: 'test', reason: 'once more' }, again);
  await reaches('melmastoon_inbox_dedup_skips_total', `service=stock-service,topic=${TOPIC}`, 2);
  await reaches(name, result('noop'), (before[result('noop')] ?? 0) + 3);
  const consumed = await samplesOf(metrics, name);
  const timed = await samplesOf(metrics, 'melmastoon_event_processing_duration_seconds_count');
  expect(timed[STOCK]).toBe((consumed[result('ok')] ?? 0) + (consumed[result('noop')] ?? 0));
});

test('OBS-07, OBS-24, DLQ-12, X-071: a dead letter is counted, is in the depth until it is settled, and what waits behind it is undelivered', async () => {
  const tenantId = newTenantId();
  await change(tenantId, 'o1', 'impossible');
  await reaches('melmastoon_dlq_depth_count', STOCK, 1);
  await reaches('melmastoon_events_dlq_total', STOCK, 1); // counted when the server has answered, after it shows
  await reaches('melmastoon_events_consumed_total', `${STOCK},result=error`, 1);
  await change(tenantId, 'o1');
  await reaches('melmastoon_event_undelivered_count', 'service=stock-service,subscription=stock-service', 1);
  await settleDeadLetters(
    shop.relay,
    { actor: 'test', reason: 'not needed' },
    { how: 'skipped', filter: { tenantId } },
  );
  await reaches('melmastoon_dlq_depth_count', STOCK, 0);
  await reaches('melmastoon_event_undelivered_count', 'service=stock-service,subscription=stock-service', 0);
});

test('OBS-09, OBS-10: rows the relay cannot publish are counted with the age of the oldest, and none are when it can', async () => {
  const lock = database.openAs('relay', { max: 1 });
  const held = await lock.pool.connect();
  await held.query('select pg_advisory_lock(brokers.append_lock())');
  const tenantId = newTenantId();
  for (const orderId of ['a', 'b', 'c']) await change(tenantId, orderId);
  await database.admin(
    `update orders.outbox set enqueued_at = enqueued_at - interval '90 seconds' where aggregate_id = 'a'`,
  );
  const count = () => samplesOf(metrics, 'melmastoon_outbox_unpublished_count');
  const oldest = () => samplesOf(metrics, 'melmastoon_outbox_oldest_unpublished_seconds');
  expect(await count()).toEqual({ 'service=orders-service': 3, 'service=stock-service': 0 });
  expect((await oldest())['service=orders-service']).toBeGreaterThanOrEqual(90);
  const ages = await samplesOf(metrics, 'melmastoon_event_backlog_age_seconds');
  expect(ages['retention_class=warm']).toBeGreaterThanOrEqual(90);
  expect([ages['retention_class=hot'], ages['retention_class=cold']]).toEqual([0, 0]);
  await held.query('select pg_advisory_unlock(brokers.append_lock())');
  held.release();
  await reaches('melmastoon_outbox_unpublished_count', 'service=orders-service', 0);
  expect(await oldest()).toEqual({ 'service=orders-service': 0, 'service=stock-service': 0 });
});

test('X-083, OBS-23: a publish across tenants that no table allows is refused and counted', async () => {
  const { defineEvent } = eventCatalogue({
    prefix: 'shop',
    services: { orders: 'orders-service' },
    crossTenant: ['orders'],
  });
  const Leaked = defineEvent({
    subject: 'shop.orders.order.leaked.v1',
    summary: 'an order was shown to everybody',
    retention: 'hot',
    crossTenant: true,
    payload: z.strictObject({ orderId: z.string() }),
    aggregateId: ({ orderId }) => orderId,
    idempotencyKey: ({ orderId }) => orderId,
  });
  const outbox = createOutbox({
    service: 'orders-service',
    schema: 'orders',
    registry: createRegistry([Leaked]),
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    producedBy: { instance: 'test-1', commit: '0000000', region: 'me-central1' },
    dataResidency: 'me-central1',
    metrics,
    onCommitted: () => {},
  });
  const publish = tenantTransaction(shop.orders, { tenantId: newTenantId(), actor: testActor }, async ctx =>
    outbox.rowsOf(ctx, [Leaked.from({ orderId: 'o1' }, { aggregateVersion: 1 })]),
  );
  await expect(publish).rejects.toThrow(/may not leave its tenant/);
  expect(await samplesOf(metrics, 'melmastoon_cross_tenant_publish_blocked_total')).toEqual({
    'service=orders-service,topic=shop.orders.order.leaked.v1': 1,
  });
});

test('OBS-31: a database that does not answer is told as such, and the other gauges are left out', async () => {
  expect(await samplesOf(metrics, 'melmastoon_db_reachable_count')).toEqual({ 'service=relay': 1 });
  const alone = createMetrics();
  const gone = openDatabase({ url: 'postgres://relay@127.0.0.1:1/none', service: 'relay', max: 1 });
  const end = observeBacklog({
    db: gone,
    metrics: alone,
    services: [{ name: 'orders-service', schema: 'orders' }],
    subscriptions: [],
    seen: () => ({ after: 0, holes: '{}' }),
    retentionOf: () => undefined,
  });
  expect(await samplesOf(alone, 'melmastoon_db_reachable_count')).toEqual({ 'service=relay': 0 });
  expect(await samplesOf(alone, 'melmastoon_outbox_unpublished_count')).toEqual({});
  end();
  await gone.close();
});

test('OBS-31: a database that answers is there, also while what waits cannot be read', async () => {
  const alone = createMetrics();
  const end = observeBacklog({
    db: shop.relay,
    metrics: alone,
    services: [{ name: 'nowhere-service', schema: 'nowhere' }],
    subscriptions: [],
    seen: () => ({ after: 0, holes: '{}' }),
    retentionOf: () => undefined,
  });
  expect(await samplesOf(alone, 'melmastoon_db_reachable_count')).toEqual({ 'service=relay': 1 });
  expect(await samplesOf(alone, 'melmastoon_outbox_unpublished_count')).toEqual({});
  end();
});
