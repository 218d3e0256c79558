import { minutes } from '@ghasi/domain-primitives/duration';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, Tokens } from './fixtures/client.ts';
import { enrolPasskey } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person } from './fixtures/gate.ts';
import { type Mischief, newAuthenticator } from './fixtures/passkey.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

async function withPasskey({ counting = true } = {}) {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const authenticator = newAuthenticator({ counting });
  const registered = await enrolPasskey(client, await client.enter(person), person, authenticator);
  if (registered.status !== 200) throw new Error(registered.text);
  return { person, client, authenticator, tokens: registered.body.session as Tokens, registered };
}

async function begin(client: Client, person: Person) {
  const { challenge, passkey } = (await client.signIn(person)).body;
  const finish = (response: object) =>
    client.send('POST', '/api/v1/auth/mfa', { method: 'webauthn', challenge, response });
  return { options: passkey, finish };
}

test('a passkey is registered, asked for at the next sign-in, and signs in', async () => {
  const { person, client, authenticator, registered } = await withPasskey();
  expect(registered.body.recoveryCodes).toHaveLength(10);
  const { options, finish } = await begin(client, person);
  expect(options).toMatchObject({
    rpId: 'melma.test',
    userVerification: 'required',
    allowCredentials: [{ id: authenticator.credentialId, type: 'public-key', transports: ['internal'] }],
  });
  const seen = await finish(authenticator.get(options));
  const me = await client.send('GET', '/api/v1/auth/me', undefined, seen.body);
  expect(me.body.amr).toEqual(['pwd', 'hwk', 'user', 'mfa']);
});

test('a passkey without a counter works again and again', async () => {
  const { person, client, authenticator } = await withPasskey({ counting: false });
  for (let time = 0; time < 2; time++) {
    const { options, finish } = await begin(client, person);
    expect((await finish(authenticator.get(options))).status).toBe(200);
  }
});

describe('safety-21: refused at sign-in', () => {
  const wrongs: [string, Mischief][] = [
    ['another origin', { origin: 'https://desk.melma.test.thief.test' }],
    ['another port', { origin: 'https://desk.melma.test:8443' }],
    ['plain http', { origin: 'http://desk.melma.test' }],
    ['another rpId', { rpId: 'thief.test' }],
    ['no user verification', { unverified: true }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ["an answer made in another site's frame", { crossOrigin: true }],
    ['a registration in place of an assertion', { type: 'webauthn.create' }],
  ];
  test.each(wrongs)('%s', async (_, mischief) => {
    const { person, client, authenticator } = await withPasskey();
    const { options, finish } = await begin(client, person);
    expect((await finish(authenticator.get(options, mischief))).body.code).toBe('SECOND_FACTOR_REFUSED');
    // a challenge is answered once, right or wrong
    expect((await finish(authenticator.get(options))).body.code).toBe('SECOND_FACTOR_REFUSED');
  });

  test('a counter that goes back or stands still', async () => {
    const { person, client, authenticator } = await withPasskey();
    const ahead = await begin(client, person);
    expect((await ahead.finish(authenticator.get(ahead.options, { counter: 90 }))).status).toBe(200);
    for (const counter of [89, 90, 0]) {
      const { options, finish } = await begin(client, person);
      expect((await finish(authenticator.get(options, { counter }))).body.code).toBe('SECOND_FACTOR_REFUSED');
    }
    const { options, finish } = await begin(client, person);
    expect((await finish(authenticator.get(options, { counter: 91 }))).status).toBe(200);
  });

  test('one counter value in two answers at once, as from a copied key', async () => {
    const { person, client, authenticator } = await withPasskey();
    for (let round = 0; round < 5; round++) {
      const signIns = [await begin(client, person), await begin(client, person), await begin(client, person)];
      const counter = 100 + round;
      const seen = await Promise.all(
        signIns.map(({ options, finish }) => finish(authenticator.get(options, { counter }))),
      );
      expect(seen.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test('a reused answer and an expired challenge', async () => {
    const { person, client, authenticator } = await withPasskey();
    const first = await begin(client, person);
    const answer = authenticator.get(first.options);
    expect((await first.finish(answer)).status).toBe(200);
    expect((await first.finish(answer)).status).toBe(401);
    expect((await (await begin(client, person)).finish(answer)).status).toBe(401);
    const late = await begin(client, person);
    gate.clock.advance(minutes(5));
    expect((await late.finish(authenticator.get(late.options))).status).toBe(401);
  });

  test("another person's passkey, and one that was never registered", async () => {
    const { person, client } = await withPasskey();
    const someone = await withPasskey();
    for (const authenticator of [someone.authenticator, newAuthenticator()]) {
      const { options, finish } = await begin(client, person);
      expect((await finish(authenticator.get(options))).body.code).toBe('SECOND_FACTOR_REFUSED');
    }
  });

  test('another key under a registered credential id', async () => {
    const { person, client, authenticator } = await withPasskey();
    const { options, finish } = await begin(client, person);
    const id = authenticator.credentialId;
    expect((await finish({ ...newAuthenticator().get(options), id, rawId: id })).status).toBe(401);
  });
});

describe('safety-21: refused at registration', () => {
  async function starting() {
    const person = await gate.hire();
    const client = gate.client(person.tenantId);
    const tokens = await client.enter(person);
    const options = async () => {
      const proof = { kind: 'password', password: person.password };
      return (await client.send('POST', '/api/v1/auth/factors/webauthn/options', { proof }, tokens)).body;
    };
    const finish = (challengeId: string, response: object, by: Tokens = tokens) =>
      client.send('POST', '/api/v1/auth/factors/webauthn', { challengeId, label: 'key', response }, by);
    return { person, client, tokens, options, finish };
  }

  test.each([
    ['another origin', { origin: 'https://thief.test' }],
    ['another rpId', { rpId: 'thief.test' }],
    ['no user verification', { unverified: true }],
    ['another challenge', { challenge: 'AAAA' }],
    ["another site's frame", { crossOrigin: true }],
  ] satisfies [string, Mischief][])('%s', async (_, mischief) => {
    const { options, finish } = await starting();
    const { challengeId, options: create } = await options();
    const authenticator = newAuthenticator();
    expect((await finish(challengeId, authenticator.create(create, mischief))).body.code).toBe(
      'FACTOR_REFUSED',
    );
    expect((await finish(challengeId, authenticator.create(create))).body.code).toBe('FACTOR_REFUSED');
  });

  test("an expired challenge, another session's challenge, a credential that is known", async () => {
    const { person, client, options, finish } = await starting();
    const late = await options();
    gate.clock.advance(minutes(5));
    const tokens = await client.enter(person);
    expect((await finish(late.challengeId, newAuthenticator().create(late.options), tokens)).status).toBe(
      422,
    );
    const mine = await starting();
    const theirs = await mine.options();
    const foreign = await finish(theirs.challengeId, newAuthenticator().create(theirs.options), tokens);
    expect(foreign.status).toBe(422);
    const known = newAuthenticator();
    expect((await mine.finish(theirs.challengeId, known.create(theirs.options))).status).toBe(200);
    const colleague = await gate.hire({ tenantId: mine.person.tenantId });
    const copied = await enrolPasskey(mine.client, await mine.client.enter(colleague), colleague, known);
    expect(copied.body.code).toBe('FACTOR_REFUSED');
  });
});

describe('confirming an action with a passkey', () => {
  const action = { action: 'folio.refund', amount: { amount: '500', currency: 'USD' } };

  test('what is confirmed is what was asked for, once', async () => {
    const { client, authenticator, tokens } = await withPasskey();
    const started = await client.send('POST', '/api/v1/auth/step-up/options', action, tokens);
    const { challengeId, options } = started.body;
    const answer = { method: 'webauthn', challengeId, response: authenticator.get(options) };
    const seen = await client.send('POST', '/api/v1/auth/step-up', answer, tokens);
    expect(seen.status).toBe(201);
    const [row] = await gate.database.admin<Record<string, unknown>>(
      'select action, amount_minor, currency, resource, method from iam.attestations order by created_at desc limit 1',
    );
    expect(row).toEqual({
      action: 'folio.refund',
      amount_minor: 500n,
      currency: 'USD',
      resource: null,
      method: 'webauthn',
    });
    expect((await client.send('POST', '/api/v1/auth/step-up', answer, tokens)).body.code).toBe(
      'SECOND_FACTOR_REFUSED',
    );
  });

  test('a wrong answer uses the challenge up', async () => {
    const { client, authenticator, tokens } = await withPasskey();
    const { challengeId, options } = (
      await client.send('POST', '/api/v1/auth/step-up/options', action, tokens)
    ).body;
    const send = (mischief: Mischief) => {
      const response = authenticator.get(options, mischief);
      return client.send(
        'POST',
        '/api/v1/auth/step-up',
        { method: 'webauthn', challengeId, response },
        tokens,
      );
    };
    expect((await send({ unverified: true })).status).toBe(401);
    expect((await send({})).status).toBe(401);
  });
});
