import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation, sqlState } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addHost } from './commands/addresses.ts';
import { savePreferences } from './commands/preferences.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { defaultPreferences } from './model.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.tenant(), await house.tenant()];
  for (const { tenantId, operatorId } of [a, b]) {
    await house.inside(tenantId, async ctx => {
      await addHost(ctx, { host: 'book.example.af' });
      await savePreferences(
        ctx,
        { operatorId, propertyId: null },
        { version: 0, preferences: defaultPreferences },
      );
    });
  }
});
afterAll(() => house.close());

const owned = Object.values(service.tables)
  .map(getTableName)
  .filter(name => name !== 'plan_classes');
const table = (name: string) => sql`${sql.identifier('tenant')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of tenant.%s and none of B', async name => {
  const seen = await house.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant tenant.%s is empty', async name => {
  const seen = await systemTransaction(house.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)(
  'safety-7: a row of tenant.%s cannot be moved or written into another tenant',
  async name => {
    const copy = await house.inside(a.tenantId, ({ tx }) =>
      row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table(name)} t limit 1`),
    );
    const foreign = JSON.stringify({ ...copy?.one, tenant_id: b.tenantId });
    const record = sql`select * from jsonb_populate_record(null::${table(name)}, ${foreign}::jsonb)`;
    for (const attempt of [
      sql`insert into ${table(name)} ${record}`,
      sql`insert into ${table(name)} ${record} on conflict do nothing`,
      sql`update ${table(name)} set tenant_id = ${b.tenantId}`,
      sql`merge into ${table(name)} t using (${record}) s on false
        when not matched then insert values (s.*)`,
    ]) {
      const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
      await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
    }
  },
);

test('safety-26: the history only grows', async () => {
  for (const attempt of [
    sql`update tenant.history set action = 'tenant.closed'`,
    sql`delete from tenant.history`,
    sql`truncate tenant.history`,
  ]) {
    const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test('safety-6: the functions that look across tenants give public facts, and the list only to the platform', async () => {
  const listed = (tenantId: typeof a.tenantId) =>
    house.inside(tenantId, ({ tx }) => rows(tx, sql`select tenant_id from tenant.list_tenants(null, 100)`));
  expect(await listed(a.tenantId)).toEqual([]);
  expect(await listed(PLATFORM_TENANT_ID)).toHaveLength(2);
  const everyone = await house.database.admin<{ open: boolean }>(
    `select has_function_privilege('svc_iam', p.oid, 'execute') as open
     from pg_proc p where p.pronamespace = 'tenant'::regnamespace`,
  );
  expect(everyone.map(one => one.open)).toEqual([false, false, false, false]);
});

test('the service cannot write the plan limits or read another schema', async () => {
  for (const attempt of [
    sql`update tenant.plan_classes set most_rooms = 1`,
    sql`insert into app.definer_functions values ('x')`,
  ]) {
    await expect(house.inside(a.tenantId, ({ tx }) => execute(tx, attempt))).rejects.toSatisfy(
      isPrivilegeViolation,
    );
  }
});

test('no row in a hotel makes anybody an administrator of the platform', async () => {
  const attempt = house.inside(a.tenantId, ({ tx }) =>
    execute(tx, sql`update tenant.memberships set roles = '{platform_admin}'`),
  );
  await expect(attempt).rejects.toSatisfy(error => sqlState(error) === '23514');
});
