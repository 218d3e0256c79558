import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  isolationContract(service, () => ({
    ...town,
    database: town.system.database,
    own: a.tenantId,
    other: b.tenantId,
  }));
});

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
