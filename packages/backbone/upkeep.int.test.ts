import { ensureCursors } from '@ghasi/brokers/leases';
import { openClient } from '@ghasi/db/database';
import { createLogger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { changeOrder, type Shop, shopMigrations, startShop } from './fixtures/shop.ts';
import { defaultKeep, upkeep } from './upkeep.ts';

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database);
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const relay = () => database.openAs('relay');
const effectsOf = (tenantId: string) =>
  database.admin<{ version: number }>('select version from stock.effects where tenant_id = $1 order by seq', [
    tenantId,
  ]);

async function applied(tenantId: ReturnType<typeof newTenantId>, count: number) {
  for (let n = 0; n < count; n++) await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
  await waitUntil('the effects', async () => (await effectsOf(tenantId)).length === count);
}

test('INBOX-05, X-063: processed rows older than 30 days leave the inbox and leave the version of their key', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 3);
  await database.admin(
    `update stock.inbox set received_at = now() - interval '31 days' where tenant_id = $1`,
    [tenantId],
  );
  await database.admin(
    `insert into stock.inbox (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key,
                              aggregate_version, received_at, result, attempts)
     values ($1, 'c', gen_random_uuid(), 't', 't', 'k', 'k', 9, now() - interval '40 days', 'error', 7)`,
    [tenantId],
  );
  expect(await upkeep(relay(), ['stock'])).toMatchObject({ inboxRows: 3 });
  expect(await database.admin('select result from stock.inbox where tenant_id = $1', [tenantId])).toEqual([
    { result: 'error' },
  ]);
  expect(
    await database.admin(
      'select ordering_key, aggregate_version from stock.inbox_floor where tenant_id = $1',
      [tenantId],
    ),
  ).toEqual([{ ordering_key: `${tenantId}:o1`, aggregate_version: 3n }]);
});

test('X-061: the version of a key that the inbox remembers never falls, whichever rows leave later', async () => {
  const tenantId = newTenantId();
  const floorAfter = async (...versions: number[]) => {
    await database.admin(
      `insert into stock.inbox (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key,
                                aggregate_version, received_at, processed_at, result)
       select $1, 'c', gen_random_uuid(), 't', 't', v::text, 'k', v, now() - interval '31 days', now(), 'ok'
       from unnest($2::bigint[]) v`,
      [tenantId, versions],
    );
    expect(await upkeep(relay(), ['stock'])).toMatchObject({ inboxRows: versions.length });
    return database.admin('select aggregate_version from stock.inbox_floor where tenant_id = $1', [tenantId]);
  };
  expect(await floorAfter(5, 7, 6)).toEqual([{ aggregate_version: 7n }]);
  expect(await floorAfter(2)).toEqual([{ aggregate_version: 7n }]);
  expect(await floorAfter(8, 3)).toEqual([{ aggregate_version: 8n }]);
});

test('X-061: an event replayed after its inbox row is gone has no second effect', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 1);
  const old = new Date(Date.now() - 31 * 86_400_000).toISOString();
  await database.admin('delete from stock.inbox where tenant_id = $1', [tenantId]);
  await database.admin(`insert into stock.inbox_floor values ($1, 'stock-service.order-changed', $2, 1)`, [
    tenantId,
    `${tenantId}:o1`,
  ]);
  // The same event, as old as the inbox window demands; signed anew, since its date is part of it.
  const { createSigner } = await import('./signature.ts');
  const [{ text }] = (await database.admin<{ text: string }>(
    'select envelope::text as text from brokers.log where tenant_id = $1',
    [tenantId],
  )) as [{ text: string }];
  const aged = JSON.stringify({ ...JSON.parse(text), occurredAt: old });
  const signature = createSigner([{ id: 'test', secret: database.secret }]).sign(aged);
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     select day, nextval('brokers.log_off'), shard, topic, ordering_key, event_id, tenant_id, $2, $3, source, enqueued_at
     from brokers.log where tenant_id = $1`,
    [tenantId, aged, JSON.stringify({ signature })],
  );
  await waitUntil('the replay to be seen', async () => {
    const rows = await database.admin('select from stock.inbox where tenant_id = $1', [tenantId]);
    return rows.length === 1;
  });
  expect(await effectsOf(tenantId)).toEqual([{ version: 1 }]);
});

test('INBOX-05, X-049: a process that is busy with its own schemas keeps no other from tidying its', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 1);
  for (const [table, time] of [
    ['orders.outbox_key', 'created_at'],
    ['stock.inbox', 'received_at'],
  ])
    await database.admin(`update ${table} set ${time} = now() - interval '31 days' where tenant_id = $1`, [
      tenantId,
    ]);
  const busy = await openClient(database.adminUrl, 'busy');
  onTestFinished(() => busy.end());
  await busy.query('begin');
  await busy.query('select from orders.outbox_key where tenant_id = $1 for update', [tenantId]);
  const held = upkeep(relay(), ['orders']);
  await waitUntil('the other waits for the row', async () => {
    const waiting = await database.admin(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length === 1;
  });
  expect(await upkeep(relay(), ['orders', 'stock'])).toMatchObject({ keys: 0, inboxRows: 1 });
  await busy.query('commit');
  expect(await held).toMatchObject({ keys: 1 });
});

/** Makes what is in a table, of one tenant or of all, 31 days old. */
const age = (table: string, time: string, tenantId: string) =>
  database.admin(`update ${table} set ${time} = now() - interval '31 days' where tenant_id = $1`, [tenantId]);

test('INBOX-05: a schema that cannot be tidied is told, and keeps no other from it', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 1);
  await age('stock.inbox', 'received_at', tenantId);
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: line => void lines.push(line) } });
  expect(await upkeep(relay(), ['nowhere', 'stock'], { log })).toMatchObject({ inboxRows: 1 });
  expect(lines.map(line => JSON.parse(line).piece)).toEqual(
    ['inbox', 'outbox_key', 'outbox_archive'].map(table => `"nowhere".${table}`),
  );
});

test('upkeep that is to stop ends with the batch it is at', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 1);
  await age('orders.outbox_key', 'created_at', tenantId);
  await age('stock.inbox', 'received_at', tenantId);
  const busy = await openClient(database.adminUrl, 'busy');
  onTestFinished(() => busy.end());
  await busy.query('begin');
  await busy.query('select from orders.outbox_key where tenant_id = $1 for update', [tenantId]);
  const stopping = new AbortController();
  const round = upkeep(relay(), ['orders', 'stock'], { signal: stopping.signal });
  await waitUntil('it waits for the row', async () => {
    const waiting = await database.admin(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length === 1;
  });
  stopping.abort();
  await busy.query('commit');
  expect(await round).toMatchObject({ keys: 1, inboxRows: 0 });
  expect(await upkeep(relay(), ['stock'])).toMatchObject({ inboxRows: 1 });
});

test('INBOX-05: a round looks at each page once, also where newer rows came into the place of older ones', async () => {
  const relayDb = database.openAs('relay', { max: 1 });
  const fill = (consumer: string, rows: number, days: number) =>
    database.admin(
      `insert into stock.inbox (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key,
                                aggregate_version, received_at, processed_at, result, attempts)
       select $1, $2, gen_random_uuid(), 't', 't', n::text, 'k', n, now() - make_interval(days => $4), now(), 'ok', 1
       from generate_series(1, $3) n`,
      [newTenantId(), consumer, rows, days],
    );
  await database.admin('alter table stock.inbox set (fillfactor = 10)'); // four rows a page
  await fill('first', 12_000, 60);
  await fill('old', 11_000, 31);
  await database.admin('vacuum stock.inbox'); // the index by time learns what is where
  await database.admin(`delete from stock.inbox where consumer_name = 'first'`);
  await database.admin('vacuum stock.inbox');
  await fill('new', 12_000, 0);
  const before = await pagesRead(relayDb);
  expect(await upkeep(relayDb, ['stock'])).toMatchObject({ inboxRows: 11_000 });
  const read = (await pagesRead(relayDb)) - before;
  const [table] = await database.admin<{ pages: number }>(
    `select (pg_relation_size('stock.inbox') / 8192)::float8 as pages`,
  );
  expect(table?.pages).toBeGreaterThan(3_000);
  const deleting = 2 * 11_000; // the page of each row, and once more to return it
  expect(read - deleting).toBeLessThan(2 * (table?.pages ?? 0)); // by batches from the beginning, six times
});

/** Pages of the inbox that were looked at so far, without those of its indexes. */
async function pagesRead(relayDb: ReturnType<typeof relay>): Promise<number> {
  for (const run of [database.admin, (text: string) => relayDb.pool.query(text)])
    await run('select pg_stat_force_next_flush()');
  const [read] = await database.admin<{ pages: number }>(
    `select (heap_blks_read + heap_blks_hit)::float8 as pages from pg_statio_user_tables where relid = 'stock.inbox'::regclass`,
  );
  return read?.pages ?? 0;
}

test('X-049: used keys are forgotten after 30 days and not before', async () => {
  const tenantId = newTenantId();
  await applied(tenantId, 2);
  await database.admin(
    `update orders.outbox_key set created_at = now() - interval '31 days' where tenant_id = $1 and idempotency_key = 'o1:changed:1'`,
    [tenantId],
  );
  await upkeep(relay(), ['orders']);
  expect(
    await database.admin('select idempotency_key from orders.outbox_key where tenant_id = $1', [tenantId]),
  ).toEqual([{ idempotency_key: 'o1:changed:2' }]);
});

test('DLQ-03: days of the log are dropped when they are over and everybody has read them', async () => {
  const days = () =>
    database.admin<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'brokers.log'::regclass order by 1`,
    );
  const before = await days();
  await database.admin(
    `create table brokers.log_20200101 partition of brokers.log for values from ('2020-01-01') to ('2020-01-02')`,
  );
  await database.admin(
    `create table brokers.log_20200102 partition of brokers.log for values from ('2020-01-02') to ('2020-01-03')`,
  );
  // Of a service that nobody runs here: those of the shop move by themselves.
  await ensureCursors(relay(), ['elsewhere-service']);
  const readUpTo = (day: string) =>
    database.admin(`update brokers.cursor set day = $1 where subscription = 'elsewhere-service'`, [day]);
  // Again, where somebody reads the log just then: a day that is looked at stays for the next round.
  const isGone = (day: string) =>
    waitUntil(`${day} is dropped`, async () => {
      await upkeep(relay(), [], { keep: { ...defaultKeep, logDays: 7 } });
      return !(await days()).some(({ name }) => name === day);
    });
  await readUpTo('2020-01-02');
  await isGone('brokers.log_20200101');
  expect((await days()).map(({ name }) => name)).toContain('brokers.log_20200102');
  await readUpTo('2020-01-03');
  await isGone('brokers.log_20200102');
  expect(await days()).toEqual(expect.arrayContaining(before)); // at midnight one more was made
});
