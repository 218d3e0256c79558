import { seek } from '@ghasi/brokers/operations/seek';
import { settleDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import { accepted } from '@ghasi/db/accepted';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { GiveUp } from '@ghasi/jobs/outcome';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Backbone } from './backbone.ts';
import { orders, recordEffect, StockReserved, shopMigrations, stock } from './fixtures/shop.ts';
import { on, type Reaction } from './reaction.ts';
import { createRegistry } from './registry.ts';
import { createSigner } from './signature.ts';

/** Its subject does not say what it is about. */
const Counted = eventCatalogue({
  prefix: 'shop',
  services: { orders: 'orders-service' },
  legacySubjects: { 'shop.orders.counted.v1': 'day' },
}).defineEvent({
  subject: 'shop.orders.counted.v1',
  summary: 'the orders of a day were counted',
  retention: 'warm',
  payload: z.strictObject({ orderId: z.string().min(1), version: z.int().positive() }),
  aggregateId: ({ orderId }) => orderId,
  idempotencyKey: ({ orderId, version }) => `${orderId}:counted:${version}`,
});

let database: TestDatabase;
let backbone: Backbone;
beforeEach(async () => {
  database = await testDatabase({ migrations: shopMigrations });
});
afterEach(async () => {
  await backbone.stop();
  await database.drop();
});

test('X-003, DLQ-16: a quarantined event whose subject has four segments stays away after a seek, though its reaction was mended', async () => {
  let isMended = false;
  const react = on(Counted, async (ctx, counted) => {
    if (!isMended) throw new GiveUp('not this one');
    await recordEffect(ctx, counted);
  }) as Reaction;
  const services = [{ ...orders, publishes: [Counted] }, stock([react])];
  const producedBy = { instance: 'test', commit: '0000000', region: 'me-central1' };
  backbone = new Backbone({
    services,
    registry: createRegistry([Counted, StockReserved]),
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    producedBy,
    dataResidency: 'me-central1',
  });
  const db = database.open('orders', { outbox: backbone.outboxOf('orders') });
  const relayDb = database.openAs('relay');
  const databases = { orders: db, stock: database.open('stock', { outbox: backbone.outboxOf('stock') }) };
  await backbone.start({ relayDb, databases, times: { heartbeatMs: 50, pollMs: 50 } });
  const tenantId = newTenantId();
  const count = (version: number) =>
    tenantTransaction(db, { tenantId, actor: { type: 'user', id: 'usr_test' } }, async () =>
      accepted(undefined, [Counted.from({ orderId: 'monday', version }, { aggregateVersion: version })]),
    );
  const change = { actor: 'usr_operator', reason: 'test' };

  await count(1);
  await waitUntil('it is dead', async () => {
    const how = 'quarantined';
    return (await settleDeadLetters(relayDb, change, { how, filter: { tenantId } })).letters.length === 1;
  });
  isMended = true;
  await seek(relayDb, change, { subscription: 'stock-service', to: 'start' });
  await count(2);
  const effects = await waitUntil('the next one is applied', async () => {
    const rows = await database.admin<{ version: number }>('select version from stock.effects order by seq');
    return rows.some(({ version }) => version === 2) && rows;
  });
  expect(effects).toEqual([{ version: 2 }]);
  expect(
    await database.admin(
      'select consumer_name, result, last_error from stock.inbox order by received_at limit 1',
    ),
  ).toEqual([{ consumer_name: 'stock-service.day-counted', result: 'noop', last_error: 'not this one' }]);
});
