import { randomUUID } from 'node:crypto';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { failAt } from '@ghasi/testing/failpoints';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantView } from './contract/resources.ts';
import { seedTenants } from './demo.ts';
import { type House, newSlug, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const wanted = (more: object = {}) => ({
  name: 'Bala Hissar Guest House',
  slug: newSlug(),
  ownerId: newId('usr'),
  rooms: 12,
  region: 'me-central1',
  ...more,
});

const found = (slug: string) =>
  house.database.admin<{ tenant_id: string }>('select tenant_id from tenant.slugs where slug = $1', [slug]);

test('EVT-07: the platform opens a tenant with its first owner, who can work at once', async () => {
  const body = wanted({ settings: { defaultLocale: 'ps', locales: ['ps', 'en'], currency: 'USD' } });
  const reply = await house.send(house.admin, 'POST', '/platform/tenants', body);
  expect(reply).toMatchObject({
    status: 201,
    body: {
      slug: body.slug,
      name: body.name,
      status: 'active',
      planClass: 'small',
      region: 'me-central1',
      version: 1,
    },
  });
  const { tenantId } = reply.body as unknown as TenantView;
  const owner = { tenantId, operatorId: body.ownerId };
  expect(await house.membershipOf(owner)).toEqual({ roles: ['owner'], status: 'active', propertyIds: 'all' });
  const profile = await house.send(owner, 'GET', '/tenant');
  expect(profile.body).toMatchObject({
    settings: { defaultLocale: 'ps', locales: ['ps', 'en'], currency: 'USD', zone: 'Asia/Kabul' },
  });
});

test('IDEM-01: one key opens one tenant, however many requests carry it at the same moment', async () => {
  const body = wanted();
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => house.send(house.admin, 'POST', '/platform/tenants', body, headers)),
  );
  expect(replies.every(one => one.status === 201 || one.body.code === 'IDEMPOTENCY_IN_PROGRESS')).toBe(true);
  const again = await house.send(house.admin, 'POST', '/platform/tenants', body, headers);
  const ids = new Set(
    [...replies, again].filter(one => one.status === 201).map(one => String(one.body.tenantId)),
  );
  expect(ids.size).toBe(1);
  expect(await found(body.slug)).toHaveLength(1);
});

test('a crash between the tenant’s commit and the platform’s is healed by repeating the request', async () => {
  const body = wanted();
  const headers = { 'idempotency-key': randomUUID() };
  failAt('http.before-complete');
  expect(await house.send(house.admin, 'POST', '/platform/tenants', body, headers)).toMatchObject({
    status: 500,
  });
  const [orphan] = await found(body.slug);
  disarmFailpoints();
  const healed = await house.send(house.admin, 'POST', '/platform/tenants', body, headers);
  expect(healed).toMatchObject({ status: 201, body: { tenantId: orphan?.tenant_id } });
  const history = await house.database.admin(
    `select 1 from tenant.history where tenant_id = $1 and action = 'tenant.created'`,
    [orphan?.tenant_id],
  );
  expect(history).toHaveLength(1);
});

test('a slug that is taken opens no tenant and leaves nothing behind', async () => {
  const { slug } = await house.tenant();
  const count = async () => (await house.database.admin('select tenant_id from tenant.tenants')).length;
  const before = await count();
  const body = wanted({ slug });
  expect(await house.send(house.admin, 'POST', '/platform/tenants', body)).toMatchObject({
    status: 409,
    body: { code: 'SLUG_TAKEN' },
  });
  expect(await count()).toBe(before);
});

test('a suspended tenant sells nothing while its staff works on; reactivated it is as before', async () => {
  const owner = await house.tenant();
  const act = (what: string, body?: object) =>
    house.send(house.admin, 'POST', `/platform/tenants/${owner.tenantId}/${what}`, body);
  const open = () =>
    house.send(undefined, 'GET', '/tenant/public', undefined, { 'x-tenant-slug': owner.slug });
  expect(await open()).toMatchObject({ status: 200 });
  const suspended = await act('suspend', { reason: 'billing_failure' });
  expect(suspended).toMatchObject({
    status: 200,
    body: { status: 'suspended', suspensionReason: 'billing_failure' },
  });
  expect(await open()).toMatchObject({ status: 403, body: { code: 'TENANT_NOT_ACTIVE' } });
  expect(await house.send(owner, 'GET', '/tenant')).toMatchObject({ status: 200 });
  await act('suspend', { reason: 'compliance' });
  expect(await house.send(owner, 'GET', '/tenant')).toMatchObject({ status: 401 });
  expect(await act('reactivate')).toMatchObject({
    status: 200,
    body: { status: 'active', suspensionReason: null },
  });
  expect(await open()).toMatchObject({ status: 200 });
  expect(await house.send(owner, 'GET', '/tenant')).toMatchObject({ status: 200 });
});

test('a closed tenant has no staff, cannot be changed and stays closed', async () => {
  const owner = await house.tenant();
  const path = `/platform/tenants/${owner.tenantId}`;
  expect(await house.send(house.admin, 'POST', `${path}/close`)).toMatchObject({
    status: 200,
    body: { status: 'closed' },
  });
  expect(await house.send(house.admin, 'POST', `${path}/close`)).toMatchObject({ status: 200 });
  expect(await house.membershipOf(owner)).toBeNull();
  expect(await house.send(owner, 'GET', '/tenant')).toMatchObject({ status: 401 });
  const refused = { status: 409, body: { code: 'TENANT_TRANSITION_REFUSED' } };
  expect(await house.send(house.admin, 'POST', `${path}/reactivate`)).toMatchObject(refused);
  expect(await house.send(house.admin, 'POST', `${path}/suspend`, { reason: 'compliance' })).toMatchObject(
    refused,
  );
  expect(await house.send(house.admin, 'PUT', `${path}/plan`, { rooms: 5 })).toMatchObject({
    body: { code: 'TENANT_CLOSED' },
  });
});

test('the platform itself cannot be suspended, closed or resized', async () => {
  const path = `/platform/tenants/${house.admin.tenantId}`;
  const refused = { status: 409, body: { code: 'PLATFORM_STAYS' } };
  expect(await house.send(house.admin, 'POST', `${path}/close`)).toMatchObject(refused);
  expect(await house.send(house.admin, 'POST', `${path}/suspend`, { reason: 'compliance' })).toMatchObject(
    refused,
  );
  expect(await house.send(house.admin, 'PUT', `${path}/plan`, { rooms: 5 })).toMatchObject(refused);
});

test('X-040: the plan class follows the rooms, by the limits in the table', async () => {
  const { tenantId } = await house.tenant();
  const classOf = async (rooms: number) =>
    (await house.send(house.admin, 'PUT', `/platform/tenants/${tenantId}/plan`, { rooms })).body.planClass;
  expect([await classOf(20), await classOf(21), await classOf(100), await classOf(101)]).toEqual([
    'small',
    'medium',
    'medium',
    'large',
  ]);
  await house.database.admin(`update tenant.plan_classes set most_rooms = 5 where class = 'small'`);
  expect(await classOf(6)).toBe('medium');
  await house.database.admin(`update tenant.plan_classes set most_rooms = 20 where class = 'small'`);
});

test('safety-11: only the platform’s own people act on tenants, whatever role others hold', async () => {
  const owner = await house.tenant();
  const support = await house.hire(house.admin, ['platform_support']);
  const path = `/platform/tenants/${owner.tenantId}`;
  for (const who of [owner, support]) {
    expect(await house.send(who, 'POST', '/platform/tenants', wanted())).toMatchObject({ status: 403 });
    expect(await house.send(who, 'POST', `${path}/close`)).toMatchObject({ status: 403 });
  }
  expect(await house.send(owner, 'GET', '/platform/tenants')).toMatchObject({ status: 403 });
  expect(await house.send(support, 'GET', '/platform/tenants')).toMatchObject({ status: 200 });
  expect(await house.send(undefined, 'GET', '/platform/tenants')).toMatchObject({ status: 401 });
});

test('the platform pages through its tenants, itself left out', async () => {
  const seen: TenantId[] = [];
  for (let after = ''; ; ) {
    const { body } = await house.send(house.admin, 'GET', `/platform/tenants?limit=4${after}`);
    const page = (body as unknown as { tenants: TenantView[] }).tenants;
    seen.push(...page.map(one => one.tenantId));
    if (page.length < 4) break;
    after = `&after=${page.at(-1)?.tenantId}`;
  }
  const stored = await house.database.admin<{ tenant_id: TenantId }>(
    'select tenant_id from tenant.tenants order by 1',
  );
  expect(seen).toEqual(stored.map(one => one.tenant_id).filter(id => id !== house.admin.tenantId));
});

test('acting on a tenant that does not exist gives 404 and makes none', async () => {
  const path = `/platform/tenants/${newTenantId()}`;
  expect(await house.send(house.admin, 'POST', `${path}/close`)).toMatchObject({ status: 404 });
  expect(await house.send(house.admin, 'PUT', `${path}/plan`, { rooms: 1 })).toMatchObject({ status: 404 });
});

test('what the platform does to a tenant is in both histories', async () => {
  const owner = await house.tenant();
  await house.send(house.admin, 'POST', `/platform/tenants/${owner.tenantId}/suspend`, {
    reason: 'plan_limit',
  });
  const lines = await house.database.admin<{ tenant_id: string; subject: string; actor_id: string }>(
    `select tenant_id, subject, actor_id from tenant.history where action = 'tenant.suspended' and subject = $1`,
    [owner.tenantId],
  );
  expect(new Set(lines.map(line => line.tenant_id))).toEqual(new Set([owner.tenantId, house.admin.tenantId]));
  expect(new Set(lines.map(line => line.actor_id))).toEqual(new Set([house.admin.operatorId]));
});

test('seeding twice, or twice at once, makes the same tenants and members once', async () => {
  const seed = {
    tenantId: newTenantId(),
    slug: newSlug(),
    name: 'Gazargah',
    settings: { currency: 'USD' as const },
    members: [
      { operatorId: newId('usr'), roles: ['owner'] as const },
      { operatorId: newId('usr'), roles: ['front_desk', 'accountant'] as const },
    ],
  };
  await Promise.all([seedTenants(house.db, [seed]), seedTenants(house.db, [seed])]);
  await seedTenants(house.db, [{ ...seed, name: 'Another name' }]);
  const members = await house.database.admin('select 1 from tenant.memberships where tenant_id = $1', [
    seed.tenantId,
  ]);
  expect(members).toHaveLength(2);
  expect(await house.resolve({ slug: seed.slug })).toMatchObject({
    tenantId: seed.tenantId,
    name: 'Gazargah',
    currency: 'USD',
  });
});
