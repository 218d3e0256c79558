import { newId, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOperators } from './demo.ts';
import { DeviceBound, DeviceUnbound, events, MfaEnrolled, UserCreated } from './events.ts';
import { type Device, newDevice } from './fixtures/device.ts';
import { enrolPasskey, enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person } from './fixtures/gate.ts';
import { newAuthenticator } from './fixtures/passkey.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

/** One kind of event in a tenant, oldest first. */
async function told({ subject }: { subject: string }, { tenantId }: { tenantId: TenantId }) {
  return (await gate.published(tenantId)).filter(({ topic }) => topic === subject);
}

async function signedIn(roles: Parameters<Gate['hire']>[0] = { roles: ['owner'] }) {
  const person = await gate.hire(roles);
  const client = gate.client(person.tenantId);
  return { person, client, tokens: await client.enter(person) };
}

describe('EVT-01: user.created', () => {
  test('an invitation tells who was added and by whom; an address that is taken adds nobody', async () => {
    const { person, client, tokens } = await signedIn();
    const invite = () =>
      client.send('POST', '/api/v1/operators', { email: 'new@hotel.test', name: 'New' }, tokens);
    const { operatorId } = (await invite()).body;
    expect((await invite()).body.code).toBe('EMAIL_TAKEN');
    const created = await told(UserCreated, person);
    expect(created).toMatchObject([{ aggregateId: operatorId, aggregateVersion: 1 }]);
    expect(created[0]?.payload).toEqual({ operatorId, status: 'invited', createdBy: person.operatorId });
  });

  test('the first account of a tenant is told in that tenant, and the second, refused, is not', async () => {
    const { client, tokens } = await signedIn({ tenantId: PLATFORM_TENANT_ID, roles: ['platform_admin'] });
    const [tenantId, operatorId] = [newTenantId(), newId('usr')];
    const path = `/api/v1/platform/tenants/${tenantId}/first-operator`;
    const add = (id: string, email: string) =>
      client.send('POST', path, { operatorId: id, email, name: 'O' }, tokens);
    expect((await add(operatorId, 'o@hotel.test')).status).toBe(201);
    expect((await add(newId('usr'), 'p@hotel.test')).body.code).toBe('TENANT_HAS_OPERATORS');
    const created = await told(UserCreated, { tenantId });
    expect(created.map(({ payload }) => payload)).toEqual([
      { operatorId, status: 'invited', createdBy: null },
    ]);
    expect(created[0]?.envelope.tenantId).toBe(tenantId);
  });

  test('seeding twice, and twice at once, tells each person once', async () => {
    const [tenantId, operatorId] = [newTenantId(), newId('usr')];
    const seed = { tenantId, operatorId, email: 'demo@hotel.test', name: 'Demo', password: 'melma-guest' };
    await Promise.all([seedOperators(gate.db, [seed]), seedOperators(gate.db, [seed])]);
    await gate.database.admin('delete from iam.outbox_key'); // as if 30 days had passed
    await seedOperators(gate.db, [seed]);
    const created = await told(UserCreated, { tenantId });
    expect(created.map(({ payload }) => payload)).toEqual([
      { operatorId, status: 'active', createdBy: null },
    ]);
  });
});

describe('EVT-04, EVT-05: device.bound, device.unbound', () => {
  test('pairing tells name, key and who allowed it; a used code and a known key tell nothing', async () => {
    const { person, client, tokens } = await signedIn();
    const code = async () => {
      const body = { deviceName: 'Front desk 2' };
      return (await client.send('POST', '/api/v1/devices/pairing-codes', body, tokens)).body.code as string;
    };
    const pair = (device: Device, text: string) =>
      client.send('POST', '/api/v1/devices/pair', { code: text, publicKey: device.publicKey }, { device });
    const [device, text] = [await newDevice(gate.clock), await code()];
    const { deviceId } = (await pair(device, text)).body;
    expect((await pair(await newDevice(gate.clock), text)).body.code).toBe('PAIRING_REFUSED');
    expect((await pair(device, await code())).body.code).toBe('DEVICE_KEY_REFUSED');
    const bound = await told(DeviceBound, person);
    expect(bound).toMatchObject([{ aggregateId: deviceId, aggregateVersion: 1 }]);
    expect(bound[0]?.payload).toEqual({
      deviceId,
      name: 'Front desk 2',
      keyThumbprint: device.kid,
      boundBy: person.operatorId,
    });
  });

  test('unpairing tells which sessions ended with the device; doing it again tells nothing', async () => {
    const owner = await gate.hire({ roles: ['owner'] });
    const client = gate.client(owner.tenantId);
    const device = await pairDevice(gate, owner);
    const [a, b] = [await client.enter(owner, { device }), await client.enter(owner, { device })];
    const tokens = await client.enter(owner);
    const remove = () => client.send('DELETE', `/api/v1/devices/${device.kid}`, undefined, tokens);
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    const unbound = await told(DeviceUnbound, owner);
    expect(unbound).toHaveLength(1);
    const { payload, aggregateVersion } = unbound[0] ?? {};
    expect(aggregateVersion).toBe(2);
    expect(payload).toMatchObject({ deviceId: device.kid, unboundBy: owner.operatorId });
    const { endedSessions } = payload as { endedSessions: string[] };
    expect(new Set(endedSessions)).toEqual(new Set([a.sessionId, b.sessionId]));
  });
});

describe('EVT-06: mfa.enrolled', () => {
  test('an authenticator app is told once its first code was right, and not before', async () => {
    const { person, client, tokens } = await signedIn();
    const proof = { kind: 'password', password: person.password };
    const start = '/api/v1/auth/factors/totp';
    const { factorId } = (await client.send('POST', start, { label: 'phone', proof }, tokens)).body;
    const wrong = await client.send('POST', `${start}/${factorId}/confirm`, { code: '000000' }, tokens);
    expect(wrong.body.code).toBe('FACTOR_REFUSED');
    expect(await told(MfaEnrolled, person)).toEqual([]);
    const app = await enrolTotp(gate, person, { tokens });
    const enrolled = await told(MfaEnrolled, person);
    expect(enrolled).toMatchObject([{ aggregateId: app.factorId, aggregateVersion: 2 }]);
    const { operatorId } = person;
    expect(enrolled[0]?.payload).toEqual({ factorId: app.factorId, operatorId, kind: 'totp' });
  });

  test('a passkey is told; one that is known already rolls everything back and tells nothing', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const authenticator = newAuthenticator();
    const { body } = await enrolPasskey(first.client, first.tokens, first.person, authenticator);
    const enrolled = await told(MfaEnrolled, first.person);
    expect(enrolled).toMatchObject([{ aggregateId: body.factorId, aggregateVersion: 1 }]);
    const { operatorId, tenantId } = first.person;
    expect(enrolled[0]?.payload).toEqual({ factorId: body.factorId, operatorId, kind: 'webauthn' });

    const colleague = await gate.hire({ tenantId });
    const tokens = await first.client.enter(colleague);
    const before = await gate.published(tenantId);
    expect((await enrolPasskey(first.client, tokens, colleague, authenticator)).status).toBe(422);
    expect(await gate.published(tenantId)).toEqual(before);
    expect(await told(MfaEnrolled, second.person)).toEqual([]);
  });
});

test('X-027: whatever platform staff do with accounts, sessions, devices and factors may be told', async () => {
  const { client, tokens, person } = await signedIn({
    tenantId: PLATFORM_TENANT_ID,
    roles: ['platform_admin'],
  });
  const colleague = { email: 'colleague@platform.test', name: 'Colleague' };
  expect((await client.send('POST', '/api/v1/operators', colleague, tokens)).status).toBe(201);
  const device = await pairDevice(gate, person);
  await client.send('DELETE', `/api/v1/devices/${device.kid}`, undefined, tokens);
  const app = await enrolTotp(gate, person, { tokens });
  await client.send('POST', '/api/v1/auth/sign-out', undefined, app.tokens);
  const published = await gate.published(PLATFORM_TENANT_ID);
  expect(new Set(published.map(({ topic }) => topic))).toEqual(new Set(events.map(({ subject }) => subject)));
  expect(new Set(published.map(({ envelope }) => envelope.tenantId))).toEqual(new Set(['platform']));
});

test('X-130: no name, address, password or token of a person is in anything that was published', async () => {
  const secrets = (person: Person) => [person.email, person.password, 'Amina'];
  const { person, client, tokens } = await signedIn();
  await client.send('POST', '/api/v1/operators', { email: 'zmarai@hotel.test', name: 'Zmarai' }, tokens);
  const device = await pairDevice(gate, person);
  const bound = await client.enter(person, { device });
  const app = await enrolTotp(gate, person, { tokens });
  const texts = (await gate.published(person.tenantId)).map(({ envelope }) => JSON.stringify(envelope));
  expect(texts.length).toBeGreaterThan(6);
  const hidden = [
    ...secrets(person),
    'zmarai@hotel.test',
    'Zmarai',
    ...[tokens, bound, app.tokens].flatMap(one => [one.accessToken, one.refreshToken]),
    app.secret,
    ...app.recoveryCodes,
  ];
  for (const secret of hidden) expect(texts.filter(text => text.includes(secret))).toEqual([]);
});
