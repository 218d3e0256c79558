import { memoryHotStore } from '@ghasi/hot/adapters/memory';
import { fakeClock } from '@ghasi/testing/fake-clock';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { whoAmI } from './fixtures/routes.ts';
import { type TestHost, testHost } from './fixtures/test-host.ts';
import { open, operator } from './route.ts';

const minute = 60_000;
const tight = (limit: number) => ({ limit, windowMs: minute });
const stillClock = () => {
  const clock = fakeClock('2026-03-01T12:00:00Z');
  return { clock, hot: { state: memoryHotStore({ tier: 'state', clock: () => clock.now().getTime() }) } };
};
/** A store with no room for a single counter, which counts as down. */
const brokenStore = () => ({ state: memoryHotStore({ tier: 'state', maxBytes: 1 }) });

async function statuses(
  host: TestHost,
  times: number,
  request: object = {},
): Promise<Record<number, number>> {
  const replies = await Promise.all(
    Array.from({ length: times }, () => host.fastify.inject({ url: '/v1/me', ...request })),
  );
  return Object.fromEntries(
    [...Map.groupBy(replies, reply => reply.statusCode)].map(([status, list]) => [status, list.length]),
  );
}

test('safety-36: of 200 parallel requests exactly the limit passes, and the rest hear when to come back', async () => {
  const { hot, clock } = stillClock();
  const login = whoAmI(open(), '/v1/me', { ...tight(20), per: 'address', whenDown: 'closed' });
  const host = await testHost([login], { hot });
  expect(await statuses(host, 200)).toEqual({ 200: 20, 429: 180 });
  const refused = await host.fastify.inject('/v1/me');
  expect(refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect(refused.headers['retry-after']).toBe('3');
  clock.advance(3_000);
  expect(await statuses(host, 10)).toEqual({ 200: 1, 429: 9 });
});

test('safety-36: another X-Forwarded-For is not another caller', async () => {
  const { hot } = stillClock();
  const host = await testHost([whoAmI(open())], { hot, config: { quotas: { address: tight(3) } } });
  const spoofed = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      host.fastify.inject({
        url: '/v1/me',
        headers: { 'x-forwarded-for': `198.51.100.${at}`, 'x-real-ip': `10.0.0.${at}` },
      }),
    ),
  );
  expect(spoofed.filter(reply => reply.statusCode === 200)).toHaveLength(3);
});

test('safety-36: behind a configured proxy the address it reports counts, and what a client put in front does not', async () => {
  const { hot } = stillClock();
  const config = { trustedProxies: ['10.0.0.0/8'], quotas: { address: tight(1) } };
  const host = await testHost([whoAmI(open())], { hot, config });
  const via = async (forwarded: string, remoteAddress = '10.0.0.1') =>
    (await host.fastify.inject({ url: '/v1/me', remoteAddress, headers: { 'x-forwarded-for': forwarded } }))
      .statusCode;
  expect(await via('198.51.100.1')).toBe(200);
  expect(await via('198.51.100.2')).toBe(200);
  expect(await via('203.0.113.50, 198.51.100.1')).toBe(429);
  expect(await via('198.51.100.9', '192.0.2.1')).toBe(200);
  expect(await via('198.51.100.10', '192.0.2.1')).toBe(429);
});

test('TEN-20: a limit per principal and one per tenant; a noisy clerk does not use up the hotel', async () => {
  const { hot } = stillClock();
  const quotas = { principal: tight(5), tenant: tight(12) };
  const host = await testHost([whoAmI(operator([]))], { hot, config: { quotas } });
  const [tenantId, other] = [newTenantId(), newTenantId()];
  const as = (id: string, tenant = tenantId) => ({
    headers: { authorization: `Bearer ${host.door.signIn({ tenantId: tenant, id })}` },
  });
  expect(await statuses(host, 100, as('usr_noisy'))).toEqual({ 200: 5, 429: 95 });
  expect(await statuses(host, 5, as('usr_2'))).toEqual({ 200: 5 });
  expect(await statuses(host, 5, as('usr_3'))).toEqual({ 200: 2, 429: 3 });
  expect(await statuses(host, 5, as('usr_noisy', other))).toEqual({ 200: 5 });
});

test('safety-36: guessing tokens turns from 401 into 429', async () => {
  const { hot } = stillClock();
  const host = await testHost([whoAmI(operator([]))], { hot, config: { quotas: { failedAuth: tight(4) } } });
  const guesses = await statuses(host, 10, { headers: { authorization: 'Bearer guess' } });
  expect(guesses).toEqual({ 401: 4, 429: 6 });
  const good = { headers: { authorization: `Bearer ${host.door.signIn({ tenantId: newTenantId() })}` } };
  expect(await statuses(host, 3, good)).toEqual({ 200: 3 });
});

test('safety-36: with the store down a credential route closes, and others go on within a local limit', async () => {
  const login = whoAmI(open(), '/v1/me', { ...tight(20), per: 'address', whenDown: 'closed' });
  const closed = await testHost([login], { hot: brokenStore() });
  expect(await statuses(closed, 10)).toEqual({ 503: 10 });
  const search = whoAmI(open(), '/v1/me', { ...tight(20), per: 'address' });
  const bounded = await testHost([search], { hot: brokenStore() });
  expect(await statuses(bounded, 100)).toEqual({ 200: 20, 429: 80 });
});
