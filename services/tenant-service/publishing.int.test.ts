import { randomUUID } from 'node:crypto';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { idFromUuid, newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { failAt } from '@ghasi/testing/failpoints';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeSettings } from './commands/tenants.ts';
import type { MembershipView, TenantProfile, TenantView } from './contract/resources.ts';
import { suspensionReasons } from './contract.ts';
import { seedTenants } from './demo.ts';
import { RoleGranted, SettingsChanged, TenantCreated, TenantSuspended } from './events.ts';
import { type House, newSlug, openHouse, type Person } from './fixtures/house.ts';
import { defaultSettings } from './model.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Payloads of one event in a tenant, oldest first. */
async function told({ subject }: { subject: string }, { tenantId }: { tenantId: TenantId }) {
  return (await house.published(tenantId)).filter(({ topic }) => topic === subject);
}

const payloads = async (event: { subject: string }, of: { tenantId: TenantId }) =>
  (await told(event, of)).map(({ payload }) => payload);

/** As if 30 days had passed: what follows must not lean on the keys the outbox remembers. */
const forgetKeys = () => house.database.admin('delete from tenant.outbox_key');

const again = () => ({ 'idempotency-key': randomUUID() });

describe('EVT-07: tenant.created', () => {
  const wanted = (more: object = {}) => ({
    name: 'Bala Hissar Guest House',
    slug: newSlug(),
    ownerId: newId('usr'),
    rooms: 42,
    region: 'asia-south1',
    ...more,
  });
  const open = (body: object, headers?: object) =>
    house.send(house.admin, 'POST', '/platform/tenants', body, headers);
  const everything = async () => (await house.database.admin('select 1 from tenant.outbox')).length;

  test('opening a tenant tells what it is, and that its owner got his role', async () => {
    const body = wanted({ settings: { currency: 'USD' } });
    const { tenantId } = (await open(body)).body as unknown as TenantView;
    const [created, granted, ...more] = await house.published(tenantId);
    const settings = { ...defaultSettings, currency: 'USD' };
    expect(created).toMatchObject({
      topic: TenantCreated.subject,
      aggregateId: tenantId,
      aggregateVersion: 1,
      idempotencyKey: `${tenantId}:created`,
      payload: { ...body, tenantId, planClass: 'medium', settings },
    });
    expect(created?.envelope).toMatchObject({ tenantId, actorId: { id: house.admin.operatorId } });
    expect(granted).toMatchObject({
      topic: RoleGranted.subject,
      payload: { operatorId: body.ownerId, granted: ['owner'], propertyIds: 'all', grantedBy: null },
    });
    expect(more).toEqual([]);
  });

  test('IDEM-01: one key, however often it is sent, tells it once', async () => {
    const [body, headers] = [wanted(), again()];
    const replies = await Promise.all(Array.from({ length: 10 }, () => open(body, headers)));
    expect(replies.some(({ status }) => status === 201)).toBe(true);
    const { tenantId } = (await open(body, headers)).body as unknown as TenantView;
    expect(await payloads(TenantCreated, { tenantId })).toHaveLength(1);
    expect(await house.published(tenantId)).toHaveLength(2);
  });

  test('a crash between the two transactions and the repetition that heals it tell it once', async () => {
    const [body, headers] = [wanted(), again()];
    failAt('http.before-complete');
    expect(await open(body, headers)).toMatchObject({ status: 500 });
    disarmFailpoints();
    await forgetKeys();
    const { tenantId } = (await open(body, headers)).body as unknown as TenantView;
    expect(await payloads(TenantCreated, { tenantId })).toHaveLength(1);
  });

  test('a slug that is taken tells nothing', async () => {
    const { slug } = await house.tenant();
    const before = await everything();
    expect(await open(wanted({ slug }))).toMatchObject({ status: 409 });
    expect(await everything()).toBe(before);
  });

  test('seeding twice, and twice at once, tells tenant and roles once', async () => {
    const [owner, desk] = [newId('usr'), newId('usr')];
    const seed = {
      tenantId: newTenantId(),
      slug: newSlug(),
      name: 'Gazargah',
      members: [
        { operatorId: owner, roles: ['owner'] as const },
        { operatorId: desk, roles: ['front_desk', 'accountant'] as const },
      ],
    };
    await Promise.all([seedTenants(house.db, [seed]), seedTenants(house.db, [seed])]);
    await forgetKeys();
    await seedTenants(house.db, [{ ...seed, name: 'Another name' }]);
    expect(await payloads(TenantCreated, seed)).toMatchObject([{ name: 'Gazargah', ownerId: owner }]);
    expect(await payloads(RoleGranted, seed)).toMatchObject([
      { operatorId: owner, granted: ['owner'], grantedBy: null },
      { operatorId: desk, granted: ['front_desk', 'accountant'], grantedBy: null },
    ]);
  });
});

describe('EVT-08: tenant.suspended', () => {
  const act = ({ tenantId }: Person, what: string, body?: object, headers?: object) =>
    house.send(house.admin, 'POST', `/platform/tenants/${tenantId}/${what}`, body, headers);

  test.each(suspensionReasons)('a suspension for %s says whether staff may go on', async reason => {
    const owner = await house.tenant();
    await act(owner, 'suspend', { reason });
    const [suspended, ...more] = await told(TenantSuspended, owner);
    const { tenantId } = owner;
    expect(suspended?.payload).toEqual({ tenantId, reason, staffLockedOut: reason === 'compliance' });
    expect(suspended).toMatchObject({ aggregateId: tenantId, aggregateVersion: 2 });
    expect(more).toEqual([]);
  });

  test('what changes nothing or is refused tells nothing; each new suspension is a fact of its own', async () => {
    const owner = await house.tenant();
    const headers = again();
    await act(owner, 'suspend', { reason: 'plan_limit' }, headers);
    await act(owner, 'suspend', { reason: 'plan_limit' }, headers);
    await act(owner, 'suspend', { reason: 'plan_limit' });
    expect(await payloads(TenantSuspended, owner)).toHaveLength(1);
    await act(owner, 'suspend', { reason: 'compliance' });
    await act(owner, 'reactivate');
    await act(owner, 'suspend', { reason: 'plan_limit' });
    await act(owner, 'close');
    expect(await act(owner, 'suspend', { reason: 'compliance' })).toMatchObject({ status: 409 });
    const facts = await told(TenantSuspended, owner);
    expect(facts.map(({ payload }) => (payload as { reason: string }).reason)).toEqual([
      'plan_limit',
      'compliance',
      'plan_limit',
    ]);
    expect(facts.map(one => one.aggregateVersion)).toEqual([2, 3, 5]);
  });

  test('the platform itself is not suspended, and nothing is told', async () => {
    expect(await act(house.admin, 'suspend', { reason: 'compliance' })).toMatchObject({ status: 409 });
    expect(await told(TenantSuspended, house.admin)).toEqual([]);
  });

  test('a crash between the two transactions and the repetition that heals it tell it once', async () => {
    const [owner, headers] = [await house.tenant(), again()];
    failAt('http.before-complete');
    expect(await act(owner, 'suspend', { reason: 'plan_limit' }, headers)).toMatchObject({ status: 500 });
    disarmFailpoints();
    await forgetKeys();
    expect(await act(owner, 'suspend', { reason: 'plan_limit' }, headers)).toMatchObject({ status: 200 });
    expect(await payloads(TenantSuspended, owner)).toHaveLength(1);
  });
});

describe('EVT-09: role.granted', () => {
  const property = () => idFromUuid('pro', uuid7());
  const hire = async (by: Person, body: object, headers?: object) =>
    (await house.send(by, 'POST', '/tenant/memberships', body, headers)).body as unknown as MembershipView;
  const change = (by: Person, { id }: { id: string }, body: object) =>
    house.send(by, 'PATCH', `/tenant/memberships/${id}`, body);

  test('who got which role, where, and from whom; IDEM-01: once per key', async () => {
    const [owner, operatorId, headers] = [await house.tenant(), newId('usr'), again()];
    const body = { operatorId, roles: ['front_desk'], propertyIds: [property()] };
    const member = await hire(owner, body, headers);
    await hire(owner, body, headers);
    const grants = await told(RoleGranted, owner);
    expect(grants).toHaveLength(2); // his own when the tenant was opened
    expect(grants[1]).toMatchObject({ aggregateId: member.id, aggregateVersion: 1 });
    expect(grants[1]?.payload).toEqual({
      membershipId: member.id,
      ...body,
      granted: ['front_desk'],
      grantedBy: owner.operatorId,
    });
  });

  test('a change tells what it gives, and nothing when it gives nothing', async () => {
    const owner = await house.tenant();
    const [a, b] = [property(), property()];
    const member = await hire(owner, { operatorId: newId('usr'), roles: ['front_desk'], propertyIds: [a] });
    const given = async (body: object) => {
      const before = (await told(RoleGranted, owner)).length;
      expect(await change(owner, member, body)).toMatchObject({ status: 200 });
      const facts = (await told(RoleGranted, owner)).slice(before);
      return facts.map(one => [(one.payload as { granted: string[] }).granted, one.aggregateVersion]);
    };
    expect(await given({ version: 1, roles: ['front_desk', 'accountant'] })).toEqual([[['accountant'], 2]]);
    expect(await given({ version: 2, roles: ['accountant'] })).toEqual([]);
    expect(await given({ version: 3, status: 'suspended' })).toEqual([]);
    expect(await given({ version: 4, status: 'active' })).toEqual([]);
    expect(await given({ version: 5, propertyIds: [a, b] })).toEqual([[['accountant'], 6]]);
    expect(await given({ version: 6, propertyIds: [b] })).toEqual([]);
    expect(await given({ version: 7, propertyIds: 'all' })).toEqual([[['accountant'], 8]]);
  });

  test('a refused or stale change and the end of a membership tell nothing', async () => {
    const owner = await house.tenant();
    const manager = await house.hire(owner, ['manager']);
    const member = await hire(owner, { operatorId: newId('usr'), roles: ['front_desk'], propertyIds: 'all' });
    const before = await house.published(owner.tenantId);
    expect(await change(manager, member, { version: 1, roles: ['owner'] })).toMatchObject({ status: 403 });
    expect(await change(owner, member, { version: 7, roles: ['manager'] })).toMatchObject({ status: 409 });
    const refused = { operatorId: newId('usr'), roles: ['platform_admin'], propertyIds: 'all' };
    expect(await house.send(owner, 'POST', '/tenant/memberships', refused)).toMatchObject({ status: 422 });
    await house.send(owner, 'DELETE', `/tenant/memberships/${member.id}?version=1`);
    expect(await house.published(owner.tenantId)).toEqual(before);
  });

  test('X-027: roles of platform staff are told as the platform’s own', async () => {
    const operatorId = newId('usr');
    const body = { operatorId, roles: ['platform_support'], propertyIds: 'all' };
    await hire(house.admin, body);
    const fact = (await told(RoleGranted, house.admin)).at(-1);
    expect(fact?.payload).toMatchObject({ operatorId, grantedBy: house.admin.operatorId });
    expect(fact?.envelope.tenantId).toBe('platform');
  });
});

describe('EVT-10: settings.changed', () => {
  const patch = (who: Person, body: object, headers?: object) =>
    house.send(who, 'PATCH', '/tenant', body, headers);

  test('what changed is named, and everything is told as it is now; IDEM-01: once per key', async () => {
    const [owner, headers] = [await house.tenant({ name: 'Old' }), again()];
    const body = { version: 1, name: 'New', currency: 'USD', zone: defaultSettings.zone };
    await patch(owner, body, headers);
    await patch(owner, body, headers);
    const [changed, ...more] = await told(SettingsChanged, owner);
    const { payload, aggregateId } = changed ?? {};
    expect(payload).toEqual({
      tenantId: owner.tenantId,
      changed: ['currency', 'name'],
      name: 'New',
      region: 'me-central1',
      settings: { ...defaultSettings, currency: 'USD' },
    });
    expect(aggregateId).toBe(owner.tenantId);
    expect(more).toEqual([]);
  });

  test('the same values, a stale version, a bad value and a closed tenant tell nothing', async () => {
    const owner = await house.tenant();
    const before = await house.published(owner.tenantId);
    expect(await patch(owner, { version: 1, currency: 'AFN' })).toMatchObject({ status: 200 });
    expect(await patch(owner, { version: 1, currency: 'USD' })).toMatchObject({ status: 409 });
    const locales = { version: 2, defaultLocale: 'ps', locales: ['en'] };
    expect(await patch(owner, locales)).toMatchObject({ status: 422 });
    expect(await house.published(owner.tenantId)).toEqual(before);
  });

  test('a transaction that rolls back tells nothing', async () => {
    const owner = await house.tenant();
    const before = await house.published(owner.tenantId);
    failAt('db.before-commit');
    const work = house.inside(owner.tenantId, ctx => changeSettings(ctx, { version: 1, currency: 'USD' }));
    await expect(work).rejects.toThrow('db.before-commit');
    disarmFailpoints();
    expect(await house.published(owner.tenantId)).toEqual(before);
    expect((await house.send(owner, 'GET', '/tenant')).body).toMatchObject({ settings: { version: 1 } });
  });

  test('X-027: the platform’s own settings are told as the platform’s', async () => {
    const { settings } = (await house.send(house.admin, 'GET', '/tenant')).body as unknown as TenantProfile;
    const body = { version: settings.version, digits: 'arabext' };
    expect(await patch(house.admin, body)).toMatchObject({ status: 200 });
    const [changed] = await told(SettingsChanged, house.admin);
    expect(changed?.payload).toMatchObject({ tenantId: house.admin.tenantId, changed: ['digits'] });
    expect(changed?.envelope.tenantId).toBe('platform');
  });

  test('ENV-26: versions rise with every change of a tenant, of whatever kind and however they race', async () => {
    const owner = await house.tenant();
    const path = `/platform/tenants/${owner.tenantId}`;
    const rename = async (n: number): Promise<void> => {
      const { settings } = (await house.send(owner, 'GET', '/tenant')).body as unknown as TenantProfile;
      const body = { version: settings.version, name: `House ${n}`, legalName: `House ${n} Ltd` };
      if ((await patch(owner, body)).status !== 200) await rename(n);
    };
    const suspend = (reason: string) => house.send(house.admin, 'POST', `${path}/suspend`, { reason });
    await Promise.all([
      ...[1, 2, 3, 4].map(rename),
      suspend('plan_limit'),
      suspend('billing_failure'),
      house.send(house.admin, 'PUT', `${path}/plan`, { rooms: 30 }),
    ]);
    const facts = (await house.published(owner.tenantId)).filter(one => one.aggregateId === owner.tenantId);
    expect(facts).toHaveLength(7); // created, four names, two reasons
    const versions = facts.map(one => one.aggregateVersion);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });
});
