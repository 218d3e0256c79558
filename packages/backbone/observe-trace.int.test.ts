import { replayRange } from '@ghasi/brokers/operations/replay-range';
import { replayDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuidFromUlid } from '@ghasi/domain-primitives/uuid';
import { GiveUp } from '@ghasi/jobs/outcome';
import { type FinishedSpan, memoryExporter } from '@ghasi/telemetry/memory-exporter';
import { correlationId, startTracing, withSpan } from '@ghasi/telemetry/tracing';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  type Shop,
  StockReserved,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { on, type Reaction } from './reaction.ts';

const PROCESS = 'shop.orders.order.changed.v1 process';
const change = { actor: 'nadia@desk', reason: 'INC-20: once more' };

let database: TestDatabase;
let shop: Shop;
const poisoned = new Set<string>();
const heard = new Map<string, string>();
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  const reserve = async (ctx: Ctx, order: { orderId: string; version: number }) => {
    heard.set(order.orderId, correlationId());
    if (poisoned.has(order.orderId)) throw new GiveUp('impossible');
    await recordEffect(ctx, order);
    const reserved = { orderId: order.orderId, version: order.version };
    return [StockReserved.from(reserved, { aggregateVersion: order.version })];
  };
  shop = await startShop(database, { stock: stock([on(OrderChanged, reserve) as Reaction]) });
  // The relay's first looks began before anybody traces, and may still be on their way to the server.
  const tenantId = newTenantId();
  await changeOrder(shop.orders, tenantId, { orderId: 'o0' });
  await waitUntil('both outboxes were looked at', async () => {
    return (await logOf(tenantId, StockReserved.subject)).length > 0;
  });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

let memory: ReturnType<typeof memoryExporter>;
let tracing: ReturnType<typeof startTracing>;
beforeEach(() => {
  memory = memoryExporter();
  tracing = startTracing({ service: 'shop', exporter: memory.exporter });
});
afterEach(() => tracing.stop());

/** Changes an order as a request would, and says under which correlation id. */
function request(tenantId: TenantId, orderId: string): Promise<string> {
  return withSpan({ name: 'POST /orders', kind: 'server' }, {}, async () => {
    await changeOrder(shop.orders, tenantId, { orderId });
    return correlationId();
  });
}

type LogRow = {
  topic: string;
  event_id: string;
  enqueued_at: Date;
  published_at: Date;
  envelope: { correlationId: string; causationId: string | null };
};
const logOf = (tenantId: TenantId, topic: string) =>
  database.admin<LogRow>('select * from brokers.log where tenant_id = $1 and topic = $2 order by off', [
    tenantId,
    topic,
  ]);

const of = (eventId: string | undefined, name: string): FinishedSpan[] =>
  memory.spans().filter(span => span.name === name && span.attributes['messaging.message.id'] === eventId);

/** Waits until a number of such spans of an event have ended. */
const spansOf = (eventId: string | undefined, name: string, count = 1) =>
  waitUntil(`${count} spans "${name}"`, () => {
    const found = of(eventId, name);
    return found.length >= count ? found : undefined;
  });

test('OBS-01, OBS-02, OBS-03, X-025: request, outbox wait, broker wait, handler and next event are one trace, and it is the correlation id', async () => {
  const tenantId = newTenantId();
  const correlation = await request(tenantId, 'o1');
  const [next] = await waitUntil('the next event', async () => {
    const rows = await logOf(tenantId, StockReserved.subject);
    return rows.length > 0 ? rows : undefined;
  });
  const [changed] = await logOf(tenantId, OrderChanged.subject);
  const [outboxWait] = await spansOf(changed?.event_id, 'outbox wait');
  const [brokerWait] = await spansOf(changed?.event_id, 'broker wait');
  const [handler] = await spansOf(changed?.event_id, PROCESS);
  const [nextOutboxWait] = await spansOf(next?.event_id, 'outbox wait');
  const [producer] = memory.spans().filter(({ name }) => name === 'POST /orders');

  expect(new Set(memory.spans().map(({ traceId }) => traceId))).toEqual(
    new Set([uuidFromUlid(correlation).replaceAll('-', '')]),
  );
  expect([changed, next].map(row => row?.envelope.correlationId)).toEqual([correlation, correlation]);
  expect(next?.envelope.causationId).toBe(changed?.event_id);
  expect([outboxWait, brokerWait, handler].map(span => span?.parentSpanId)).toEqual(
    Array(3).fill(producer?.spanId),
  );
  expect([brokerWait?.links, handler?.links]).toEqual([[outboxWait?.spanId], [outboxWait?.spanId]]);
  expect([outboxWait?.kind, handler?.kind]).toEqual(['producer', 'consumer']);
  expect(nextOutboxWait?.parentSpanId).toBe(handler?.spanId);
});

test('OBS-02: the waits begin and end when the database says so', async () => {
  const tenantId = newTenantId();
  await request(tenantId, 'o1');
  const [changed] = await waitUntil('the event', async () => {
    const rows = await logOf(tenantId, OrderChanged.subject);
    return rows.length > 0 ? rows : undefined;
  });
  const [outboxWait] = await spansOf(changed?.event_id, 'outbox wait');
  const [brokerWait] = await spansOf(changed?.event_id, 'broker wait');
  const [handler] = await spansOf(changed?.event_id, PROCESS);
  expect(Math.floor(outboxWait?.start ?? 0)).toBe(changed?.enqueued_at.getTime());
  expect(outboxWait?.end).toBeGreaterThanOrEqual(changed?.published_at.getTime() ?? Infinity);
  expect(brokerWait?.start).toBe(changed?.published_at.getTime());
  expect(handler?.start).toBeGreaterThanOrEqual(brokerWait?.end ?? Infinity);
});

test('OBS-02: after a replay the handler is in the same trace again, and says that it was a replay', async () => {
  const tenantId = newTenantId();
  await request(tenantId, 'o1');
  const [changed] = await waitUntil('the event', async () => {
    const rows = await logOf(tenantId, OrderChanged.subject);
    return rows.length > 0 ? rows : undefined;
  });
  const [first] = await spansOf(changed?.event_id, PROCESS);
  // The span ends before its transaction does: only a committed inbox row can be cleared.
  await waitUntil('the inbox row was cleared', async () => {
    const cleared = await database.admin('delete from stock.inbox where tenant_id = $1 returning event_id', [
      tenantId,
    ]);
    return cleared.length > 0;
  });
  const since = new Date((changed?.published_at.getTime() ?? 0) - 1);
  await replayRange(shop.relay, change, { subscription: 'stock-service', since, tenantId });
  await shop.backbone.hurry();
  const [, again] = await spansOf(changed?.event_id, PROCESS, 2);
  expect(again).toMatchObject({
    traceId: first?.traceId,
    parentSpanId: first?.parentSpanId,
    links: first?.links,
    attributes: { 'melm.replay': true },
  });
  expect(first?.attributes).not.toHaveProperty('melm.replay');
  expect(of(changed?.event_id, 'outbox wait')).toHaveLength(1);
});

test('OBS-02: a replayed dead letter is the same trace, after a handler that failed', async () => {
  const tenantId = newTenantId();
  poisoned.add('o-dead');
  const correlation = await request(tenantId, 'o-dead');
  await waitUntil('a dead letter', async () => {
    const rows = await database.admin(
      `select from brokers.parked_key where tenant_id = $1 and state = 'dead'`,
      [tenantId],
    );
    return rows.length === 1;
  });
  poisoned.clear();
  await replayDeadLetters(shop.relay, change, { tenantId });
  await waitUntil('the effect', async () => {
    await shop.backbone.hurry();
    return (await database.admin('select from stock.effects where tenant_id = $1', [tenantId])).length === 1;
  });
  const [changed] = await logOf(tenantId, OrderChanged.subject);
  const handlers = await spansOf(changed?.event_id, PROCESS, 2);
  expect(handlers.map(({ failed }) => failed)).toEqual([true, false]);
  expect(handlers.map(({ attributes }) => attributes['melm.replay'])).toEqual([undefined, true]);
  expect(new Set(handlers.map(({ traceId }) => traceId)).size).toBe(1);
  expect(heard.get('o-dead')).toBe(correlation);
});

test('ENV-09: without tracing the correlation id reaches the handler and the next event all the same', async () => {
  await tracing.stop();
  const tenantId = newTenantId();
  const correlation = await request(tenantId, 'o-quiet');
  const [next] = await waitUntil('the next event', async () => {
    const rows = await logOf(tenantId, StockReserved.subject);
    return rows.length > 0 ? rows : undefined;
  });
  expect(heard.get('o-quiet')).toBe(correlation);
  expect(next?.envelope.correlationId).toBe(correlation);
});

test.each([
  ['a NUL', String.raw`{"traceparent":"\u0000"}`],
  ['half a character', String.raw`{"traceparent":"a\ud83d"}`],
])(
  'safety-28: a row that somebody wrote into an outbox with %s in its attributes is a dead letter and stops nobody, also while spans are recorded',
  async (_what, attributes) => {
    const [tenantId, other] = [newTenantId(), newTenantId()];
    await database.admin(
      `insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope,
                                  attributes, idempotency_key)
       values ($1, 'order', 'odd', 1, $2, $3, '{}', $4, 'odd')`,
      [tenantId, OrderChanged.subject, `${tenantId}:odd`, attributes],
    );
    await request(other, 'beside');
    const [changed] = await waitUntil('the event behind it', async () => {
      const rows = await logOf(other, OrderChanged.subject);
      return rows.length > 0 ? rows : undefined;
    });
    await spansOf(changed?.event_id, PROCESS);
    const [letter] = await waitUntil('a dead letter', async () => {
      const rows = await database.admin<{ last_error: string }>(
        `select last_error from brokers.parked_key where tenant_id = $1 and state = 'dead'`,
        [tenantId],
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(letter?.last_error).toMatch(/not signed/);
  },
);
