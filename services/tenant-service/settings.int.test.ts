import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse } from './fixtures/house.ts';
import { defaultPreferences } from './model.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('EVT-10: a change of settings keeps the rest, raises the version and is in the history with both values', async () => {
  const owner = await house.tenant();
  const change = {
    version: 1,
    name: 'Garden Hotel',
    currency: 'USD',
    weekendDays: [4, 5],
    taxRegistration: 'TIN 901',
  };
  const changed = await house.send(owner, 'PATCH', '/tenant', change);
  expect(changed).toMatchObject({
    status: 200,
    body: {
      tenant: { name: 'Garden Hotel' },
      settings: {
        currency: 'USD',
        weekendDays: [4, 5],
        taxRegistration: 'TIN 901',
        zone: 'Asia/Kabul',
        version: 2,
      },
    },
  });
  expect(await house.send(owner, 'GET', '/tenant')).toEqual(changed);
  const { body } = await house.send(owner, 'GET', '/tenant/history?limit=1');
  expect(body).toMatchObject({
    entries: [
      {
        action: 'settings.changed',
        before: { name: 'Guest House', currency: 'AFN', weekendDays: [5], taxRegistration: null },
        after: { name: 'Garden Hotel', currency: 'USD', weekendDays: [4, 5], taxRegistration: 'TIN 901' },
        actor: { type: 'user', id: owner.operatorId },
      },
    ],
  });
});

test('LOCK-07: of 20 changes based on one version one is saved and the others are told so', async () => {
  const owner = await house.tenant();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      house.send(owner, 'PATCH', '/tenant', { version: 1, legalName: `Name ${n}` }),
    ),
  );
  const outcomes = replies.map(one => `${one.status} ${one.body.code ?? ''}`.trim()).sort();
  expect(outcomes).toEqual(['200', ...Array.from({ length: 19 }, () => '409 VERSION_CONFLICT')]);
  const winner = replies.find(one => one.status === 200);
  expect(await house.send(owner, 'GET', '/tenant')).toEqual(winner);
});

test('the default language must be offered, also after both were changed apart', async () => {
  const owner = await house.tenant();
  const refused = { status: 422, body: { code: 'DEFAULT_LOCALE_NOT_OFFERED' } };
  expect(await house.send(owner, 'PATCH', '/tenant', { version: 1, locales: ['ps'] })).toMatchObject(refused);
  const both = { version: 1, locales: ['ps'], defaultLocale: 'ps' };
  expect(await house.send(owner, 'PATCH', '/tenant', both)).toMatchObject({ status: 200 });
  expect(await house.send(owner, 'PATCH', '/tenant', { version: 2, defaultLocale: 'en' })).toMatchObject(
    refused,
  );
});

test('front desk reads the settings, manager and owner change them', async () => {
  const owner = await house.tenant();
  const [manager, clerk] = [await house.hire(owner, ['manager']), await house.hire(owner, ['front_desk'])];
  expect(await house.send(clerk, 'GET', '/tenant')).toMatchObject({ status: 200 });
  expect(await house.send(clerk, 'PATCH', '/tenant', { version: 1, currency: 'USD' })).toMatchObject({
    status: 403,
  });
  expect(await house.send(clerk, 'GET', '/tenant/history')).toMatchObject({ status: 403 });
  expect(await house.send(manager, 'PATCH', '/tenant', { version: 1, currency: 'USD' })).toMatchObject({
    status: 200,
  });
});

test('everybody sees the name, languages and currency of a tenant, and nothing else', async () => {
  const owner = await house.tenant();
  await house.send(owner, 'PATCH', '/tenant', {
    version: 1,
    taxRegistration: 'SECRET-TAX',
    legalName: 'SECRET-LTD',
  });
  const seen = await house.send(undefined, 'GET', '/tenant/public', undefined, {
    'x-tenant-slug': owner.slug,
  });
  expect(seen).toEqual({
    status: 200,
    body: {
      slug: owner.slug,
      name: 'Guest House',
      defaultLocale: 'en',
      locales: ['en', 'ps', 'fa-AF'],
      currency: 'AFN',
      zone: 'Asia/Kabul',
    },
  });
  const nobody = await house.send(undefined, 'GET', '/tenant/public', undefined, {
    'x-tenant-slug': 'no-such-inn',
  });
  expect(nobody).toMatchObject({ status: 404 });
});

test('BO-08: preferences start as the tenant has them, are saved by version, and differ per property', async () => {
  const owner = await house.tenant();
  const compact = { ...defaultPreferences, locale: 'ps', density: 'compact', startPage: 'arrivals' };
  const first = await house.send(owner, 'GET', '/me/preferences');
  expect(first.body).toEqual({ id: null, propertyId: null, preferences: defaultPreferences, version: 0 });
  const saved = await house.send(owner, 'PUT', '/me/preferences', { version: 0, preferences: compact });
  expect(saved).toMatchObject({ status: 200, body: { preferences: compact, version: 1 } });
  expect(String(saved.body.id)).toMatch(/^opr_[0-9A-Z]{26}$/);
  const propertyId = idFromUuid('pro', uuid7());
  const path = `/me/preferences?propertyId=${propertyId}`;
  expect((await house.send(owner, 'GET', path)).body).toEqual({
    id: null,
    propertyId,
    preferences: compact,
    version: 0,
  });
  await house.send(owner, 'PUT', path, { version: 0, preferences: { ...compact, theme: 'dark' } });
  expect((await house.send(owner, 'GET', path)).body).toMatchObject({
    preferences: { theme: 'dark' },
    version: 1,
  });
  expect((await house.send(owner, 'GET', '/me/preferences')).body).toMatchObject({
    preferences: { theme: 'system' },
  });
});

test('preferences based on an old version are refused, also the first ones', async () => {
  const owner = await house.tenant();
  const body = { version: 0, preferences: defaultPreferences };
  const replies = await Promise.all(
    [1, 2, 3, 4].map(() => house.send(owner, 'PUT', '/me/preferences', body)),
  );
  expect(replies.map(one => one.status).sort()).toEqual([200, 409, 409, 409]);
  const stale = await house.send(owner, 'PUT', '/me/preferences', { ...body, version: 9 });
  expect(stale).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
});

test('one operator’s preferences are not another’s, and go with his membership', async () => {
  const owner = await house.tenant();
  const clerk = await house.hire(owner, ['front_desk']);
  const dark = { version: 0, preferences: { ...defaultPreferences, theme: 'dark' } };
  await house.send(clerk, 'PUT', '/me/preferences', dark);
  expect((await house.send(owner, 'GET', '/me/preferences')).body).toMatchObject({
    preferences: { theme: 'system' },
  });
  const { body } = await house.send(owner, 'GET', '/tenant/memberships');
  const members = (body as unknown as { memberships: { id: string; operatorId: string }[] }).memberships;
  const { id } = members.find(one => one.operatorId === clerk.operatorId) ?? { id: '' };
  await house.send(owner, 'DELETE', `/tenant/memberships/${id}?version=1`);
  const left = await house.database.admin('select 1 from tenant.operator_preferences where tenant_id = $1', [
    owner.tenantId,
  ]);
  expect(left).toEqual([]);
});
