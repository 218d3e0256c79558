import { idFromUuid, isTenantId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newTenant, settingsValues, slugText } from './contract/resources.ts';
import {
  hotelRoles,
  type PropertyScope,
  platformRoles,
  type roles,
  suspensionReasons,
  tenantStatuses,
} from './contract.ts';
import {
  claim,
  defaultSettings,
  effectiveMembership,
  hostName,
  type Membership,
  MOST_SLUGS,
  membershipRefusal,
  mergeSettings,
  move,
  reservedSlugs,
  rolesGiven,
  sees,
  tenantIdFor,
} from './model.ts';

const uuids = fc.uuid({ version: 7 });
const properties = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'].map(id =>
  idFromUuid('pro', id),
);
const scopes: fc.Arbitrary<PropertyScope> = fc.oneof(
  fc.constant('all' as const),
  fc.subarray(properties, { minLength: 1 }),
);
const memberships: fc.Arbitrary<Membership> = fc.record({
  id: uuids.map(id => idFromUuid('mbr', id)),
  operatorId: uuids.map(id => idFromUuid('usr', id)),
  roles: fc.subarray([...hotelRoles], { minLength: 1 }),
  propertyIds: scopes,
  status: fc.constantFrom('active' as const, 'suspended' as const),
  version: fc.integer({ min: 1, max: 9 }),
});
const states = fc
  .record({ status: fc.constantFrom(...tenantStatuses), reason: fc.constantFrom(...suspensionReasons) })
  .map(({ status, reason }) => ({ status, suspensionReason: status === 'suspended' ? reason : null }));

test('a closed tenant stays closed, and every other tenant can be closed', () => {
  fc.assert(
    fc.property(states, states, (from, to) => {
      if (from.status === 'closed') expect(move(from, to)).not.toBe('changed');
      else if (to.status === 'closed') expect(move(from, to)).toBe('changed');
    }),
  );
});

test('moving to the state one is in changes nothing, so a repeated request is harmless', () => {
  fc.assert(fc.property(states, state => move(state, state) === 'unchanged'));
});

test('EVT-09: a change gives a role when its holder may now use it somewhere he could not before', () => {
  const places = ({ propertyIds }: Membership) =>
    propertyIds === 'all' ? [...properties, 'elsewhere'] : propertyIds;
  const may = (one: Membership, role: string, place: string) =>
    one.roles.some(held => held === role) && places(one).some(held => held === place);
  fc.assert(
    fc.property(memberships, memberships, (before, after) => {
      const given = after.roles.filter(role => places(after).some(place => !may(before, role, place)));
      expect(rolesGiven(before, after)).toEqual(given);
      expect(rolesGiven(undefined, after)).toEqual(after.roles);
    }),
  );
});

test('EVT-08: only a compliance case locks the staff out; a closed tenant has none', () => {
  const facts = { roles: ['owner' as const], status: 'active' as const, propertyIds: 'all' as const };
  const under = (reason: 'plan_limit' | 'billing_failure' | 'compliance') =>
    effectiveMembership(facts, { status: 'suspended', suspensionReason: reason })?.status;
  expect(under('plan_limit')).toBe('active');
  expect(under('billing_failure')).toBe('active');
  expect(under('compliance')).toBe('suspended');
  expect(effectiveMembership(facts, { status: 'closed', suspensionReason: null })).toBeNull();
});

test('safety-54: no accepted change takes the last active owner away', () => {
  const change = fc.record({
    by: fc.oneof(fc.constant('system' as const), memberships),
    after: fc.option(memberships),
  });
  fc.assert(
    fc.property(
      newTenants(),
      fc.array(memberships, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(change, fc.nat())),
      (tenantId, staff, changes) => {
        const founder = { ...staff[0], roles: ['owner'], propertyIds: 'all', status: 'active' } as Membership;
        let members = [founder, ...staff.slice(1)];
        const isOwner = (one: Membership) => one.status === 'active' && one.roles.includes('owner');
        for (const [{ by, after }, at] of changes) {
          const before = members[at % members.length] as Membership;
          const others = members.filter(one => one !== before);
          const next = after ? { ...after, id: before.id } : undefined;
          const wanted = {
            tenantId,
            by,
            before,
            ...(next ? { after: next } : {}),
            otherOwners: others.filter(isOwner).length,
          };
          if (membershipRefusal(wanted) === undefined) members = next ? [...others, next] : others;
          expect(members.some(isOwner)).toBe(true);
        }
      },
    ),
  );
});

function newTenants() {
  return fc.constant(null).map(() => newTenantId());
}

test('a manager never gives, changes or takes the role of an owner', () => {
  const manager = memberships.map(one => ({
    ...one,
    roles: ['manager' as const],
    status: 'active' as const,
  }));
  fc.assert(
    fc.property(manager, fc.option(memberships), fc.option(memberships), (by, before, after) => {
      fc.pre(Boolean(before?.roles.includes('owner') || after?.roles.includes('owner')));
      const change = { ...(before ? { before } : {}), ...(after ? { after } : {}) };
      const refusal = membershipRefusal({ tenantId: newTenantId(), by, ...change, otherOwners: 1 });
      expect(refusal).toBe('OWNER_PROTECTED');
    }),
  );
});

test('nobody below a manager changes memberships, and a suspended owner does not either', () => {
  fc.assert(
    fc.property(memberships, memberships, (by, after) => {
      fc.pre(by.status === 'suspended' || !by.roles.some(role => role === 'owner' || role === 'manager'));
      expect(membershipRefusal({ tenantId: newTenantId(), by, after, otherOwners: 1 })).toBe('FORBIDDEN');
    }),
  );
});

test('rights never grow beyond the properties of the one who gives them', () => {
  const local = {
    roles: ['manager' as const],
    status: 'active' as const,
    propertyIds: [properties[0]] as PropertyScope,
  };
  fc.assert(
    fc.property(memberships, memberships, (one, after) => {
      fc.pre(!after.roles.includes('owner'));
      const refusal = membershipRefusal({
        tenantId: newTenantId(),
        by: { ...one, ...local },
        after,
        otherOwners: 1,
      });
      const within = Array.isArray(after.propertyIds) && after.propertyIds.every(id => id === properties[0]);
      expect(refusal).toBe(within ? undefined : 'BEYOND_YOUR_PROPERTIES');
    }),
  );
});

test('whoever may change a membership can also see it', () => {
  fc.assert(
    fc.property(memberships, memberships, (by, before) => {
      const refusal = membershipRefusal({ tenantId: newTenantId(), by, before, otherOwners: 1 });
      if (refusal === undefined) expect(sees(by, before)).toBe(true);
    }),
  );
});

test('roles of the platform exist in its own tenant only, and the others only outside it', () => {
  const system = { by: 'system', otherOwners: 1 } as const;
  const member = (role: (typeof roles)[number]) => ({
    after: { roles: [role], propertyIds: 'all', status: 'active' } as unknown as Membership,
  });
  for (const role of platformRoles) {
    expect(membershipRefusal({ ...system, tenantId: newTenantId(), ...member(role) })).toBe('ROLE_NOT_HERE');
    expect(membershipRefusal({ ...system, tenantId: PLATFORM_TENANT_ID, ...member(role) })).toBeUndefined();
  }
  for (const role of hotelRoles) {
    expect(membershipRefusal({ ...system, tenantId: PLATFORM_TENANT_ID, ...member(role) })).toBe(
      'ROLE_NOT_HERE',
    );
  }
});

test('a slug of one’s own comes back, a reserved one never comes, and names cannot be hoarded', () => {
  const mine = [
    { slug: 'old-inn', isPrimary: false },
    { slug: 'new-inn', isPrimary: true },
  ];
  expect(claim('new-inn', mine)).toBe('unchanged');
  expect(claim('old-inn', mine)).toBe('promote');
  expect(claim('third-inn', mine)).toBe('insert');
  for (const word of reservedSlugs) expect(claim(word, mine)).toBe('SLUG_RESERVED');
  const many = Array.from({ length: MOST_SLUGS }, (_, at) => ({ slug: `inn-${at}`, isPrimary: at === 0 }));
  expect(claim('one-more', many)).toBe('SLUG_LIMIT');
});

test('slugs are short, lower case and never look like an encoded or local name', () => {
  for (const bad of [
    '',
    'ab',
    'a--b',
    'xn--80ak6aa92e',
    '-abc',
    'abc-',
    'Abc',
    'a_b',
    'a.b',
    'ab\n',
    'é-inn',
    'a'.repeat(41),
  ]) {
    expect(slugText.safeParse(bad).success, bad).toBe(false);
  }
  for (const good of ['abc', 'bala-hissar', '7-stars', 'a'.repeat(40)]) {
    expect(slugText.safeParse(good).success, good).toBe(true);
  }
});

test('X-032: a request’s hash gives one tenant id, a canonical uuid', () => {
  const hashes = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(hashes, hash => {
      const id = tenantIdFor(hash);
      expect(isTenantId(id)).toBe(true);
      expect(id[14]).toBe('8');
      expect('89ab').toContain(id[19]);
      expect(tenantIdFor(hash)).toBe(id);
    }),
  );
});

test('settings merge field by field and keep what was not given', () => {
  const patch = { currency: 'USD' as const, zone: undefined, version: 7, name: 'x' };
  expect(mergeSettings(defaultSettings, patch)).toEqual({ ...defaultSettings, currency: 'USD' });
  expect(settingsValues.safeParse(defaultSettings).success).toBe(true);
});

test('TEN-19: a tenant lives in one of the four regions', () => {
  const tenant = { name: 'Inn', slug: 'inn-one', ownerId: idFromUuid('usr', newTenantId()), rooms: 3 };
  for (const region of ['me-central1', 'asia-south1', 'europe-west1', 'us-central1']) {
    expect(newTenant.safeParse({ ...tenant, region }).success).toBe(true);
  }
  expect(newTenant.safeParse({ ...tenant, region: 'europe-west9' }).success).toBe(false);
});

test('a Host header is read without its port, final dot and capitals', () => {
  expect(hostName('Book.Hotel.AF:8443')).toBe('book.hotel.af');
  expect(hostName('book.hotel.af.')).toBe('book.hotel.af');
});
