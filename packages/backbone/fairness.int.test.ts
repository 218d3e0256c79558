import { type Database, openClient } from '@ghasi/db/database';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { Mover } from './mover.ts';
import { on, type Reaction } from './reaction.ts';
import { startRelay } from './relay.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
});
afterAll(() => database.drop());

const effects = async (tenantId: TenantId) =>
  (
    await database.admin<{ n: number }>('select count(*)::int as n from stock.effects where tenant_id = $1', [
      tenantId,
    ])
  )[0]?.n;

test('ORD-04: one tenant with thousands of waiting messages does not hold up another, even when none of them moves', async () => {
  const [flooding, quiet] = [newTenantId(), newTenantId()];
  const release = signal();
  const began = signal();
  const reaction = on(OrderChanged, async (ctx, payload) => {
    if (ctx.tenantId === flooding) {
      began.fire();
      await release.promise;
    }
    await recordEffect(ctx, payload);
  }) as Reaction;
  const producer = await startShop(database, { consumers: false });
  const FLOOD = 2_500; // more than a subscription keeps of one tenant, so that the rest stays in the log
  for (let n = 0; n < FLOOD; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        changeOrder(producer.orders, flooding, { orderId: `o${(n + i) % 500}` }),
      ),
    );
  await producer.stop();
  const shop = await startShop(database, { stock: stock([reaction], { concurrency: 4 }) });
  try {
    await began.promise;
    for (let n = 0; n < 20; n++) await changeOrder(shop.orders, quiet, { orderId: 'o1' });
    await waitUntil('the quiet tenant', async () => (await effects(quiet)) === 20);
    expect(await effects(flooding)).toBe(0);
    release.fire();
    await waitUntil('the flood', async () => (await effects(flooding)) === FLOOD, { timeoutMs: 60_000 });
    const disorder = await database.admin(
      `select from (
         select version, lag(version) over (partition by tenant_id, order_id order by seq) as before from stock.effects
       ) e
       where version <> coalesce(before, 0) + 1`,
    );
    expect(disorder).toEqual([]);
  } finally {
    release.fire();
    await shop.stop();
  }
});

test('ORD-04, OUTBOX-38: what a quiet tenant has in the outbox is moved ahead of a flood, whole and in order', async () => {
  const [flooding, quiet] = [newTenantId(), newTenantId()];
  const shop = await startShop(database, { relay: false, consumers: false });
  const relay = database.openAs('relay', { max: 1 });
  try {
    const mover = new Mover(relay, 'orders');
    while ((await mover.pass()) > 0); // what the other test left
    for (let n = 0; n < 400; n++) await changeOrder(shop.orders, flooding, { orderId: `o${n}` });
    for (let n = 0; n < 3; n++) await changeOrder(shop.orders, quiet, { orderId: 'o1' });
    expect(await mover.passOf([flooding, quiet])).toBe(3);
    expect(await mover.pass()).toBe(256);
    expect(await mover.pass()).toBe(144);
    expect(await mover.pass()).toBe(0);
    const log = await database.admin<{ tenant_id: string; version: string }>(
      `select tenant_id, envelope -> 'metadata' ->> 'aggregateVersion' as version from brokers.log
       where tenant_id = any($1) order by off limit 4`,
      [[flooding, quiet]],
    );
    expect(log).toEqual([
      { tenant_id: quiet, version: '1' },
      { tenant_id: quiet, version: '2' },
      { tenant_id: quiet, version: '3' },
      { tenant_id: flooding, version: '1' },
    ]);
    expect(mover.holes.size).toBe(0);
  } finally {
    await relay.close(); // what it has read is told now, and not while another test counts
    await shop.stop();
  }
});

test('ORD-04: letting quiet tenants pass does not walk over what they had before, while a snapshot keeps their dead rows', async () => {
  const [busy, quiet] = [newTenantId(), newTenantId()];
  const shop = await startShop(database, { relay: false, consumers: false });
  const relay = database.openAs('relay', { max: 1 });
  const held = await openClient(database.adminUrl, 'held-snapshot');
  const DEAD = 600;
  try {
    const mover = new Mover(relay, 'orders');
    await held.query('begin isolation level repeatable read');
    await held.query('select from orders.outbox');
    for (let n = 0; n < DEAD; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => changeOrder(shop.orders, quiet, { orderId: `o${i}` })),
      );
      while ((await mover.pass()) > 0);
    }
    // Until then it looks from the very beginning, and other tests have transactions too.
    await waitUntil('all transactions older than its first pass have ended', async () => {
      await mover.pass();
      return !mover.hasHoles;
    });
    const FLOOD = 400;
    for (let n = 0; n < FLOOD; n++) await changeOrder(shop.orders, busy, { orderId: `o${n}` });
    // As autovacuum does at some moment of a flood; from then on the planner believes that all rows are of one tenant.
    await database.admin('analyze orders.outbox');
    const before = await entriesRead(relay);
    for (let n = 0; n < 5; n++) {
      await changeOrder(shop.orders, quiet, { orderId: 'o1' });
      expect(await mover.passOf([quiet])).toBe(1);
    }
    expect((await entriesRead(relay)) - before).toBeLessThan(FLOOD / 2);
    expect([await mover.pass(), await mover.pass()]).toEqual([256, FLOOD - 256]);
  } finally {
    await held.end();
    await shop.stop();
  }
});

test('looking whether anything waits does not walk over what was moved, while a snapshot keeps the dead rows', async () => {
  const shop = await startShop(database, { relay: false, consumers: false });
  const relayDb = database.openAs('relay', { max: 1 });
  const held = await openClient(database.adminUrl, 'held-snapshot');
  try {
    await held.query('begin isolation level repeatable read');
    await held.query('select from orders.outbox');
    for (let n = 0; n < 600; n += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          changeOrder(shop.orders, newTenantId(), { orderId: `o${n + i}` }),
        ),
      );
    const relay = startRelay({
      db: relayDb,
      schemas: ['orders'],
      log: undefined,
      pollMs: 3_600_000,
      onMoved() {},
    });
    const left = () => database.admin('select from orders.outbox limit 1');
    await waitUntil('the outbox is empty', async () => (await left()).length === 0);
    // Not at once, for the same reason as above.
    await waitUntil('five looks read few pages', async () => {
      const before = await pagesRead(relayDb);
      for (let n = 0; n < 5; n++) await relay.poll();
      return (await pagesRead(relayDb)) - before < 50;
    });
    await relay.stop();
  } finally {
    await held.end();
    await shop.stop();
  }
});

/** Pages of the outbox that were looked at so far, without those of its indexes. */
async function pagesRead(relay: Database): Promise<number> {
  await relay.pool.query('select pg_stat_force_next_flush()');
  const [read] = await database.admin<{ pages: number }>(
    `select (heap_blks_read + heap_blks_hit)::float8 as pages from pg_statio_user_tables where relid = 'orders.outbox'::regclass`,
  );
  return read?.pages ?? 0;
}

/** Index entries of the outbox that were looked at so far, dead ones too. */
async function entriesRead(relay: Database): Promise<number> {
  await relay.pool.query('select pg_stat_force_next_flush()');
  const [read] = await database.admin<{ entries: number }>(
    `select sum(idx_tup_read)::float8 as entries from pg_stat_user_indexes where relid = 'orders.outbox'::regclass`,
  );
  return read?.entries ?? 0;
}
