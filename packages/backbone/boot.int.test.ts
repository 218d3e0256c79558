import { openDatabase } from '@ghasi/db/database';
import { roleUrl } from '@ghasi/db/roles';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { testDatabase } from '@ghasi/testing/database';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Backbone } from './backbone.ts';
import { defineService, type Service } from './define-service.ts';
import { OrderChanged, orders, StockReserved, shopMigrations, stock } from './fixtures/shop.ts';
import { defineQuestion } from './question.ts';
import { on } from './reaction.ts';
import { createRegistry } from './registry.ts';
import { createSigner } from './signature.ts';

const { defineEvent } = eventCatalogue({ prefix: 'shop', services: { a: 'a-service', b: 'b-service' } });
const Happened = defineEvent({
  subject: 'shop.a.thing.changed.v1',
  summary: 'something happened',
  retention: 'warm',
  payload: z.strictObject({ id: z.string() }),
  aggregateId: ({ id }) => id,
  idempotencyKey: ({ id }) => id,
});

const service = (name: string, parts: Partial<Parameters<typeof defineService>[0]> = {}) =>
  defineService({ name: `${name}-service`, schema: name, migrations: new URL('file:///none/'), ...parts });

function boot(
  services: readonly Service[],
  { registry, ...more }: Partial<ConstructorParameters<typeof Backbone>[0]> = {},
): Backbone {
  return new Backbone({
    services,
    registry: registry ?? createRegistry(services.flatMap(({ publishes }) => publishes)),
    signer: createSigner([{ id: 'test', secret: 'x'.repeat(32) }]),
    producedBy: { instance: 'test-1', commit: '0000000', region: 'me-central1' },
    dataResidency: 'me-central1',
    ...more,
  });
}

test('CAT-07: a process with two producers of one event does not start', () => {
  const registry = createRegistry([Happened]);
  const two = [service('a', { publishes: [Happened] }), service('b', { publishes: [Happened] })];
  expect(() => boot(two, { registry })).toThrow(
    /do not fit together: event shop\.a\.thing\.changed\.v1 is declared 2 times: a-service, b-service/,
  );
});

test('a process with a reaction nobody feeds does not start, unless the registry knows its event', () => {
  const listener = service('b', { reacts: [on(Happened, async () => {})] });
  expect(() => boot([listener])).toThrow(
    /b-service reacts to shop\.a\.thing\.changed\.v1, and nobody publishes it/,
  );
  expect(() => boot([listener], { registry: createRegistry([Happened]) })).not.toThrow();
});

test('a process with a question nobody answers does not start, unless another process does', () => {
  const asks = service('b', {
    needs: [defineQuestion({ name: 'a.q', input: z.strictObject({}), output: z.null() })],
  });
  expect(() => boot([asks])).toThrow(/b-service needs a\.q, and nobody answers it/);
  expect(() => boot([asks], { answeredElsewhere: schema => schema === 'a' })).not.toThrow();
});

test('CAT-08: a process that publishes what its registry does not know does not start: every command with that event would fail', () => {
  const publisher = service('a', { publishes: [Happened] });
  expect(() => boot([publisher], { registry: createRegistry([]) })).toThrow(
    /a-service publishes shop\.a\.thing\.changed\.v1, which is not in the registry/,
  );
  const again = defineEvent({ ...Happened });
  expect(() => boot([publisher], { registry: createRegistry([again]) })).toThrow(
    /a-service publishes shop\.a\.thing\.changed\.v1, of which the registry has another declaration/,
  );
});

test('everything that does not fit is said at once', () => {
  const listener = service('b', { reacts: [on(Happened, async () => {})] });
  expect(() => boot([listener, service('a'), service('a')])).toThrow(
    /service name.*schema a.*nobody publishes/,
  );
});

test('OUTBOX-01: a process whose services have no outbox does not start, and says what to add', async () => {
  const database = await testDatabase({ migrations: shopMigrations });
  await database.admin('drop table orders.outbox');
  const starting = boot([orders, stock()], { registry: createRegistry([OrderChanged, StockReserved]) }).start(
    {
      relayDb: database.openAs('relay'),
      databases: { stock: database.openAs('svc_stock') },
    },
  );
  await expect(starting).rejects.toThrow(
    /no outbox: orders\. Add select backbone\.add_messaging\('<schema>'\) to a migration of each/,
  );
  await database.drop();
});

test('a process that names its databases by service instead of by schema does not start', async () => {
  const database = await testDatabase({ migrations: shopMigrations });
  const { relay, svc } = { relay: database.openAs('relay'), svc: database.openAs('svc_stock') };
  const parts = { registry: createRegistry([OrderChanged, StockReserved]) };
  const start = (options: object) =>
    boot([orders, stock()], parts).start({ relayDb: relay, databases: { 'stock-service': svc }, ...options });
  await expect(start({})).rejects.toThrow(/No database was given for these schemas: stock\./);
  const publisher = boot([orders, stock()], parts); // which consumes nothing, and needs none
  await publisher.start({ relayDb: relay, databases: {}, consumers: false });
  await publisher.stop();
  await database.drop();
});

test('a process with a database that cannot be used does not start: messages would wait for ever', async () => {
  const database = await testDatabase({ migrations: shopMigrations });
  const relayDb = database.openAs('relay');
  const backbone = boot([orders, stock()], { registry: createRegistry([OrderChanged, StockReserved]) });
  const another = openDatabase({ url: roleUrl(database.adminUrl, 'svc_stock', 'another'), service: 'stock' });
  await expect(backbone.start({ relayDb, databases: { stock: another } })).rejects.toThrow(
    /The database given for stock cannot be used: password authentication failed for user "svc_stock"/,
  );
  await expect(backbone.start({ relayDb, databases: { stock: database.open('orders') } })).rejects.toThrow(
    /The database given for stock cannot be used: it signs in as svc_orders/,
  );
  await another.close();
  await database.drop();
});

test('a backbone that runs is not started again: nobody could stop what it began first', async () => {
  const database = await testDatabase({ migrations: shopMigrations });
  const backbone = boot([orders, stock()], { registry: createRegistry([OrderChanged, StockReserved]) });
  const options = { relayDb: database.openAs('relay'), databases: { stock: database.open('stock') } };
  await backbone.start(options);
  await expect(backbone.start(options)).rejects.toThrow('it runs; stop() comes before another start()');
  await backbone.stop();
  await backbone.start(options);
  await backbone.stop();
  await database.drop();
});
