import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { seconds } from '@ghasi/domain-primitives/duration';
import { newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAccessToken } from './access-token.ts';
import { verifyAccess } from './contract.ts';
import type { Tokens } from './fixtures/client.ts';
import { type Gate, ORIGIN, openGate, type Person } from './fixtures/gate.ts';

let gate: Gate;
let person: Person;
let tokens: Tokens;
let key: KeyObject;
let kid: string;
beforeAll(async () => {
  gate = await openGate();
  person = await gate.hire();
  tokens = await gate.client(person.tenantId).enter(person);
  ({ key, kid } = await gate.iam.signing.current(gate.db, gate.clock.now()));
});
afterAll(() => gate.close());

const judge = (token: string) =>
  gate.ask(verifyAccess, { kind: 'operator', authorization: `Bearer ${token}`, method: 'GET', path: '/' });

type Claims = Record<string, unknown>;
const now = () => Math.floor(gate.clock.now().getTime() / 1000);
const goodClaims = (): Claims => ({
  iss: ORIGIN,
  aud: 'melmastoon',
  sub: person.operatorId,
  sid: tokens.sessionId,
  tid: person.tenantId,
  iat: now(),
  nbf: now(),
  exp: now() + 300,
});
const goodHeader = () => ({ alg: 'EdDSA', typ: 'at+jwt', kid });
const without = (claim: string) => {
  const { [claim]: _, ...rest } = goodClaims();
  return rest;
};

/** Signs with our own key: everything but the change is right. */
function forge(claims: Claims, header: Partial<JWTHeaderParameters> = {}, by: KeyObject | Uint8Array = key) {
  return new SignJWT(claims as never).setProtectedHeader({ ...goodHeader(), ...header }).sign(by);
}

test('the forge of these tests makes tokens that are accepted unless something is wrong with them', async () => {
  expect(await judge(await forge(goodClaims()))).toHaveProperty('principal.id', person.operatorId);
});

describe('safety-19: refused access tokens', () => {
  const cases: [string, () => Promise<string> | string][] = [
    ['alg none', () => new UnsecuredJWT(goodClaims() as never).encode()],
    [
      'alg none with our header',
      () => `${base64({ ...goodHeader(), alg: 'none' })}.${base64(goodClaims())}.`,
    ],
    ['no signature', async () => `${(await forge(goodClaims())).split('.').slice(0, 2).join('.')}.`],
    ['HS256 keyed with our public key', () => hmacWithPublicKey()],
    [
      'ES256 under our kid',
      () =>
        forge(goodClaims(), { alg: 'ES256' }, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    ],
    ['a foreign key under our kid', () => forge(goodClaims(), {}, generateKeyPairSync('ed25519').privateKey)],
    ['a foreign kid', () => forge(goodClaims(), { kid: newId('sgk') })],
    ['a kid that is a path', () => forge(goodClaims(), { kid: '../../dev/null' })],
    ['a kid that is SQL', () => forge(goodClaims(), { kid: "' or 1=1 --" })],
    ['no kid', () => forge(goodClaims(), { kid: undefined as never })],
    ['jku', () => forge(goodClaims(), { jku: 'https://thief.test/jwks.json' })],
    ['x5u', () => forge(goodClaims(), { x5u: 'https://thief.test/cert' })],
    ['an embedded jwk', () => embeddedKey()],
    ['another typ', () => forge(goodClaims(), { typ: 'JWT' })],
    ['no typ', () => forge(goodClaims(), { typ: undefined as never })],
    ['another issuer', () => forge({ ...goodClaims(), iss: 'https://thief.test' })],
    ['another audience', () => forge({ ...goodClaims(), aud: 'other' })],
    ['two audiences', () => forge({ ...goodClaims(), aud: ['melmastoon', 'other'] })],
    ['expired', () => forge({ ...goodClaims(), iat: now() - 400, nbf: now() - 400, exp: now() - 100 })],
    [
      'issued long ago, with a late end',
      () => forge({ ...goodClaims(), iat: now() - 3600, nbf: now() - 3600 }),
    ],
    ['not yet valid', () => forge({ ...goodClaims(), nbf: now() + 60 })],
    ['from the future', () => forge({ ...goodClaims(), iat: now() + 60 })],
    ['no tenant', () => forge(without('tid'))],
    ['no session', () => forge(without('sid'))],
    ['no subject', () => forge(without('sub'))],
    ['no end', () => forge(without('exp'))],
    ['no start', () => forge(without('iat'))],
    ['a tenant that is no uuid', () => forge({ ...goodClaims(), tid: `${person.tenantId}' --` })],
    ['an additional claim', () => forge({ ...goodClaims(), roles: ['owner'] })],
    ['nonsense', () => 'a.b.c'],
  ];
  test.each(cases)('%s', async (_, make) => {
    expect(await judge(await make())).toEqual({ refused: 'BAD_TOKEN' });
  });

  test('every single changed character', async () => {
    const good = tokens.accessToken;
    const places = Array.from({ length: good.length }, (_, at) => at).filter(at => good[at] !== '.');
    const accepted = await Promise.all(
      places.map(async at => {
        const other = good[at] === 'A' ? 'Q' : 'A';
        const changed = good.slice(0, at) + other + good.slice(at + 1);
        return (
          (await readAccessToken(gate.iam, { db: gate.db, now: gate.clock.now() }, changed)) !== undefined
        );
      }),
    );
    expect(accepted.filter(Boolean)).toHaveLength(0);
  });

  test("another tenant's or another operator's session under a right signature", async () => {
    const stranger = await gate.hire();
    const colleague = await gate.hire({ tenantId: person.tenantId });
    expect(await judge(await forge({ ...goodClaims(), tid: stranger.tenantId }))).toEqual({
      refused: 'SESSION_ENDED',
    });
    expect(await judge(await forge({ ...goodClaims(), tid: PLATFORM_TENANT_ID }))).toEqual({
      refused: 'SESSION_ENDED',
    });
    expect(await judge(await forge({ ...goodClaims(), sub: colleague.operatorId }))).toEqual({
      refused: 'SESSION_ENDED',
    });
  });

  test.each(['', 'Basic abc', 'Bearer', 'Bearer a b', 'bearer x'])('the header "%s"', async authorization => {
    const answer = await gate.ask(verifyAccess, {
      kind: 'operator',
      authorization,
      method: 'GET',
      path: '/',
    });
    expect(answer).toEqual({ refused: 'NO_TOKEN' });
  });
});

test('a token of a process whose clock is a few seconds ahead is accepted', async () => {
  const ahead = now() + seconds(4) / 1000;
  expect(await judge(await forge({ ...goodClaims(), iat: ahead, nbf: ahead }))).toHaveProperty('principal');
});

test('tokens of an installation with another secret or issuer are not ours', async () => {
  const elsewhere = await gate.start({ issuer: 'https://other.test' });
  const answer = await elsewhere.ask(verifyAccess, {
    kind: 'operator',
    authorization: `Bearer ${tokens.accessToken}`,
    method: 'GET',
    path: '/',
  });
  expect(answer).toEqual({ refused: 'BAD_TOKEN' });
});

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The classic confusion: the public key, which everybody has, taken for the secret of an HMAC. */
function hmacWithPublicKey(): string {
  const pem = createPublicKey(createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }))).export({
    type: 'spki',
    format: 'pem',
  });
  const text = `${base64({ ...goodHeader(), alg: 'HS256' })}.${base64(goodClaims())}`;
  return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
}

function embeddedKey(): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return forge(goodClaims(), { jwk: publicKey.export({ format: 'jwk' }) as never }, privateKey);
}
