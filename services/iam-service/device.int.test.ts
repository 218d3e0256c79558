import { createHash } from 'node:crypto';
import { minutes, seconds } from '@ghasi/domain-primitives/duration';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAccess } from './contract.ts';
import type { Tokens } from './fixtures/client.ts';
import { type Covered, type Device, newDevice } from './fixtures/device.ts';
import { enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person } from './fixtures/gate.ts';

let gate: Gate;
let owner: Person;
beforeAll(async () => {
  gate = await openGate();
  owner = await gate.hire({ roles: ['owner'] });
});
afterAll(() => gate.close());

const PUSH: Covered = { method: 'POST', target: '/sync/v1/push?shard=3', body: '{"ops":[]}' };

/** What iam says about a push that carries `proof`. */
function judge(tokens: Tokens, proof: string | undefined, request: Covered = PUSH) {
  return gate.ask(verifyAccess, {
    kind: 'device',
    authorization: `Bearer ${tokens.accessToken}`,
    deviceProof: proof,
    method: request.method,
    path: request.target,
    bodyHash: createHash('sha256')
      .update(request.body ?? '')
      .digest('hex'),
  });
}

async function boundSession(kind?: 'P-256' | 'Ed25519') {
  const owner = await gate.hire({ roles: ['owner'] }); // pairing codes are limited per tenant
  const device = await pairDevice(gate, owner, kind === undefined ? {} : { kind });
  const client = gate.client(owner.tenantId);
  const tokens = await client.enter(owner, { device });
  return { owner, device, client, tokens };
}

describe('pairing', () => {
  test('a code pairs one device within ten minutes, however it is typed', async () => {
    const client = gate.client(owner.tenantId);
    const { accessToken } = await client.enter(owner);
    const made = await client.send(
      'POST',
      '/api/v1/devices/pairing-codes',
      { deviceName: 'Bar' },
      { accessToken },
    );
    const typed = made.body.code.toLowerCase().replace('-', ' ');
    const [a, b] = [await newDevice(gate.clock), await newDevice(gate.clock, 'Ed25519')];
    const pair = (device: Device, code: string) =>
      client.send('POST', '/api/v1/devices/pair', { code, publicKey: device.publicKey }, { device });
    expect(await pair(a, typed)).toMatchObject({ status: 201, body: { name: 'Bar' } });
    expect(await pair(b, made.body.code)).toMatchObject({ status: 403, body: { code: 'PAIRING_REFUSED' } });
    const late = await client.send(
      'POST',
      '/api/v1/devices/pairing-codes',
      { deviceName: 'Spa' },
      { accessToken },
    );
    gate.clock.advance(minutes(10));
    expect((await pair(b, late.body.code)).status).toBe(403);
  });

  test('whoever does not hold the key cannot pair it, nor a key that is not a point on the curve', async () => {
    const client = gate.client(owner.tenantId);
    const { accessToken } = await client.enter(owner);
    const made = await client.send(
      'POST',
      '/api/v1/devices/pairing-codes',
      { deviceName: 'Bar' },
      { accessToken },
    );
    const [thief, victim] = [await newDevice(gate.clock), await newDevice(gate.clock)];
    const send = (publicKey: unknown, device?: Device) =>
      client.send(
        'POST',
        '/api/v1/devices/pair',
        { code: made.body.code, publicKey },
        device ? { device } : {},
      );
    expect((await send(victim.publicKey, thief)).body.code).toBe('DEVICE_PROOF_REFUSED');
    expect((await send(victim.publicKey)).body.code).toBe('DEVICE_PROOF_REFUSED');
    expect((await send({ ...victim.publicKey, y: 'A'.repeat(43) }, victim)).body.code).toBe(
      'DEVICE_PROOF_REFUSED',
    );
    expect((await send({ ...victim.publicKey, crv: 'P-384' }, victim)).body.code).toBe('VALIDATION_FAILED');
    expect((await send({ ...victim.publicKey, d: 'secret' }, victim)).body.code).toBe('VALIDATION_FAILED');
    const misnamed = { ...victim, sign: (covered: Covered) => victim.sign(covered, { kid: thief.kid }) };
    expect((await send(victim.publicKey, misnamed)).body.code).toBe('DEVICE_PROOF_REFUSED');
    expect((await send(victim.publicKey, victim)).status).toBe(201); // the code was not burnt
  });

  test('20 wrong codes from one address and the next has to wait; others go on', async () => {
    const client = gate.client(owner.tenantId);
    const device = await newDevice(gate.clock);
    const guess = (from = client) =>
      from.send(
        'POST',
        '/api/v1/devices/pair',
        { code: '00000-00000', publicKey: device.publicKey },
        { device },
      );
    const statuses = new Set<number>();
    for (let n = 0; n < 20; n++) statuses.add((await guess()).status);
    expect([...statuses]).toEqual([403]);
    expect((await guess()).status).toBe(429);
    expect((await guess(gate.client(owner.tenantId))).status).toBe(403);
  });

  test('only owners and managers make codes and revoke devices', async () => {
    const clerk = await gate.hire({ tenantId: owner.tenantId, roles: ['front_desk'] });
    const client = gate.client(owner.tenantId);
    const tokens = await client.enter(clerk);
    const made = await client.send('POST', '/api/v1/devices/pairing-codes', { deviceName: 'x' }, tokens);
    const revoked = await client.send(
      'DELETE',
      '/api/v1/devices/dev_01M7GD00000000000000000000',
      undefined,
      tokens,
    );
    expect([made.status, revoked.status]).toEqual([403, 403]);
  });
});

describe('safety-18: device binding', () => {
  test.each(['P-256', 'Ed25519'] as const)(
    'a %s device that signs its requests is let in, with the operator behind it',
    async kind => {
      const { owner, device, tokens } = await boundSession(kind);
      const proof = await device.sign({ ...PUSH, token: tokens.accessToken });
      expect(await judge(tokens, proof)).toEqual({
        principal: {
          kind: 'device',
          id: device.kid,
          operatorId: owner.operatorId,
          tenantId: owner.tenantId,
          roles: ['owner'],
          sessionId: tokens.sessionId,
          deviceId: device.kid,
          amr: ['pwd', 'pop'],
        },
      });
    },
  );

  test('a copied access token without the device key opens no device route', async () => {
    const { tokens } = await boundSession();
    expect(await judge(tokens, undefined)).toEqual({ refused: 'DEVICE_PROOF_REFUSED' });
  });

  test('a copied access token signed by another paired device of the same hotel opens nothing', async () => {
    const { owner, tokens } = await boundSession();
    const thief = await pairDevice(gate, owner);
    const proof = await thief.sign({ ...PUSH, token: tokens.accessToken });
    expect(await judge(tokens, proof)).toEqual({ refused: 'DEVICE_PROOF_REFUSED' });
  });

  test('a copied refresh token or cookie without the device key is refused, and the device goes on', async () => {
    const { owner, device, client, tokens } = await boundSession();
    const thief = await pairDevice(gate, owner);
    const cookies = { '__Host-melm-refresh': tokens.refreshToken };
    expect((await client.refresh(tokens.refreshToken)).body.code).toBe('DEVICE_PROOF_REFUSED');
    expect((await client.refresh(tokens.refreshToken, { device: thief })).body.code).toBe(
      'DEVICE_PROOF_REFUSED',
    );
    expect((await client.send('POST', '/api/v1/auth/refresh', {}, { cookies })).status).toBe(401);
    expect((await client.refresh(tokens.refreshToken, { device })).status).toBe(200);
  });

  const lies: [string, Partial<Covered>][] = [
    ['method', { method: 'PUT' }],
    ['path', { target: '/sync/v1/pull' }],
    ['query', { target: '/sync/v1/push?shard=4' }],
    ['body', { body: '{"ops":[1]}' }],
    ['token', { token: 'another' }],
    ['missing token', { token: undefined }],
    ['short nonce', { nonce: 'short' }],
  ];
  test.each(lies)('a proof for another %s is refused', async (_, lie) => {
    const { device, tokens } = await boundSession();
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken, ...lie });
    expect(await judge(tokens, proof)).toEqual({ refused: 'DEVICE_PROOF_REFUSED' });
  });

  test.each([
    ['two minutes late', minutes(-2) - seconds(1), false],
    ['two minutes early', minutes(2) + seconds(1), false],
    ['a minute late', minutes(-1), true],
    ['a minute early', minutes(1), true],
  ])('a proof made %s', async (_, offset, passes) => {
    const { device, tokens } = await boundSession();
    const at = new Date(gate.clock.now().getTime() + offset);
    const answer = await judge(tokens, await device.sign({ ...PUSH, token: tokens.accessToken, at }));
    expect('principal' in answer).toBe(passes);
  });

  test('a proof works once, on whatever process, also within its two minutes', async () => {
    const { device, tokens } = await boundSession();
    const other = await gate.start();
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken });
    const bodyHash = createHash('sha256')
      .update(PUSH.body ?? '')
      .digest('hex');
    const request = {
      kind: 'device',
      deviceProof: proof,
      method: PUSH.method,
      path: PUSH.target,
      bodyHash,
    } as const;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? gate : other).ask(verifyAccess, {
          ...request,
          authorization: `Bearer ${tokens.accessToken}`,
        }),
      ),
    );
    expect(answers.filter(answer => 'principal' in answer)).toHaveLength(1);
  });

  test('a nonce is remembered for as long as its proof could pass', async () => {
    const { device, tokens } = await boundSession();
    const at = new Date(gate.clock.now().getTime() + minutes(2));
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken, at });
    expect(await judge(tokens, proof)).toHaveProperty('principal');
    gate.clock.advance(minutes(3));
    expect(await judge(tokens, proof)).toEqual({ refused: 'DEVICE_PROOF_REFUSED' });
    const [kept] = await gate.database.admin<{ ok: boolean }>(
      `select bool_and(expires_at >= $1) as ok from iam.device_nonces where expires_at > $2`,
      [new Date(at.getTime() + minutes(2)), new Date(at.getTime() + minutes(1))],
    );
    expect(kept?.ok).toBe(true);
  });

  test.each([
    ['a key in its header', { jwk: { kty: 'oct', k: 'AA' } }],
    ['an address for its key', { jku: 'https://thief.test/keys' }],
    ['another type', { typ: 'JWT' }],
    ['no such device', { kid: 'dev_01M7GD00000000000000000000' }],
    ['a critical extension', { crit: ['exp'], exp: 1 }],
  ])('a proof with %s is refused', async (_, header) => {
    const { device, tokens } = await boundSession();
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken }, header).catch(() => 'a.b.c');
    expect(await judge(tokens, proof)).toEqual({ refused: 'DEVICE_PROOF_REFUSED' });
  });

  test('a session without a device opens no device route, whoever signs', async () => {
    const device = await pairDevice(gate, owner);
    const tokens = await gate.client(owner.tenantId).enter(owner);
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken });
    expect(await judge(tokens, proof)).toEqual({ refused: 'NOT_A_DEVICE_SESSION' });
  });

  test('a wrong proof spoils a sign-in, and a paired device has its own count of failures', async () => {
    const { owner, device } = await boundSession();
    const client = gate.client(owner.tenantId);
    const headers = { 'device-proof': await device.sign({ method: 'POST', target: '/other' }) };
    expect((await client.signIn(owner, { headers })).body.code).toBe('DEVICE_PROOF_REFUSED');
    const person = await gate.hire({ tenantId: owner.tenantId });
    for (let guess = 0; guess < 6; guess++) await client.signIn({ ...person, password: 'wrong' });
    expect((await client.signIn(person)).status).toBe(429);
    expect((await client.signIn(person, { device })).status).toBe(200);
  });

  test('refresh reuse ends the family of a device too, once a successor was used', async () => {
    const { device, client, tokens } = await boundSession();
    const second = await client.refresh(tokens.refreshToken, { device });
    const third = await client.refresh(second.body.refreshToken, { device });
    expect((await client.refresh(tokens.refreshToken, { device })).body.code).toBe('SESSION_ENDED');
    expect((await client.refresh(third.body.refreshToken, { device })).status).toBe(401);
    expect(await client.knock(third.body.accessToken)).toBe(401);
  });

  test('a used token without the key ends the family, for it is a copy', async () => {
    const { device, client, tokens } = await boundSession();
    const second = await client.refresh(tokens.refreshToken, { device });
    expect((await client.refresh(tokens.refreshToken)).status).toBe(401);
    expect((await client.refresh(second.body.refreshToken, { device })).status).toBe(401);
  });

  test('a device whose reply was lost may ask again with a fresh proof; the lost token is dead', async () => {
    const { device, client, tokens } = await boundSession();
    const lost = await client.refresh(tokens.refreshToken, { device });
    const lostAgain = await client.refresh(tokens.refreshToken, { device });
    const third = await client.refresh(tokens.refreshToken, { device });
    expect([lost.status, lostAgain.status, third.status]).toEqual([200, 200, 200]);
    expect((await client.refresh(third.body.refreshToken, { device })).status).toBe(200);
    expect((await client.refresh(lost.body.refreshToken, { device })).status).toBe(401);
  });

  test('the very same refresh request twice is refused: its nonce is spent', async () => {
    const { device, client, tokens } = await boundSession();
    const target = '/api/v1/auth/refresh';
    const body = { refreshToken: tokens.refreshToken };
    const proof = await device.sign({
      method: 'POST',
      target,
      body: JSON.stringify(body),
      token: tokens.refreshToken,
    });
    const send = () => client.send('POST', target, body, { headers: { 'device-proof': proof } });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(401);
  });

  test('a revoked device can neither push nor pull nor refresh nor sign in', async () => {
    const { owner, device, client, tokens } = await boundSession();
    const boss = await client.enter(owner);
    expect((await client.send('DELETE', `/api/v1/devices/${device.kid}`, undefined, boss)).status).toBe(204);
    const proof = await device.sign({ ...PUSH, token: tokens.accessToken });
    expect(await judge(tokens, proof)).toEqual({ refused: 'SESSION_ENDED' });
    expect(await client.knock(tokens.accessToken)).toBe(401);
    expect((await client.refresh(tokens.refreshToken, { device })).status).toBe(401);
    expect((await client.signIn(owner, { device })).body.code).toBe('DEVICE_PROOF_REFUSED');
    expect(await client.knock(boss.accessToken)).toBe(200);
  });

  test('a stolen access token of a bound session cannot renew itself by a role switch', async () => {
    const { owner, device, client, tokens } = await boundSession();
    gate.setMembership(owner, { roles: ['owner', 'manager'] });
    const steal = await client.switchRole('manager', tokens);
    expect(steal).toMatchObject({ status: 401, body: { code: 'DEVICE_PROOF_REFUSED' } });
    expect((await client.switchRole('manager', tokens, { device })).status).toBe(200);
  });

  test('the second step of a sign-in must come from the device that began it', async () => {
    const person = await gate.hire({ tenantId: owner.tenantId });
    const app = await enrolTotp(gate, person);
    const device = await pairDevice(gate, owner);
    const client = gate.client(owner.tenantId);
    const { challenge } = (await client.signIn(person, { device })).body;
    const finish = (sending = {}) =>
      client.send('POST', '/api/v1/auth/mfa', { method: 'totp', challenge, code: app.code() }, sending);
    expect((await finish()).body.code).toBe('SECOND_FACTOR_REFUSED');
    expect((await finish({ device })).status).toBe(200);
  });
});
