import { accepted } from '@ghasi/db/accepted';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Backbone, type StartOptions } from './backbone.ts';
import type { Service } from './define-service.ts';
import { OrderChanged, orders, recordEffect, StockReserved, shopMigrations, stock } from './fixtures/shop.ts';
import { on, type Reaction } from './reaction.ts';
import { createRegistry, type Registry } from './registry.ts';
import { recordReleased } from './registry-released.ts';
import { createSigner } from './signature.ts';

const { defineEvent } = eventCatalogue({ prefix: 'shop', services: { orders: 'orders-service' } });

const order = z.strictObject({ orderId: z.string().min(1), version: z.int().positive() });

/** An order was changed, as another release declares it. */
const changedAs = <P extends z.output<typeof order>>(payload: z.ZodType<P>) =>
  defineEvent({
    subject: OrderChanged.subject,
    summary: OrderChanged.summary,
    retention: 'warm',
    payload,
    aggregateId: ({ orderId }) => orderId,
    idempotencyKey: ({ orderId, version }) => `${orderId}:changed:${version}`,
  });

/** The same event as the next release declares it: with one more field, which may be missing (REG-06). */
const NewerOrderChanged = changedAs(order.extend({ note: z.string(), gift: z.boolean().default(false) }));
/** What a process of each release is built from. */
const newer = () => createRegistry([NewerOrderChanged, StockReserved]);
const older = () => createRegistry([OrderChanged, StockReserved]);
const newerOrders = { ...orders, publishes: [NewerOrderChanged] };

let database: TestDatabase;
let started: Backbone[];
beforeEach(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  started = [];
});
afterEach(async () => {
  for (const backbone of started) await backbone.stop();
  await database.drop();
});

/** One process of an installation: its services, and the events of the release it was built from. */
async function startProcess(service: Service, registry: Registry, on: Partial<StartOptions>) {
  const backbone = new Backbone({
    services: [service],
    registry,
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    producedBy: { instance: service.name, commit: '0000000', region: 'me-central1' },
    dataResidency: 'me-central1',
  });
  const db = database.open(service.schema, { outbox: backbone.outboxOf(service.schema) });
  started.push(backbone);
  await backbone.start({ relayDb: database.openAs('relay'), databases: { [service.schema]: db }, ...on });
  return db;
}

test('REG-04, REG-06, X-039, X-080: a process of the release before applies an event of a newer, additive schema, whose new field it ignores', async () => {
  await startProcess(stock(), older(), {});
  await recordReleased(database.adminUrl, { schemas: newer().schemas(), actor: 'test' }); // what `melm migrate` of the new release does
  const producer = await startProcess(newerOrders, newer(), { subscriptions: ['stock-service'] });
  const tenantId = newTenantId();
  await tenantTransaction(producer, { tenantId, actor: { type: 'user', id: 'usr_test' } }, async () =>
    accepted(undefined, [
      NewerOrderChanged.from({ orderId: 'o1', version: 1, note: 'two', gift: true }, { aggregateVersion: 1 }),
    ]),
  );
  expect(await effectOrDeadLetter()).toEqual([{ order_id: 'o1', version: 1 }]);
});

test('REG-04, REG-07, X-039: a process of the release before applies an event with a value that an enum gained since', async () => {
  const Older = changedAs(order.extend({ by: z.enum(['post', 'van']) }));
  const Newer = changedAs(
    order.extend({ by: z.enum(['post', 'van', 'drone']), gift: z.boolean().default(false) }),
  );
  const seen: unknown[] = [];
  const reaction = on(Older, (ctx, payload) => {
    seen.push(payload);
    return recordEffect(ctx, payload);
  });
  await startProcess(stock([reaction as Reaction]), createRegistry([Older, StockReserved]), {});
  const registry = createRegistry([Newer]);
  await recordReleased(database.adminUrl, { schemas: registry.schemas(), actor: 'test' });
  const producer = await startProcess({ ...orders, publishes: [Newer] }, registry, {
    subscriptions: ['stock-service'],
  });
  const tenantId = newTenantId();
  await tenantTransaction(producer, { tenantId, actor: { type: 'user', id: 'usr_test' } }, async () =>
    accepted(undefined, [
      Newer.from({ orderId: 'o1', version: 1, by: 'drone', gift: true }, { aggregateVersion: 1 }),
    ]),
  );
  expect(await effectOrDeadLetter()).toEqual([{ order_id: 'o1', version: 1 }]);
  expect(seen).toEqual([{ orderId: 'o1', version: 1, by: 'drone' }]);
});

function effectOrDeadLetter() {
  return waitUntil('the effect or a dead letter', async () => {
    const dead = await database.admin<{ last_error: string }>('select last_error from brokers.parked_key');
    if (dead.length > 0) throw new Error(dead[0]?.last_error);
    const rows = await database.admin('select order_id, version from stock.effects');
    return rows.length > 0 && rows;
  });
}

test('REG-04: what a release recorded stays known when an older one records its own, and nobody can take it back', async () => {
  await recordReleased(database.adminUrl, { schemas: newer().schemas(), actor: 'test' });
  await recordReleased(database.adminUrl, { schemas: older().schemas(), actor: 'test' });
  await recordReleased(database.adminUrl, { schemas: older().schemas(), actor: 'test' });
  const rows = await database.admin<{ hash: string }>(
    'select hash from brokers.released_schema where subject = $1 order by hash',
    [OrderChanged.subject],
  );
  const both = [newer(), older()].flatMap(registry => registry.schemas()[OrderChanged.subject]);
  expect(rows.map(({ hash }) => hash)).toEqual(both.toSorted());
  const relay = database.openAs('relay');
  await expect(relay.pool.query('delete from brokers.released_schema')).rejects.toThrow('permission denied');
  await expect(database.admin('delete from brokers.released_schema')).rejects.toThrow('only grows');
});

test('REG-16, REG-21, X-081: what is unusual about a release is in the trail of operations once, however often it is deployed', async () => {
  const notice = (hash: string) => ({ action: 'event.bypass', reason: 'INC-204', detail: { hash } });
  const record = (...notices: ReturnType<typeof notice>[]) =>
    recordReleased(database.adminUrl, { schemas: {}, notices, actor: 'melm@test' });
  await Promise.all([record(notice('a')), record(notice('a'))]);
  await record(notice('a'), notice('b'));
  const rows = await database.admin(
    'select actor, action, reason, detail from brokers.operation order by at, detail',
  );
  expect(rows).toEqual([
    { actor: 'melm@test', ...notice('a') },
    { actor: 'melm@test', ...notice('b') },
  ]);
});
