import { type Database, openClient } from '@ghasi/db/database';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openOrders } from './fixtures/network-shop.ts';
import { changeOrder, shopMigrations } from './fixtures/shop.ts';
import { outboxColumns } from './outbox-columns.ts';
import { putBack, republishSince } from './republish.ts';

let database: TestDatabase;
let orders: Database;
let relayDb: Database;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  orders = openOrders(database);
  relayDb = database.openAs('relay');
});
afterAll(async () => {
  await orders.close();
  await database.drop();
});
beforeEach(async () => {
  for (const table of ['outbox', 'outbox_archive']) await database.admin(`delete from orders.${table}`);
});

/** As if so many changes of an order had been published, every one of them when `at` says; their versions count from 1. */
async function published(most: number, at = 'now()'): Promise<void> {
  await changeOrder(orders, uuid7() as unknown as TenantId, { orderId: 'a' });
  await database.admin(
    `with first as (delete from orders.outbox returning *)
     insert into orders.outbox_archive (${outboxColumns}, event_id, attempts, status, next_attempt_at, lease_epoch, published_at)
     select gen_random_uuid(), o.seq + n, o.tenant_id, o.aggregate_type, o.aggregate_id, n, o.topic, o.ordering_key,
            o.envelope, o.attributes, n::text, o.occurred_at, o.enqueued_at, gen_random_uuid(), 0, 'published', now(), 1, ${at}
     from first o
     cross join generate_series(1, ${most}) as n`,
  );
}
const waits = async () => {
  const [row] = await database.admin<{ numbers: number[] }>(
    'select array_agg(aggregate_version::int order by seq) as numbers from orders.outbox',
  );
  return row?.numbers;
};
const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
const left = async () => (await database.admin('select from orders.outbox_archive')).length;

test('safety-30: an archive is published again page by page along its numbers, and never sorted', async () => {
  // Every third was published before the moment.
  await published(12_000, `now() + case when n % 3 = 0 then interval '-1 day' else interval '1 day' end`);
  await database.admin('analyze orders.outbox_archive');
  const values = [new Date(), 0, 2_000, null, null];
  const { rows: plan } = await relayDb.pool.query(`explain ${putBack('orders')}`, values);
  const page = plan.map(line => line['QUERY PLAN']).join('\n');
  expect(page).toMatch(/Limit.*\n.*Index Scan using outbox_archive_order/);
  expect(await republishSince(relayDb, new Date())).toBe(8_000);
  expect(await waits()).toEqual(upTo(12_000).filter(n => n % 3 !== 0));
  expect(await left()).toBe(4_000);
});

test('safety-30: a row that somebody else removes meanwhile does not end what is published again', async () => {
  await published(5_000);
  const other = await openClient(database.adminUrl, 'test');
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('delete from orders.outbox_archive where aggregate_version = 3');
  const again = republishSince(relayDb, new Date(0));
  await waitUntil('it waits for that row', async () => {
    const found = await database.admin(
      `select from pg_locks l
       join pg_stat_activity a using (pid)
       where a.datname = current_database() and not l.granted`,
    );
    return found.length > 0;
  });
  await other.query('commit');
  expect(await again).toBe(4_999);
  expect(await waits()).toEqual(upTo(5_000).filter(n => n !== 3));
  expect(await left()).toBe(0);
});
