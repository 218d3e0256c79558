import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import { seek } from '@ghasi/brokers/operations/seek';
import { openClient } from '@ghasi/db/database';
import { startEmbeddedPostgres } from '@ghasi/db/embedded';
import { migrate } from '@ghasi/db/migrate';
import { jobsMigrations } from '@ghasi/jobs/migrations';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { installedPostgres } from '@ghasi/testing/installed-postgres';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { escapeIdentifier } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { changeOrder, type Place, shopMigrations, startShop } from './fixtures/shop.ts';
import { backboneMigrations } from './migrations.ts';
import { unsettled } from './settled.ts';

/** A database, wherever it is. */
type Side = Place & Pick<TestDatabase, 'admin'>;

const SECRET = 'Yk3vQ9Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6F-restore';
const allMigrations = [jobsMigrations, backboneMigrations, brokerMigrations, ...shopMigrations];
const tenantId = newTenantId();
const change = (db: Parameters<typeof changeOrder>[0], n: number) =>
  changeOrder(db, tenantId, { orderId: `o${n % 7}` });
const effects = ({ admin }: Side) =>
  admin<{ order_id: string; version: number }>('select order_id, version from stock.effects order by seq');

/** A hundred events all the way, fifty that wait in the log, fifty that wait in the outbox. Nobody is connected any more. */
async function fill(side: Side): Promise<void> {
  const whole = await startShop(side);
  for (let n = 0; n < 100; n++) await change(whole.orders, n);
  await waitUntil('the first hundred', async () => (await effects(side)).length === 100);
  await whole.stop();
  const relayOnly = await startShop(side, { consumers: false });
  for (let n = 100; n < 150; n++) await change(relayOnly.orders, n);
  const waiting = () => side.admin('select from orders.outbox');
  await waitUntil('an empty outbox', async () => (await waiting()).length === 0);
  await relayOnly.stop();
  const writerOnly = await startShop(side, { relay: false, consumers: false });
  for (let n = 150; n < 200; n++) await change(writerOnly.orders, n);
  await writerOnly.stop();
}

/** After fifty more, everything has one effect, in the order of its key; also when the whole log is read again. */
async function goesOn(side: Side): Promise<void> {
  const shop = await startShop(side);
  onTestFinished(() => shop.stop());
  for (let n = 200; n < 250; n++) await change(shop.orders, n);
  const settled = async () => {
    const of = { backbone: shop.backbone, relayDb: shop.relay, schemas: ['orders', 'stock'] };
    await waitUntil('everything is done', async () => (await unsettled(of)).length === 0);
  };
  await settled();
  const found = await effects(side);
  expect(found).toHaveLength(250);
  for (const [orderId, list] of Map.groupBy(found, effect => effect.order_id))
    expect({ orderId, versions: list.map(({ version }) => version) }).toEqual({
      orderId,
      versions: Array.from({ length: list.length }, (_, index) => index + 1),
    });
  const operator = { actor: 'usr_operator', reason: 'after a restore' };
  await seek(shop.relay, operator, { subscription: 'stock-service', to: 'start' });
  await settled();
  expect(await effects(side)).toEqual(found);
}

/** A database of this test's own on the run's server. */
async function ownDatabase(options: Parameters<typeof testDatabase>[0]): Promise<TestDatabase> {
  const database = await testDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

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

test('DLQ-40: after its rows were copied cursors still work: what was waiting arrives once, and what follows too', async () => {
  const before = await ownDatabase({ migrations: shopMigrations });
  const after = await ownDatabase({ migrations: shopMigrations });
  await fill(before);
  expect(await copyDatabase(before, after)).toBeGreaterThan(400);
  await goesOn(after);
});

/** A server of this test's own; `programs` of another PostgreSQL than ours. */
async function ownServer(dataDir: string, programs?: string): Promise<Side & { stop(): Promise<void> }> {
  const server = await startEmbeddedPostgres({
    dataDir,
    password: SECRET,
    settings: { fsync: 'off' },
    ...(programs === undefined ? {} : { programs }),
  });
  const client = await openClient(server.adminUrl, 'test-admin');
  const admin: Side['admin'] = async (text, values) => (await client.query(text, values)).rows;
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= client.end().then(() => server.stop()));
  onTestFinished(stop);
  return { adminUrl: server.adminUrl, secret: SECRET, admin, stop };
}

async function ownFolder(): Promise<string> {
  const folder = await memoryFolder('melm-restore-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('DLQ-40: the same after pg_dump and pg_restore, on the oldest PostgreSQL there is here', async ({
  skip,
}) => {
  const installed = installedPostgres();
  if (installed === undefined) {
    const missing = 'no PostgreSQL 15 or newer is installed on this machine, with its pg_dump';
    console.error(`\n*** A dump by pg_dump is LEFT OUT: ${missing}. ***\n`);
    return skip(missing);
  }
  const { folder: programs } = installed;
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(programs, program), args, { stdio: 'pipe' }); // it complains of the role that is there already
  const folder = await ownFolder();
  const before = await ownServer(join(folder, 'before'), programs);
  await migrate(before.adminUrl, allMigrations, { secret: SECRET });
  await fill(before);
  const [roles, dump] = [join(folder, 'roles.sql'), join(folder, 'melmastoon.dump')];
  run('pg_dumpall', '--roles-only', '--no-role-passwords', `--file=${roles}`, `--dbname=${before.adminUrl}`);
  run('pg_dump', '--format=custom', `--file=${dump}`, before.adminUrl);
  await before.stop();
  const after = await ownServer(join(folder, 'after'), programs);
  run('psql', '--quiet', `--file=${roles}`, after.adminUrl);
  run('pg_restore', '--exit-on-error', `--dbname=${after.adminUrl}`, dump);
  expect(await migrate(after.adminUrl, allMigrations, { secret: SECRET })).toEqual([]); // passwords and rights only
  await goesOn(after);
});

test('DLQ-40: a data folder that was copied while its server was stopped goes on elsewhere: cursors, outbox, inbox', async () => {
  const folder = await ownFolder();
  const before = await ownServer(join(folder, 'before'));
  await migrate(before.adminUrl, allMigrations, { secret: SECRET });
  await fill(before);
  await before.stop();
  execFileSync('cp', ['-a', join(folder, 'before'), join(folder, 'after')]);
  await rm(join(folder, 'before'), { recursive: true }); // nothing may look there any more
  const after = await ownServer(join(folder, 'after'));
  expect(after.adminUrl).not.toBe(before.adminUrl);
  await goesOn(after);
});
