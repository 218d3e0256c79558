import { idFromUuid, newId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, newSlug, openHouse, type Person } from './fixtures/house.ts';
import { defaultPreferences, defaultSettings } from './model.ts';
import { service } from './service.ts';

let house: House;
let owner: Person & { slug: string };
let clerkId: string;
beforeAll(async () => {
  house = await openHouse();
  owner = await house.tenant();
  const clerk = await house.hire(owner, ['front_desk']);
  const [row] = await house.database.admin<{ id: string }>(
    'select id from tenant.memberships where tenant_id = $1 and operator_id <> (select operator_id from tenant.memberships where tenant_id = $1 order by id limit 1)',
    [clerk.tenantId],
  );
  clerkId = idFromUuid('mbr', row?.id ?? '');
});
afterAll(() => house.close());

/** One good body per route that takes one. */
const good: Record<string, () => { as: Person; path: string; body: Record<string, unknown> }> = {
  'POST /api/v1/platform/tenants': () => ({
    as: house.admin,
    path: '/platform/tenants',
    body: {
      name: 'Inn',
      slug: newSlug(),
      ownerId: newId('usr'),
      rooms: 9,
      region: 'asia-south1',
      settings: {},
    },
  }),
  'POST /api/v1/platform/tenants/:tenantId/suspend': () => ({
    as: house.admin,
    path: `/platform/tenants/${owner.tenantId}/suspend`,
    body: { reason: 'plan_limit' },
  }),
  'PUT /api/v1/platform/tenants/:tenantId/plan': () => ({
    as: house.admin,
    path: `/platform/tenants/${owner.tenantId}/plan`,
    body: { rooms: 30 },
  }),
  'PATCH /api/v1/tenant': () => ({
    as: owner,
    path: '/tenant',
    body: { version: 1, name: 'Inn', ...defaultSettings, legalName: 'Inn Ltd', taxRegistration: '7' },
  }),
  'POST /api/v1/tenant/slugs': () => ({ as: owner, path: '/tenant/slugs', body: { slug: owner.slug } }),
  'POST /api/v1/tenant/hosts': () => ({ as: owner, path: '/tenant/hosts', body: { host: 'inn.example.af' } }),
  'POST /api/v1/tenant/memberships': () => ({
    as: owner,
    path: '/tenant/memberships',
    body: { operatorId: newId('usr'), roles: ['auditor'], propertyIds: [idFromUuid('pro', uuid7())] },
  }),
  'PATCH /api/v1/tenant/memberships/:membershipId': () => ({
    as: owner,
    path: `/tenant/memberships/${clerkId}`,
    body: { version: 1, roles: ['front_desk'], propertyIds: 'all', status: 'active' },
  }),
  'PUT /api/v1/me/preferences': () => ({
    as: owner,
    path: '/me/preferences',
    body: { version: 0, preferences: defaultPreferences },
  }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await house.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'tenant'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = names.map(
    ({ name }) => `(select coalesce(string_agg(t::text, '|' order by t::text), '') from tenant.${name} t)`,
  );
  const [row] = await house.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return row?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    2 ** 31,
    '',
    ' ',
    'x'.repeat(5000),
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    "'; drop table tenant.tenants; --",
    'a\u202eb',
    'tab\there',
    '\u0007',
    '\ud800',
    'XXX',
    'Mars/Base',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom(
  'tenant_id',
  'tenantId',
  'id',
  'role',
  'status',
  'version',
  'price',
  'constructor',
  'x',
);

type Odd = { at: number; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  at: fc.nat(),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

function spoil(body: Record<string, unknown>, { at, value, how, key }: Odd): Record<string, unknown> {
  const keys = Object.keys(body);
  const target = keys[at % keys.length] as string;
  if (how === 'add') return { ...body, [key]: value };
  if (how === 'replace') return { ...body, [target]: value };
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== target));
}

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 4xx and writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(oddities, async odd => {
        const { as, path, body } = (good[name] as (typeof good)[string])();
        const spoilt = JSON.parse(JSON.stringify(spoil(body, odd)));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await house.send(as, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 40 },
    );
  },
);

test.each([
  ['no JSON', '{"version":'],
  ['a list', '[]'],
  ['a text', '"version"'],
  ['nothing', ''],
  ['a key twice', '{"version":1,"version":1,"currency":"USD"}'],
  ['a prototype', '{"__proto__":{"currency":"USD"},"version":1}'],
  ['a NUL', '{"version":1,"name":"a\\u0000b"}'],
])('a body that is %s is refused and writes nothing', async (_, body) => {
  const before = await everything();
  const reply = await house.send(owner, 'PATCH', '/tenant', body, { 'content-type': 'application/json' });
  expect(reply.status).toBe(400);
  expect(await everything()).toBe(before);
});

test.each([
  'mbr_x',
  'usr_01J8ZQ6M3N4P5R6S7T8V9WXYZ0',
  'mbr_01j8zq6m3n4p5r6s7t8v9wxyz0',
  'mbr_81J8ZQ6M3N4P5R6S7T8V9WXYZ0',
  '%27',
  '..%2f..',
])('a malformed id such as %s is refused before the database is asked', async id => {
  expect(await house.send(owner, 'GET', `/tenant/memberships/${id}`)).toMatchObject({ status: 400 });
});

test('safety-12: no body can say for which tenant, with which id or in which state something is made', async () => {
  const other = await house.tenant();
  const body = { operatorId: newId('usr'), roles: ['auditor'], propertyIds: 'all' };
  for (const extra of [
    { tenant_id: other.tenantId },
    { tenantId: other.tenantId },
    { id: newId('mbr') },
    { status: 'active' },
  ]) {
    const reply = await house.send(owner, 'POST', '/tenant/memberships', { ...body, ...extra });
    expect(reply).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  }
});

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    row =>
      `${row.method} ${row.path.replace('/api/v1', '')}: ${row.auth === 'open' ? 'open' : row.roles.join(' ')}`,
  );
  const everyone =
    'accountant auditor front_desk housekeeping maintenance manager owner platform_admin platform_support';
  expect(table).toEqual([
    'GET /me/preferences: *',
    'PUT /me/preferences: *',
    'GET /platform/tenants: platform_admin platform_support',
    'POST /platform/tenants: platform_admin',
    'POST /platform/tenants/:tenantId/close: platform_admin',
    'POST /platform/tenants/:tenantId/hosts/:host/verify: platform_admin',
    'PUT /platform/tenants/:tenantId/plan: platform_admin',
    'POST /platform/tenants/:tenantId/reactivate: platform_admin',
    'POST /platform/tenants/:tenantId/suspend: platform_admin',
    `GET /tenant: ${everyone}`,
    'PATCH /tenant: manager owner platform_admin',
    'GET /tenant/addresses: manager owner',
    'GET /tenant/history: auditor manager owner platform_admin',
    'POST /tenant/hosts: owner',
    'DELETE /tenant/hosts/:host: owner',
    'GET /tenant/memberships: manager owner platform_admin',
    'POST /tenant/memberships: manager owner platform_admin',
    'DELETE /tenant/memberships/:membershipId: manager owner platform_admin',
    'GET /tenant/memberships/:membershipId: manager owner platform_admin',
    'PATCH /tenant/memberships/:membershipId: manager owner platform_admin',
    'GET /tenant/public: open',
    'POST /tenant/slugs: owner',
  ]);
});
