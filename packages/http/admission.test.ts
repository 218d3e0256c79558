import { createHash } from 'node:crypto';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { deviceSignature } from './fixtures/door.ts';
import { echo, whoAmI } from './fixtures/routes.ts';
import { type TestHost, testHost } from './fixtures/test-host.ts';
import { device, guest, internal, open, operator } from './route.ts';
import { routeTable } from './route-table.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ask = async (host: TestHost, url: string, headers: Record<string, string> = {}) => {
  const reply = await host.fastify.inject({ url, headers });
  const { code, tenantId } = reply.json<{ code?: string; tenantId?: string }>();
  return [reply.statusCode, code ?? tenantId];
};

test('safety-11: each kind of caller passes its own door and no other', async () => {
  const kinds = { operator: operator([]), guest: guest(), service: internal() } as const;
  const host = await testHost(Object.entries(kinds).map(([kind, auth]) => whoAmI(auth, `/v1/${kind}`)));
  const tenantId = newTenantId();
  for (const kind of ['operator', 'guest', 'service'] as const) {
    const token = host.door.signIn({ tenantId, kind });
    for (const door of ['operator', 'guest', 'service'] as const) {
      const expected = door === kind ? [200, tenantId] : [401, 'UNAUTHENTICATED'];
      expect([kind, door, await ask(host, `/v1/${door}`, bearer(token))]).toEqual([kind, door, expected]);
    }
  }
});

test('safety-11: one of the declared roles is needed, and losing it or the session counts at once', async () => {
  const host = await testHost([whoAmI(operator(['manager', 'owner']))]);
  const tenantId = newTenantId();
  const clerk = host.door.signIn({ tenantId, roles: ['clerk'] });
  const roles = ['clerk', 'owner'];
  const owner = host.door.signIn({ tenantId, roles });
  expect(await ask(host, '/v1/me')).toEqual([401, 'UNAUTHENTICATED']);
  expect(await ask(host, '/v1/me', bearer(clerk))).toEqual([403, 'FORBIDDEN']);
  expect(await ask(host, '/v1/me', bearer(owner))).toEqual([200, tenantId]);
  roles.pop();
  expect(await ask(host, '/v1/me', bearer(owner))).toEqual([403, 'FORBIDDEN']);
  host.door.revoke(owner);
  expect(await ask(host, '/v1/me', bearer(owner))).toEqual([401, 'UNAUTHENTICATED']);
});

test('a route that wants a second factor refuses without one, and with one for another action', async () => {
  const host = await testHost([whoAmI(operator([], { stepUp: 'refund' }))]);
  const tenantId = newTenantId();
  const attested = (action: string) => host.door.signIn({ tenantId, attestation: { id: 'mfa_1', action } });
  expect(await ask(host, '/v1/me', bearer(host.door.signIn({ tenantId })))).toEqual([
    403,
    'STEP_UP_REQUIRED',
  ]);
  expect(await ask(host, '/v1/me', bearer(attested('export')))).toEqual([403, 'STEP_UP_REQUIRED']);
  expect(await ask(host, '/v1/me', bearer(attested('refund')))).toEqual([200, tenantId]);
});

test('a device signs method, path and the very bytes of the body', async () => {
  const host = await testHost([echo(device([]))]);
  const token = host.door.signIn({ tenantId: newTenantId(), kind: 'device', id: 'dev_1' });
  const send = (payload: string, signedPayload: string, target = '/v1/echo') => {
    const hash = createHash('sha256').update(signedPayload).digest('hex');
    const headers = {
      ...bearer(token),
      'content-type': 'application/json',
      'x-signature': deviceSignature(token, 'POST', target, hash),
    };
    return host.fastify.inject({ method: 'POST', url: '/v1/echo', payload, headers });
  };
  expect((await send('{"text":"a"}', '{"text":"a"}')).statusCode).toBe(200);
  expect((await send('{"text":"b"}', '{"text":"a"}')).statusCode).toBe(401);
  expect((await send('{"text": "a"}', '{"text":"a"}')).statusCode).toBe(401);
  expect((await send('{"text":"a"}', '{"text":"a"}', '/v1/other')).statusCode).toBe(401);
});

test('the tenant of an open route comes from path, header or host, never from anywhere else', async () => {
  const host = await testHost([whoAmI(open()), whoAmI(open(), '/t/:slug/me')]);
  const [kabul, herat] = [newTenantId(), newTenantId()];
  host.door.addTenant({ tenantId: kabul, slug: 'kabul-inn', host: 'kabul.example' });
  host.door.addTenant({ tenantId: herat, slug: 'herat-inn', host: 'herat.example' });
  expect(await ask(host, '/t/kabul-inn/me')).toEqual([200, kabul]);
  expect(await ask(host, '/v1/me', { 'x-tenant-slug': 'herat-inn' })).toEqual([200, herat]);
  expect(await ask(host, '/v1/me', { host: 'kabul.example' })).toEqual([200, kabul]);
  expect(await ask(host, '/t/herat-inn/me', { host: 'kabul.example' })).toEqual([200, herat]);
  expect(await ask(host, '/t/kabul-inn/me', { 'x-tenant-slug': 'herat-inn' })).toEqual([
    400,
    'TENANT_AMBIGUOUS',
  ]);
  expect(await ask(host, '/t/nobody/me')).toEqual([404, 'NOT_FOUND']);
  expect(await ask(host, '/v1/me', { 'x-forwarded-host': 'kabul.example' })).toEqual([200, null]);
});

test('a tenant that is not active is closed to guests who are not signed in', async () => {
  const host = await testHost([whoAmI(open(), '/t/:slug/me')]);
  host.door.addTenant({ tenantId: newTenantId(), slug: 'closed-inn', status: 'suspended' });
  expect(await ask(host, '/t/closed-inn/me')).toEqual([403, 'TENANT_NOT_ACTIVE']);
});

test("a signed-in caller who names another tenant's slug hears the same as for one that does not exist", async () => {
  const host = await testHost([whoAmI(guest(), '/t/:slug/me')]);
  const [mine, other] = [newTenantId(), newTenantId()];
  host.door.addTenant({ tenantId: mine, slug: 'mine' });
  host.door.addTenant({ tenantId: other, slug: 'other' });
  const headers = bearer(host.door.signIn({ tenantId: mine, kind: 'guest', id: 'ses_1' }));
  expect(await ask(host, '/t/mine/me', headers)).toEqual([200, mine]);
  const [foreign, missing] = await Promise.all(
    ['/t/other/me', '/t/nobody/me'].map(async url => (await host.fastify.inject({ url, headers })).json()),
  );
  expect({ ...foreign, correlationId: '' }).toEqual({ ...missing, correlationId: '' });
});

test('safety-11: the role table has one sorted row per route, so that a new one shows as a difference', () => {
  const limited = whoAmI(open(), '/v1/login', {
    limit: 5,
    windowMs: 60_000,
    per: 'address',
    whenDown: 'closed',
  });
  const table = routeTable([
    { name: 'b-service', routes: [echo(operator(['owner', 'clerk'], { stepUp: 'echo' }))] },
    { name: 'a-service', routes: [limited, whoAmI(guest())] },
  ]);
  expect(table.map(row => Object.values(row).join(' | '))).toEqual([
    'b-service | POST | /v1/echo | operator + step-up echo | clerk,owner | it has no effect at all | ',
    'a-service | GET | /v1/login | open | * |  | 5 per 60 s per address, closed when the store is down',
    'a-service | GET | /v1/me | guest | * |  | ',
  ]);
});
