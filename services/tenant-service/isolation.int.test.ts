import { sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation, sqlState } from '@ghasi/db/pg-errors';
import { execute, rows } from '@ghasi/db/sql';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }), {
    ofNoTenant: ['plan_classes'], // the platform's: every tenant reads what its plan allows
    onlyGrows: ['history'],
  });
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
