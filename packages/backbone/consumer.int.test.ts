import type { Delivery } from '@ghasi/brokers/broker';
import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSubscriber } from './consumer.ts';
import { OrderChanged, recordEffect, type Shop, shopMigrations, startShop, stock } from './fixtures/shop.ts';
import { on } from './reaction.ts';
import { createRegistry } from './registry.ts';
import { createSigner } from './signature.ts';

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database, { consumers: false });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

type Change = { orderId: string; isBad: boolean };
type Version = Change & { version: number };

/** The same changes with the version each gives its order. */
function versionsOf(changes: readonly Change[]): Version[] {
  const versions = new Map<string, number>();
  return changes.map(change => {
    const version = (versions.get(change.orderId) ?? 0) + 1;
    versions.set(change.orderId, version);
    return { ...change, version };
  });
}

/** The messages of these changes, as they come from the log. */
async function published(tenantId: TenantId, changes: readonly Version[]): Promise<Delivery[]> {
  const who = { tenantId, actor: { type: 'user', id: 'usr_test' } } as const;
  await tenantTransaction(shop.orders, who, async () =>
    accepted(
      undefined,
      changes.map(({ orderId, version, isBad }) =>
        OrderChanged.from({ orderId, version, note: isBad ? 'bad' : '' }, { aggregateVersion: version }),
      ),
    ),
  );
  const logged = () =>
    database.admin<Delivery>(
      `select off::text as id, topic, ordering_key as "orderingKey", event_id as "eventId", tenant_id as "tenantId",
              envelope::text as envelope, attributes, enqueued_at as "enqueuedAt", published_at as "publishedAt", 1 as attempt
       from brokers.log where tenant_id = $1 order by off`,
      [tenantId],
    );
  await waitUntil('all are in the log', async () => (await logged()).length === changes.length);
  return logged();
}

const fails = (ctx: Ctx) => rows(ctx.tx, sql`select 1 / 0`);
const hangs = () => new Promise(() => {});

/** A service that does this at bad changes, and how often its reaction ran. */
function openConsumer(
  order: 'required' | 'any',
  { atBad = fails, handlerMs }: { atBad?: (ctx: Ctx) => Promise<unknown>; handlerMs?: number } = {},
) {
  const runs: string[] = [];
  const react = on(OrderChanged, async (ctx, change) => {
    runs.push(change.orderId);
    await recordEffect(ctx, change);
    if (change.note === 'bad') await atBad(ctx);
  });
  const subscriber = createSubscriber({
    service: stock([react], { order }),
    db: shop.stock,
    outbox: shop.backbone.outboxOf('stock'),
    registry: createRegistry([OrderChanged]),
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    breaker: { failingKeys: 1_000, firstPauseMs: 1, longestPauseMs: 1 },
    ...(handlerMs === undefined ? {} : { handlerMs }),
  });
  return { subscriber, runs };
}

const effects = (tenantId: string) =>
  database.admin<{ orderId: string; version: number; transaction: string }>(
    `select order_id as "orderId", version, xmin::text as transaction from stock.effects where tenant_id = $1 order by seq`,
    [tenantId],
  );

const someChanges = fc.array(
  fc.record({
    orderId: fc.constantFrom('o1', 'o2', 'o3', 'o4', 'o5'),
    isBad: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
  }),
  { minLength: 1, maxLength: 40 },
);

test('ORD-02: whichever messages of a batch fail, every other one has its effect once, in order, and none after a failure of its key', async () => {
  await fc.assert(
    fc.asyncProperty(someChanges, fc.constantFrom('required', 'any'), async (changes, order) => {
      const tenantId = newTenantId();
      const all = versionsOf(changes);
      const { subscriber } = openConsumer(order);
      const outcomes = await subscriber.handle(await published(tenantId, all), undefined);

      const failed = new Set<string>();
      const expected = all.map(({ orderId, isBad }) => {
        if (order === 'required' && failed.has(orderId)) return 'blocked';
        if (isBad) failed.add(orderId);
        return isBad ? 'retry' : 'done';
      });
      expect(outcomes.map(({ kind }) => kind)).toEqual(expected);
      const applied = all.filter((_, place) => expected[place] === 'done');
      expect((await effects(tenantId)).map(({ orderId, version }) => ({ orderId, version }))).toEqual(
        applied.map(({ orderId, version }) => ({ orderId, version })),
      );
    }),
    { numRuns: 40 },
  );
});

test('one bad message among 256 costs a few transactions more, not one for each of the others', async () => {
  const tenantId = newTenantId();
  const all = versionsOf(Array.from({ length: 256 }, (_, n) => ({ orderId: `o${n}`, isBad: n === 77 })));
  const { subscriber, runs } = openConsumer('required');
  await subscriber.handle(await published(tenantId, all), undefined);
  const kept = new Set((await effects(tenantId)).map(({ transaction }) => transaction));
  expect(kept.size).toBe(8); // halves: 128, 64, 32, … 1, each kept but the one with the bad message
  expect(runs.length).toBeLessThan(3 * 256);
});

test('X-090: a reaction that hangs is waited for once with the others of its batch, and then alone', async () => {
  const tenantId = newTenantId();
  const all = versionsOf(Array.from({ length: 16 }, (_, n) => ({ orderId: `o${n}`, isBad: n === 9 })));
  const { subscriber, runs } = openConsumer('required', { atBad: hangs, handlerMs: 500 });
  const outcomes = await subscriber.handle(await published(tenantId, all), undefined);
  expect(outcomes.map(({ kind }) => kind)).toEqual(all.map(({ isBad }) => (isBad ? 'retry' : 'done')));
  expect(runs.filter(orderId => orderId === 'o9')).toHaveLength(1 + 3); // alone it is tried three times
  expect(await effects(tenantId)).toHaveLength(15);
});
