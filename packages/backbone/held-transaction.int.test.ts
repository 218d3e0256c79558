import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { flawless, isSettled, judge } from './fixtures/chaos/judge.ts';
import { changeOrder, type Market, marketMigrations, openMarket } from './fixtures/chaos/market.ts';
import { type OpenTransaction, openTransaction } from './fixtures/chaos/open-transaction.ts';
import { chaosTimes } from './fixtures/chaos/worker-task.ts';
import { FEW_HOLES, Mover } from './mover.ts';

let here: TestDatabase;
let there: TestDatabase;
let admin: Client;
beforeAll(async () => {
  [here, there] = [
    await testDatabase({ migrations: marketMigrations }),
    await testDatabase({ migrations: marketMigrations }),
  ];
  admin = await openClient(here.adminUrl, 'judge');
});
afterAll(async () => {
  await admin.end();
  await here.drop();
  await there.drop();
});

function market(database: TestDatabase): Market {
  const opened = openMarket(database);
  onTestFinished(() => opened.stop());
  return opened;
}

/** A transaction that stays open with an event written, until the test ends. */
async function hold(producer: Market, orderId: string): Promise<OpenTransaction> {
  const held = await openTransaction(producer, newTenantId());
  await held.change(orderId);
  return held;
}

test('OUTBOX-34: while a write transaction stays open here and another in another database, other keys flow; then its event comes', async () => {
  const running = market(here);
  await running.start(chaosTimes);
  await changeOrder(running, newTenantId(), 'warm');
  await waitUntil('the market runs', () => isSettled(admin));
  const tenantId = newTenantId();
  const heldHere = await openTransaction(running, tenantId);
  await heldHere.change('held');
  const heldThere = await hold(market(there), 'held');
  // A relay that starts now cannot know what was numbered before.
  await market(here).start({ ...chaosTimes, consumers: false });

  for (let n = 0; n < 100; n++) await changeOrder(running, tenantId, `free-${n}`);
  const effects = (schema: 'stock' | 'mail', orders: string) =>
    here.admin<{ version: number }>(
      `select version from ${schema === 'stock' ? 'stock' : 'mail'}.effects
       where tenant_id = $1 and order_id like $2 order by seq`,
      [tenantId, orders],
    );
  for (const schema of ['stock', 'mail'] as const)
    await waitUntil('all others came through', async () => (await effects(schema, 'free-%')).length === 100);
  expect(await effects('stock', 'held')).toEqual([]);

  await heldHere.commit();
  await changeOrder(running, tenantId, 'held');
  await waitUntil('the held event came through', async () => (await effects('stock', 'held')).length === 2);
  expect(await effects('stock', 'held')).toEqual([{ version: 1 }, { version: 2 }]);
  await heldThere.abort();
  await waitUntil('everything has settled', () => isSettled(admin));
  const { verdict, examples } = await judge(admin);
  expect(verdict, examples.join('\n')).toEqual(flawless);
});

test('OUTBOX-38: numbers that another relay moved are not remembered as missing while a transaction stays open', async () => {
  const producer = market(here);
  const movers = [1, 2, 3].map(() => new Mover(producer.relay, 'orders'));
  for (const mover of [...movers, ...movers]) {
    await changeOrder(producer, newTenantId(), 'before');
    await mover.pass();
  }
  const heldThere = await hold(market(there), 'held');
  for (let round = 0; round < 10; round++) {
    for (const mover of movers) {
      for (let n = 0; n < 5; n++) await changeOrder(producer, newTenantId(), 'more');
      expect(await mover.pass()).toBe(5);
    }
  }
  for (const mover of movers) {
    await mover.pass();
    expect(mover.holes.size).toBeLessThanOrEqual(FEW_HOLES);
  }
  await heldThere.abort();
});

test('OUTBOX-26: a pass finds its rows by the index, however many dead ones a held snapshot keeps', async () => {
  const producer = market(here);
  const relay = here.openAs('relay', { max: 1 }); // one session, whose statistics can be asked for
  const scans = async () => {
    // The judge looked at the whole outbox, and his session tells it when it likes.
    for (const session of [relay.pool, admin]) await session.query('select pg_stat_force_next_flush()');
    const { rows } = await relay.pool.query<{ seq_scan: bigint }>(
      "select seq_scan from pg_stat_user_tables where relid = 'orders.outbox'::regclass",
    );
    return rows[0]?.seq_scan;
  };
  const snapshot = await openClient(here.adminUrl, 'held-snapshot');
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select from orders.outbox');
  const mover = new Mover(relay, 'orders');
  const before = await scans();
  for (let n = 0; n < 20; n++) {
    await changeOrder(producer, newTenantId(), 'more');
    expect(await mover.pass()).toBe(1);
  }
  expect(await scans()).toBe(before);
  await snapshot.end();
});

test('ORD-02: how far consumers came is written apart from what every transaction of theirs reads, so old versions of it slow nobody', async () => {
  const running = market(here);
  await running.start({ ...chaosTimes, times: { ...chaosTimes.times, ackMs: 5 } });
  await waitUntil('it holds all shards', async () => {
    const held = await here.admin('select from brokers.cursor where owner is not null');
    return held.length === 32;
  });
  const versions = (table: 'fence' | 'cursor') =>
    here.admin(
      table === 'fence'
        ? 'select subscription, shard, epoch, xmin::text as version from brokers.fence order by 1, 2'
        : 'select subscription, shard, epoch, xmin::text as version from brokers.cursor order by 1, 2',
    );
  const [fence, cursor] = [await versions('fence'), await versions('cursor')];
  for (let n = 0; n < 10; n++) await changeOrder(running, newTenantId(), `o${n}`);
  await waitUntil('everything has settled', () => isSettled(admin));
  expect(await versions('cursor')).not.toEqual(cursor);
  expect(await versions('fence')).toEqual(fence);
  const numbers = (rows: object[]) => rows.map(row => ({ ...row, version: undefined }));
  expect(numbers(await versions('cursor'))).toEqual(numbers(fence));
});
