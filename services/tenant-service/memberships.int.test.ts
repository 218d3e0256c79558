import { idFromUuid, newId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MembershipView } from './contract/resources.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { findMembershipOf, listMemberships } from './queries/memberships.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const property = () => idFromUuid('pro', uuid7());
const path = (id: string) => `/tenant/memberships/${id}`;

async function mine(who: Person): Promise<MembershipView> {
  const found = await house.inside(who.tenantId, ({ tx }) => findMembershipOf(tx, who.operatorId));
  if (found === undefined) throw new Error('not a member');
  return found;
}

const all = ({ tenantId }: Person) =>
  house.inside(tenantId, ({ tx }) => listMemberships(tx, { scope: 'all', limit: 1000 }));

const activeOwners = async (who: Person) =>
  (await all(who)).filter(one => one.status === 'active' && one.roles.includes('owner'));

test('an owner adds, changes and removes a member, and each change is in the history', async () => {
  const owner = await house.tenant();
  const operatorId = newId('usr');
  const added = await house.send(owner, 'POST', '/tenant/memberships', {
    operatorId,
    roles: ['front_desk'],
    propertyIds: 'all',
  });
  expect(added).toMatchObject({
    status: 201,
    body: { operatorId, roles: ['front_desk'], status: 'active', version: 1 },
  });
  const { id } = added.body as unknown as MembershipView;
  const changed = await house.send(owner, 'PATCH', path(id), {
    version: 1,
    roles: ['front_desk', 'accountant'],
  });
  expect(changed).toMatchObject({ status: 200, body: { roles: ['front_desk', 'accountant'], version: 2 } });
  expect(await house.send(owner, 'GET', path(id))).toMatchObject({ status: 200, body: { version: 2 } });
  expect(await house.send(owner, 'DELETE', `${path(id)}?version=2`)).toMatchObject({ status: 204 });
  expect(await house.send(owner, 'GET', path(id))).toMatchObject({ status: 404 });
  const { body } = await house.send(owner, 'GET', '/tenant/history?limit=3');
  const actions = (body as unknown as { entries: { action: string }[] }).entries.map(one => one.action);
  expect(actions).toEqual(['membership.removed', 'membership.changed', 'membership.added']);
});

test('safety-11: a role that is taken away is gone with the next request', async () => {
  const owner = await house.tenant();
  const manager = await house.hire(owner, ['manager']);
  expect(await house.send(manager, 'GET', '/tenant/memberships')).toMatchObject({ status: 200 });
  const { id, version } = await mine(manager);
  await house.send(owner, 'PATCH', path(id), { version, roles: ['housekeeping'] });
  expect(await house.membershipOf(manager)).toMatchObject({ roles: ['housekeeping'], status: 'active' });
  expect(await house.send(manager, 'GET', '/tenant/memberships')).toMatchObject({ status: 403 });
  await house.send(owner, 'PATCH', path(id), { version: version + 1, status: 'suspended' });
  expect(await house.send(manager, 'GET', '/tenant')).toMatchObject({ status: 401 });
  await house.send(owner, 'DELETE', `${path(id)}?version=${version + 2}`);
  expect(await house.membershipOf(manager)).toBeNull();
});

test('safety-54: 50 parallel changes by 5 owners against each other leave at least one owner', async () => {
  const owner = await house.tenant();
  const owners = [owner, ...(await Promise.all([1, 2, 3, 4].map(() => house.hire(owner, ['owner']))))];
  const targets = await Promise.all(owners.map(mine));
  const attempts = Array.from({ length: 50 }, (_, at) => {
    const by = owners[at % 5] as Person;
    const { id } = targets[(at * 3 + 1) % 5] as MembershipView;
    const changes = [
      () => house.send(by, 'DELETE', `${path(id)}?version=1`),
      () => house.send(by, 'PATCH', path(id), { version: 1, status: 'suspended' }),
      () => house.send(by, 'PATCH', path(id), { version: 1, roles: ['auditor'] }),
    ];
    return (changes[at % 3] as (typeof changes)[0])();
  });
  const replies = await Promise.all(attempts);
  expect((await activeOwners(owner)).length).toBeGreaterThan(0);
  expect(replies.filter(one => one.status >= 500)).toEqual([]);
  expect(replies.filter(one => one.status < 300).length).toBeGreaterThan(0);
});

test('safety-54: two last owners who remove each other at the same moment do not both succeed', async () => {
  for (let round = 0; round < 10; round++) {
    const one = await house.tenant();
    const two = await house.hire(one, ['owner']);
    const [first, second] = [await mine(one), await mine(two)];
    const replies = await Promise.all([
      house.send(one, 'DELETE', `${path(second.id)}?version=1`),
      house.send(two, 'DELETE', `${path(first.id)}?version=1`),
    ]);
    expect(replies.filter(reply => reply.status === 204)).toHaveLength(1);
    expect(await activeOwners(one)).toHaveLength(1);
  }
});

test('safety-54: the last owner cannot leave, step down or be suspended, not even by himself', async () => {
  const owner = await house.tenant();
  await house.hire(owner, ['manager']);
  const { id } = await mine(owner);
  for (const attempt of [
    house.send(owner, 'DELETE', `${path(id)}?version=1`),
    house.send(owner, 'PATCH', path(id), { version: 1, roles: ['manager'] }),
    house.send(owner, 'PATCH', path(id), { version: 1, status: 'suspended' }),
  ]) {
    expect(await attempt).toMatchObject({ status: 409, body: { code: 'LAST_OWNER' } });
  }
  expect(await mine(owner)).toMatchObject({ roles: ['owner'], status: 'active', version: 1 });
});

test('safety-54: 50 parallel invitations of one operator make one membership', async () => {
  const owner = await house.tenant();
  const operatorId = newId('usr');
  const body = { operatorId, roles: ['front_desk'], propertyIds: 'all' };
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => house.send(owner, 'POST', '/tenant/memberships', body)),
  );
  const statuses = replies.map(one => `${one.status} ${one.body.code ?? ''}`.trim()).sort();
  expect(statuses).toEqual(['201', ...Array.from({ length: 49 }, () => '409 MEMBERSHIP_EXISTS')]);
  expect((await all(owner)).filter(one => one.operatorId === operatorId)).toHaveLength(1);
});

test('a manager hires and changes staff, but makes, changes and removes no owner', async () => {
  const owner = await house.tenant();
  const manager = await house.hire(owner, ['manager']);
  const clerk = await house.hire(owner, ['front_desk']);
  const [ownerRow, clerkRow] = [await mine(owner), await mine(clerk)];
  expect(
    await house.send(manager, 'PATCH', path(clerkRow.id), { version: 1, roles: ['auditor'] }),
  ).toMatchObject({ status: 200 });
  const refused = { status: 403, body: { code: 'OWNER_PROTECTED' } };
  const newcomer = { operatorId: newId('usr'), roles: ['owner'], propertyIds: 'all' };
  expect(await house.send(manager, 'POST', '/tenant/memberships', newcomer)).toMatchObject(refused);
  expect(
    await house.send(manager, 'PATCH', path(clerkRow.id), { version: 2, roles: ['owner'] }),
  ).toMatchObject(refused);
  expect(
    await house.send(manager, 'PATCH', path(ownerRow.id), { version: 1, status: 'suspended' }),
  ).toMatchObject(refused);
  expect(await house.send(manager, 'DELETE', `${path(ownerRow.id)}?version=1`)).toMatchObject(refused);
});

test('a manager of one property neither sees nor gives rights at another', async () => {
  const owner = await house.tenant();
  const [north, south] = [property(), property()];
  const manager = await house.hire(owner, ['manager'], [north]);
  const near = await mine(await house.hire(owner, ['front_desk'], [north]));
  const far = await mine(await house.hire(owner, ['front_desk'], [south]));
  const { body } = await house.send(manager, 'GET', '/tenant/memberships');
  const seen = (body as unknown as { memberships: MembershipView[] }).memberships.map(one => one.id);
  expect(seen).toContain(near.id);
  expect(seen).not.toContain(far.id);
  const unknown = await house.send(manager, 'GET', path(newId('mbr')));
  const hidden = await house.send(manager, 'GET', path(far.id));
  expect({ ...hidden.body, correlationId: '' }).toEqual({ ...unknown.body, correlationId: '' });
  expect(await house.send(manager, 'DELETE', `${path(far.id)}?version=1`)).toMatchObject({ status: 404 });
  for (const propertyIds of ['all', [south], [north, south]]) {
    const wider = await house.send(manager, 'PATCH', path(near.id), { version: 1, propertyIds });
    expect(wider).toMatchObject({ status: 403, body: { code: 'BEYOND_YOUR_PROPERTIES' } });
  }
});

test('safety-10: a membership of another tenant and one that does not exist look the same', async () => {
  const [owner, other] = [await house.tenant(), await house.tenant()];
  const { id } = await mine(other);
  const plain = (seen: Awaited<ReturnType<House['send']>>) => ({
    ...seen,
    body: { ...seen.body, correlationId: '' },
  });
  for (const [method, query, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { version: 1, status: 'suspended' }],
    ['DELETE', '?version=1', undefined],
  ] as const) {
    const foreign = await house.send(owner, method, path(id) + query, body);
    const missing = await house.send(owner, method, path(newId('mbr')) + query, body);
    expect(foreign.status).toBe(404);
    expect(plain(foreign)).toEqual(plain(missing));
  }
  expect(await mine(other)).toMatchObject({ status: 'active', version: 1 });
});

test('LOCK-07: of two changes based on one version the second is refused and changes nothing', async () => {
  const owner = await house.tenant();
  const { id } = await mine(await house.hire(owner, ['front_desk']));
  const replies = await Promise.all(
    ['accountant', 'auditor', 'maintenance'].map(role =>
      house.send(owner, 'PATCH', path(id), { version: 1, roles: [role] }),
    ),
  );
  expect(replies.map(one => one.body.code).sort()).toEqual([
    'VERSION_CONFLICT',
    'VERSION_CONFLICT',
    undefined,
  ]);
  const winner = replies.find(one => one.status === 200);
  expect(await house.send(owner, 'GET', path(id))).toEqual({ status: 200, body: winner?.body });
});

test('staff pages through memberships without gaps or repetitions', async () => {
  const owner = await house.tenant();
  for (let n = 0; n < 7; n++) await house.hire(owner, ['housekeeping']);
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const { body } = await house.send(owner, 'GET', `/tenant/memberships?limit=3${after}`);
    const page = (body as unknown as { memberships: MembershipView[] }).memberships;
    seen.push(...page.map(one => one.id));
    if (page.length < 3) break;
    after = `&after=${page.at(-1)?.id}`;
  }
  expect(seen).toEqual((await all(owner)).map(one => one.id));
  expect(new Set(seen).size).toBe(8);
});
