import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Inn } from './fixtures/inn.ts';
import { openTown, type Town } from './fixtures/town.ts';
import { service } from './service.ts';

let town: Town;
let a: Inn;
let b: Inn;
beforeAll(async () => {
  town = await openTown();
  [a, b] = (await town.inns({}, {})) as [Inn, Inn];
});
afterAll(() => town.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('search_aggregation')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(town.system.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)(
  'TEN-08: a tenant sees its own rows of search_aggregation.%s and nobody else’s',
  async name => {
    const seen = await town.inside(a.tenantId, ({ tx }) =>
      rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
    );
    expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
    const none = await systemTransaction(town.db, { actor: testActor }, ({ tx }) =>
      rows(tx, sql`select 1 from ${table(name)}`),
    );
    expect(none).toEqual([]);
  },
);

test.each(owned)(
  'safety-7: a row of search_aggregation.%s cannot be written into another tenant',
  async name => {
    const attempt = town.inside(a.tenantId, ({ tx }) =>
      rows(
        tx,
        sql`insert into ${table(name)}
          select (jsonb_populate_record(t, jsonb_build_object('tenant_id', ${b.tenantId}::text))).*
          from ${table(name)} t
          limit 1`,
      ),
    );
    expect(await attempt.then(() => false, isPrivilegeViolation)).toBe(true);
  },
);

test('safety-6, XT-06: three functions look across tenants: two give tenant ids, one what is listed', async () => {
  const found = await town.system.database.admin<{ name: string; open: boolean }>(
    `select proname as name, has_function_privilege('svc_inventory', oid, 'execute') as open
     from pg_proc where pronamespace = 'search_aggregation'::regnamespace and prosecdef and proname <> 'assert_holds'
     order by 1`,
  );
  const own = found.filter(({ name }) => /^(find|tenants)_/.test(name));
  expect(own.map(({ name }) => name)).toEqual(['find_listings', 'tenants_behind', 'tenants_with_houses']);
  expect(found.filter(({ open }) => open)).toEqual([]);
});

test('a house that is not listed is not found by the function either', async () => {
  const hidden = await town.inn({ name: ['Hidden', 'پنهان'], rooms: 0 });
  expect(await town.found({ text: 'hidden' })).toEqual([]);
  expect(await town.found()).not.toContain(hidden.propertyId);
});

test('safety-10: a manager steers his own houses only', async () => {
  const manager = { tenantId: b.tenantId, role: 'manager' };
  const { body } = await town.send(manager, 'GET', '/listings');
  expect(body.listings.map(({ propertyId }: { propertyId: string }) => propertyId)).toEqual([b.propertyId]);
  const foreign = await town.send(manager, 'PUT', `/listings/${a.propertyId}`, { wanted: false });
  expect(foreign.status).toBe(404);
  expect(await town.found()).toContain(a.propertyId);
});

test('safety-3: nobody needs an account to look, and nobody steers without one', async () => {
  expect((await town.search()).status).toBe(200);
  expect((await town.send(undefined, 'GET', '/listings')).status).toBe(401);
  expect((await town.send(undefined, 'PUT', `/listings/${a.propertyId}`, { wanted: false })).status).toBe(
    401,
  );
});
