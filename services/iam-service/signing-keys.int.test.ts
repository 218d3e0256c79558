import { days, hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { verifyAccess } from './contract.ts';
import { type Gate, openGate, type Process } from './fixtures/gate.ts';
import { inTenant } from './iam.ts';
import { rotateKeys } from './signing-keys.ts';
import { signingKeys } from './tables/sessions.ts';

let gate: Gate;
const gates: Gate[] = [];
beforeEach(async () => {
  gate = await openGate(); // keys belong to the whole installation, so each test has its own
  gates.push(gate);
});
afterAll(async () => void (await Promise.all(gates.map(each => each.close()))));

const rotate = (process: Process = gate, options: { distrust?: boolean } = {}) => {
  const { config, keys } = process.iam;
  return inTenant(process.bare(PLATFORM_TENANT_ID), ctx => rotateKeys(ctx, { config, keys, ...options }));
};
const statuses = async () =>
  (
    await gate.database.admin<{ status: string }>(
      'select status from iam.signing_keys order by created_at, id',
    )
  ).map(({ status }) => status);
const judge = (accessToken: string, process: Process = gate) =>
  process.ask(verifyAccess, {
    kind: 'operator',
    authorization: `Bearer ${accessToken}`,
    method: 'GET',
    path: '/',
  });

test('the JWKS shows public halves that verify our tokens, the next key before it signs', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const { accessToken } = await client.enter(person);
  const { body, headers } = await client.send('GET', '/.well-known/jwks.json');
  expect(body.keys).toHaveLength(2);
  for (const key of body.keys) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  }
  expect(headers['cache-control']).toBe('public, max-age=300');
  const { payload } = await jwtVerify(accessToken, createLocalJWKSet(body), {
    currentDate: gate.clock.now(),
  });
  expect(payload.sub).toBe(person.operatorId);
});

test('ten processes that start at once agree on one pair of keys', async () => {
  const processes = await Promise.all(Array.from({ length: 10 }, () => gate.start()));
  const kids = await Promise.all(
    processes.map(async ({ iam, db }) => (await iam.signing.current(db, gate.clock.now())).kid),
  );
  expect(new Set(kids).size).toBe(1);
  expect(await statuses()).toEqual(['current', 'next']);
});

test('a key rotates when it is old, once, and its tokens live on', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  await client.enter(person);
  expect(await rotate()).toBe('not-due');
  gate.clock.advance(days(30));
  const { accessToken } = await client.enter(person);
  const outcomes = await Promise.all([rotate(), rotate(await gate.start()), rotate()]);
  expect(outcomes.sort()).toEqual(['not-due', 'not-due', 'rotated']);
  expect(await statuses()).toEqual(['retired', 'current', 'next']);
  const fresh = await gate.start();
  expect(await judge(accessToken, fresh)).toHaveProperty('principal');
  gate.clock.advance(days(30) + hours(1));
  expect(await rotate()).toBe('rotated');
  expect(await statuses()).toEqual(['retired', 'current', 'next']); // the oldest is gone
});

test('safety-44: keys rotated under load fail no check on any process', async () => {
  const person = await gate.hire();
  const processes = [gate, await gate.start(), await gate.start()];
  const client = gate.client(person.tenantId);
  let { refreshToken, accessToken } = await client.enter(person);
  const answers: unknown[] = [];
  for (let round = 0; round < 12; round++) {
    gate.clock.advance(minutes(1));
    await gate.database.admin(`update iam.signing_keys set activated_at = activated_at - interval '31 days'`);
    const results = await Promise.all([
      rotate(processes[round % 3]),
      client.refresh(refreshToken),
      ...Array.from({ length: 9 }, (_, n) => judge(accessToken, processes[n % 3])),
    ]);
    ({ refreshToken, accessToken } = results[1].body);
    answers.push(...results.slice(2));
  }
  expect(answers).toHaveLength(108);
  expect(answers.filter(answer => !Object.hasOwn(answer as object, 'principal'))).toEqual([]);
  const [row] = await gate.database.admin<{ n: bigint }>('select count(*) as n from iam.signing_keys');
  expect(row?.n).toBeGreaterThan(10n);
});

test('a leaked key is refused at once; sessions live on and get tokens under the new one', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const { accessToken, refreshToken } = await client.enter(person);
  expect(await rotate(gate, { distrust: true })).toBe('rotated');
  const fresh = await gate.start();
  expect(await judge(accessToken, fresh)).toEqual({ refused: 'BAD_TOKEN' });
  const refreshed = await fresh.client(person.tenantId).refresh(refreshToken);
  expect(await judge(refreshed.body.accessToken, fresh)).toHaveProperty('principal');
});

test('a retired key verifies for an hour and no longer', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  await client.enter(person);
  const { kid } = await gate.iam.signing.current(gate.db, gate.clock.now());
  gate.clock.advance(days(30));
  await rotate();
  const { iam, db } = await gate.start();
  const known = async () => (await iam.signing.verifying(db, kid, gate.clock.now())) !== undefined;
  gate.clock.advance(hours(1) - seconds(1));
  expect(await known()).toBe(true);
  gate.clock.advance(seconds(1));
  expect(await known()).toBe(false);
});

test("safety-44: a private key sealed for one kid does not open under another, nor without the installation's secret", async () => {
  await gate.iam.signing.current(gate.db, gate.clock.now());
  const stranger = await gate.start({ secrets: ['a secret of an installation that is not this one'] });
  await expect(stranger.iam.signing.current(stranger.db, gate.clock.now())).rejects.toThrow(
    /no longer configured/,
  );
  await gate.database.admin(
    `update iam.signing_keys set sealed_private = (select sealed_private from iam.signing_keys where status = 'next')`,
  );
  const moved = await gate.start();
  await expect(moved.iam.signing.current(moved.db, gate.clock.now())).rejects.toThrow(/authenticate/);
});

test("no tenant's transaction sees the installation's keys", async () => {
  const person = await gate.hire();
  await gate.client(person.tenantId).enter(person);
  const seen = await inTenant(gate.bare(person.tenantId), ({ tx }) => tx.select().from(signingKeys));
  expect(seen).toEqual([]);
});

test('a key of anybody but the platform is not stored, not even for the administrator', async () => {
  await gate.iam.signing.current(gate.db, gate.clock.now());
  const copy = gate.database.admin(
    `insert into iam.signing_keys (tenant_id, id, status, public_jwk, sealed_private, created_at)
     select $1, id, status, public_jwk, sealed_private, created_at from iam.signing_keys where status = 'next'`,
    [newTenantId()],
  );
  await expect(copy).rejects.toThrow(/signing_keys_tenant_id_check/);
});
