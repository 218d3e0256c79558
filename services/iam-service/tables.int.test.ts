import { getTableColumns, getTableName, is } from '@ghasi/db/drizzle';
import { getTableConfig, PgTable } from '@ghasi/db/drizzle-tables';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as tables from './tables.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** Made by helpers of the platform, and used by it. */
const ofThePlatform = [
  'idempotency',
  'schema_migrations',
  'outbox',
  'outbox_key',
  'outbox_quarantine',
  'outbox_archive',
  'inbox',
  'inbox_floor',
];

test('the Drizzle tables are the migrated tables, column by column, in both directions', async () => {
  const inCode = Object.values(tables)
    .filter(table => is(table, PgTable))
    .flatMap(table =>
      Object.entries(getTableColumns(table)).map(([key, column]) => {
        expect(key).toBe(column.name);
        expect(getTableConfig(table).schema).toBe('iam');
        const type = column.getSQLType();
        return `${getTableName(table)}.${column.name} ${type}${column.notNull ? ' not null' : ''}${column.hasDefault ? ' default' : ''}`;
      }),
    );
  const inDatabase = await database.admin<{ line: string }>(
    `select format('%s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                   case when a.attnotnull then ' not null' end, case when a.atthasdef then ' default' end) as line
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'iam'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       and c.relname <> all ($1)`,
    [ofThePlatform],
  );
  expect(inCode.length).toBeGreaterThan(100);
  expect(inCode.sort()).toEqual(inDatabase.map(({ line }) => line).sort());
});
