import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { escapeIdentifier } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeOrder, shopMigrations, startShop } from './fixtures/shop.ts';

let before: TestDatabase;
let after: TestDatabase;
beforeAll(async () => {
  before = await testDatabase({ migrations: shopMigrations });
  after = await testDatabase({ migrations: shopMigrations });
});
afterAll(async () => {
  await before.drop();
  await after.drop();
});

/** Everything a logical dump carries: rows without their transaction numbers, and how far sequences came. */
async function copyDatabase(from: TestDatabase, to: TestDatabase): Promise<number> {
  const tables = await from.admin<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name,
            array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname in ('orders', 'stock', 'brokers') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'schema_migrations'
     group by 1, 2`,
  );
  let copied = 0;
  for (const { schema, name, columns } of tables) {
    const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
    const list = columns.map(escapeIdentifier).join(', ');
    const [found] = await from.admin<{ rows: string | null; n: number }>(
      `select json_agg(t)::text as rows, count(*)::int as n from ${table} t`,
    );
    await to.admin(`delete from ${table}`).catch(() => {}); // the log refuses, and is empty
    if (found?.rows)
      await to.admin(
        `insert into ${table} (${list}) overriding system value select ${list} from json_populate_recordset(null::${table}, $1)`,
        [found.rows],
      );
    copied += found?.n ?? 0;
  }
  const sequences = await from.admin<{ name: string; value: string | null }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value
     from pg_sequences where schemaname in ('orders', 'stock', 'brokers')`,
  );
  for (const { name, value } of sequences)
    if (value !== null) await to.admin('select setval($1::regclass, $2)', [name, value]);
  return copied;
}

test('DLQ-40: after a dump and a restore cursors still work: what was waiting arrives once, and what follows too', async () => {
  const tenantId = newTenantId();
  const change = (db: Parameters<typeof changeOrder>[0], n: number) =>
    changeOrder(db, tenantId, { orderId: `o${n % 7}` });
  const effects = (database: TestDatabase) =>
    database.admin<{ order_id: string; version: number }>(
      'select order_id, version from stock.effects order by seq',
    );

  const whole = await startShop(before); // 100 events all the way
  for (let n = 0; n < 100; n++) await change(whole.orders, n);
  await waitUntil('the first hundred', async () => (await effects(before)).length === 100);
  await whole.stop();
  const relayOnly = await startShop(before, { consumers: false }); // 50 wait in the log
  for (let n = 100; n < 150; n++) await change(relayOnly.orders, n);
  await waitUntil(
    'an empty outbox',
    async () => (await before.admin('select from orders.outbox')).length === 0,
  );
  await relayOnly.stop();
  const writerOnly = await startShop(before, { relay: false, consumers: false }); // 50 wait in the outbox
  for (let n = 150; n < 200; n++) await change(writerOnly.orders, n);
  await writerOnly.stop();

  expect(await copyDatabase(before, after)).toBeGreaterThan(400);
  const restored = await startShop({ adminUrl: after.adminUrl, secret: before.secret });
  for (let n = 200; n < 250; n++) await change(restored.orders, n);
  await waitUntil('everything', async () => (await effects(after)).length >= 250);
  await restored.stop();
  const versions = Map.groupBy(await effects(after), effect => effect.order_id);
  for (const [orderId, list] of versions) {
    const expected = Array.from({ length: list.length }, (_, index) => index + 1);
    expect({ orderId, versions: list.map(({ version }) => version) }).toEqual({
      orderId,
      versions: expected,
    });
  }
  expect((await effects(after)).length).toBe(250);
});
