import { minutes, seconds } from '@ghasi/domain-primitives/duration';
import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finishSignIn } from './commands/finish-sign-in.ts';
import { stepUp } from './commands/step-up.ts';
import { consumeAttestation } from './contract.ts';
import { codeAt, enrolTotp } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person, type Process } from './fixtures/gate.ts';

let gate: Gate;
let other: Process;
beforeAll(async () => {
  gate = await openGate();
  other = await gate.start();
});
afterAll(() => gate.close());

const caller = {
  addressHash: 'test',
  signed: { proof: undefined, method: 'POST', target: '/', bodyHash: '' },
};
const mfa = '/api/v1/auth/mfa';

async function enrolled(options?: Parameters<Gate['hire']>[0]) {
  const person = await gate.hire(options);
  const app = await enrolTotp(gate, person);
  const client = gate.client(person.tenantId);
  const challenge = async () => (await client.signIn(person)).body.challenge as string;
  return { person, app, client, challenge };
}

describe('signing in with a second factor', () => {
  test('password alone gives a challenge and no token', async () => {
    const { person, client } = await enrolled();
    const seen = await client.signIn(person);
    expect(seen.body).toEqual({
      kind: 'mfa_required',
      challenge: expect.stringMatching(/^melm_si_[\w-]{43}$/),
      expiresAt: new Date(gate.clock.now().getTime() + minutes(5)).toISOString(),
      methods: ['totp', 'recovery'],
    });
    expect(seen.cookies).toEqual([]);
  });

  test('the code gives a session that says so; the challenge works once', async () => {
    const { app, client, challenge } = await enrolled();
    const token = await challenge();
    const answer = { method: 'totp', challenge: token, code: app.code() };
    const seen = await client.send('POST', mfa, answer);
    const me = await client.send('GET', '/api/v1/auth/me', undefined, seen.body);
    expect(me.body.amr).toEqual(['pwd', 'otp', 'mfa']);
    gate.clock.advance(seconds(30));
    const again = await client.send('POST', mfa, { ...answer, code: app.code() });
    expect(again).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REFUSED' } });
  });

  test('a challenge ends after five minutes, after five wrong codes, and opens nothing elsewhere', async () => {
    const { app, client, challenge } = await enrolled();
    const stranger = await gate.hire();
    const late = await challenge();
    const foreign = await gate
      .client(stranger.tenantId)
      .send('POST', mfa, { method: 'totp', challenge: late, code: app.code() });
    expect(foreign.status).toBe(401);
    gate.clock.advance(minutes(5));
    expect(
      (await client.send('POST', mfa, { method: 'totp', challenge: late, code: app.code() })).status,
    ).toBe(401);
    const worn = await challenge();
    for (let wrong = 0; wrong < 5; wrong++) {
      await client.send('POST', mfa, { method: 'totp', challenge: worn, code: '000000' });
    }
    gate.clock.advance(minutes(1));
    expect(
      (await client.send('POST', mfa, { method: 'totp', challenge: worn, code: app.code() })).status,
    ).toBe(401);
    const fresh = { method: 'totp', challenge: await challenge(), code: app.code() };
    expect((await client.send('POST', mfa, fresh)).status).toBe(200);
  });

  test('safety-36: wrong codes are counted per person over all his challenges', async () => {
    const { app, client, challenge } = await enrolled();
    for (let wrong = 0; wrong < 5; wrong++) {
      await client.send('POST', mfa, { method: 'totp', challenge: await challenge(), code: '000000' });
    }
    const blocked = await client.send('POST', mfa, {
      method: 'totp',
      challenge: await challenge(),
      code: app.code(),
    });
    expect(blocked.status).toBe(429);
  });

  test('a recovery code signs in once and cannot stand in for a factor afterwards', async () => {
    const { app, client, challenge } = await enrolled();
    const [code = ''] = app.recoveryCodes;
    expect(app.recoveryCodes).toHaveLength(10);
    const use = async () =>
      client.send('POST', mfa, {
        method: 'recovery',
        challenge: await challenge(),
        code: code.toLowerCase(),
      });
    const seen = await use();
    const me = await client.send('GET', '/api/v1/auth/me', undefined, seen.body);
    expect(me.body.amr).toEqual(['pwd', 'kba']);
    expect((await use()).body.code).toBe('SECOND_FACTOR_REFUSED');
    const confirm = { method: 'recovery', code: app.recoveryCodes[1], action: 'folio.refund' };
    expect((await client.send('POST', '/api/v1/auth/step-up', confirm, seen.body)).status).toBe(400);
  });
});

describe('safety-20: one code, one use', () => {
  test('one TOTP code in 50 parallel sign-ins on 2 processes gives one session', async () => {
    const { person, app, challenge } = await enrolled();
    const challenges = await Promise.all(Array.from({ length: 5 }, challenge));
    const code = app.code();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const process = n % 2 ? gate : other;
        const token = challenges[n % challenges.length] ?? '';
        return finishSignIn(process.iam, process.bare(person.tenantId), {
          token,
          answer: { method: 'totp', code },
          caller,
        });
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'session')).toHaveLength(1);
  });

  test('a code used before, and codes of earlier steps, are refused; the next one works', async () => {
    const { app, client, challenge } = await enrolled();
    const at = gate.clock.now();
    const attempt = async (code: string) =>
      (await client.send('POST', mfa, { method: 'totp', challenge: await challenge(), code })).status;
    const [before, current, next] = [-30, 0, 30].map(offset =>
      codeAt(app.secret, new Date(at.getTime() + seconds(offset))),
    );
    expect(await attempt(current ?? '')).toBe(200);
    expect(await attempt(current ?? '')).toBe(401);
    expect(await attempt(before ?? '')).toBe(401);
    gate.clock.advance(seconds(30));
    expect(await attempt(next ?? '')).toBe(200);
  });

  test('a code spent on a step-up does not sign in, and a code is for one person', async () => {
    const { app, client, challenge } = await enrolled();
    const code = app.code();
    const confirm = { method: 'totp', code, action: 'folio.refund' };
    expect((await client.send('POST', '/api/v1/auth/step-up', confirm, app.tokens)).status).toBe(201);
    const spent = await client.send('POST', mfa, { method: 'totp', challenge: await challenge(), code });
    expect(spent.status).toBe(401);
    const someone = await enrolled();
    gate.clock.advance(seconds(30));
    const foreign = { method: 'totp', challenge: await someone.challenge(), code: app.code() };
    expect((await client.send('POST', mfa, foreign)).status).toBe(401);
  });
});

describe('safety-20: step-up', () => {
  const action = { action: 'folio.refund', amount: { amount: '125000', currency: 'AFN' }, resource: 'fol_7' };

  async function attested(person?: Person) {
    const made = await enrolled(person === undefined ? undefined : { tenantId: person.tenantId });
    const body = { method: 'totp', code: made.app.code(), ...action };
    const seen = await made.client.send('POST', '/api/v1/auth/step-up', body, made.app.tokens);
    const { attestationId, expiresAt } = seen.body;
    const consume = (changes: object = {}, process: Process = gate) =>
      process.ask(consumeAttestation, {
        tenantId: made.person.tenantId,
        sessionId: made.app.tokens.sessionId,
        attestationId,
        ...action,
        ...changes,
      });
    return { ...made, attestationId: attestationId as Id<'mfa'>, expiresAt, consume };
  }

  test('an attestation is good for five minutes, once, in 50 parallel uses on 2 processes', async () => {
    const { attestationId, expiresAt, consume } = await attested();
    expect(attestationId).toMatch(/^mfa_/);
    expect(expiresAt).toBe(new Date(gate.clock.now().getTime() + minutes(5)).toISOString());
    const uses = await Promise.all(Array.from({ length: 50 }, (_, n) => consume({}, n % 2 ? gate : other)));
    expect(uses.filter(({ consumed }) => consumed)).toHaveLength(1);
  });

  test.each([
    ['session', { sessionId: newId('ses') }],
    ['action', { action: 'folio.void' }],
    ['amount', { amount: { amount: '125001', currency: 'AFN' } }],
    ['currency', { amount: { amount: '125000', currency: 'USD' } }],
    ['missing amount', { amount: undefined }],
    ['resource', { resource: 'fol_8' }],
    ['missing resource', { resource: undefined }],
  ])('it is bound: another %s is refused and does not use it up', async (_, changes) => {
    const { consume } = await attested();
    expect(await consume(changes)).toEqual({ consumed: false });
    expect(await consume()).toEqual({ consumed: true });
  });

  test('it ends after five minutes', async () => {
    const { consume } = await attested();
    gate.clock.advance(minutes(5));
    expect(await consume()).toEqual({ consumed: false });
  });

  test('it ends with its session', async () => {
    const { client, app, consume } = await attested();
    await client.send('POST', '/api/v1/auth/sign-out', undefined, app.tokens);
    expect(await consume()).toEqual({ consumed: false });
  });

  test("another tenant cannot use it, and an attestation of a colleague's session is not mine", async () => {
    const mine = await attested();
    const stranger = await attested();
    const colleague = await attested(mine.person);
    expect(await stranger.consume({ attestationId: mine.attestationId })).toEqual({ consumed: false });
    expect(await colleague.consume({ attestationId: mine.attestationId })).toEqual({ consumed: false });
  });

  test('whoever has no second factor cannot confirm anything', async () => {
    const person = await gate.hire();
    const client = gate.client(person.tenantId);
    const tokens = await client.enter(person);
    const seen = await client.send(
      'POST',
      '/api/v1/auth/step-up',
      { method: 'totp', code: '123456', ...action },
      tokens,
    );
    expect(seen).toMatchObject({ status: 409, body: { code: 'NO_SECOND_FACTOR' } });
    const options = await client.send('POST', '/api/v1/auth/step-up/options', action, tokens);
    expect(options.body.code).toBe('NO_SECOND_FACTOR');
  });

  test('one code in 50 parallel step-ups on 2 processes gives one attestation', async () => {
    const { person, app } = await enrolled();
    const me = {
      operatorId: person.operatorId,
      sessionId: app.tokens.sessionId as Id<'ses'>,
      roles: [],
      proven: false,
    };
    const answer = { method: 'totp', code: app.code(), confirmed: { action: 'folio.refund' } } as const;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const process = n % 2 ? gate : other;
        return stepUp(process.iam, process.bare(person.tenantId), { me, answer });
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'attested')).toHaveLength(1);
  });

  test('a password reset leaves the factor in place, ends the sessions and signs nobody in', async () => {
    const { person, app, client } = await enrolled();
    const owner = await gate.hire({ tenantId: person.tenantId, roles: ['owner'] });
    const boss = await client.enter(owner);
    const made = await client.send('POST', `/api/v1/operators/${person.operatorId}/link`, undefined, boss);
    const password = 'another quiet valley';
    const used = await client.send('POST', '/api/v1/auth/password-links/use', {
      token: made.body.token,
      password,
    });
    expect([used.status, used.text]).toEqual([204, '']);
    expect(await client.knock(app.tokens.accessToken)).toBe(401);
    expect((await client.signIn({ ...person, password })).body.kind).toBe('mfa_required');
  });
});

describe("changing one's factors", () => {
  const start = '/api/v1/auth/factors/totp';

  test('needs the password as long as there is no factor', async () => {
    const person = await gate.hire();
    const client = gate.client(person.tenantId);
    const tokens = await client.enter(person);
    const body = { label: 'phone', proof: { kind: 'password', password: 'not it' } };
    expect((await client.send('POST', start, body, tokens)).body.code).toBe('PROOF_NEEDED');
  });

  test('a secret that was never confirmed is worth nothing after 15 minutes', async () => {
    const person = await gate.hire();
    const client = gate.client(person.tenantId);
    let tokens = await client.enter(person);
    const proof = { kind: 'password', password: person.password };
    const { factorId, secret } = (await client.send('POST', start, { label: 'phone', proof }, tokens)).body;
    gate.clock.advance(minutes(15));
    tokens = (await client.refresh(tokens.refreshToken)).body;
    const code = codeAt(secret, gate.clock.now());
    const late = await client.send('POST', `${start}/${factorId}/confirm`, { code }, tokens);
    expect(late).toMatchObject({ status: 422, body: { code: 'FACTOR_REFUSED' } });
  });

  test('needs the factor, or a recovery code, once there is one; the password is not enough', async () => {
    const { person, app, client } = await enrolled();
    const begin = (proof: object) => client.send('POST', start, { label: 'new phone', proof }, app.tokens);
    expect((await begin({ kind: 'password', password: person.password })).body.code).toBe('PROOF_NEEDED');
    const [code] = app.recoveryCodes;
    expect((await begin({ kind: 'recovery', code })).status).toBe(201);
    expect((await begin({ kind: 'recovery', code })).body.code).toBe('PROOF_NEEDED');
    const confirm = { method: 'totp', code: app.code(), action: 'iam.factors.change' };
    const { attestationId } = (await client.send('POST', '/api/v1/auth/step-up', confirm, app.tokens)).body;
    const path = `/api/v1/auth/factors/${app.factorId}/remove`;
    const proof = { kind: 'attestation', attestationId };
    expect((await client.send('POST', path, { proof }, app.tokens)).status).toBe(204);
    expect((await client.signIn(person)).body.kind).toBe('session');
    const [left] = await gate.database.admin<{ n: bigint }>(
      'select count(*) as n from iam.recovery_codes where operator_id = (select operator_id from iam.sessions where id = $1)',
      [await uuidOf(app.tokens.sessionId)],
    );
    expect(left?.n).toBe(0n);
  });

  test('an owner takes the factors of somebody who lost them, after confirming with his own', async () => {
    const { person, client } = await enrolled();
    const owner = await gate.hire({ tenantId: person.tenantId, roles: ['owner'] });
    const { tokens, code } = await enrolTotp(gate, owner);
    const path = `/api/v1/operators/${person.operatorId}/factors`;
    const remove = (headers: Record<string, string> = {}) =>
      client.send('DELETE', path, undefined, { accessToken: tokens.accessToken, headers });
    expect((await remove()).body.code).toBe('STEP_UP_REQUIRED');
    const confirm = async (resource: string) => {
      const body = { method: 'totp', code: code(), action: 'iam.factors.reset', resource };
      const { attestationId } = (await client.send('POST', '/api/v1/auth/step-up', body, tokens)).body;
      gate.clock.advance(seconds(30));
      return { 'step-up-attestation': attestationId };
    };
    expect((await remove(await confirm('usr_other'))).body.code).toBe('ATTESTATION_REFUSED');
    expect((await remove(await confirm(person.operatorId))).status).toBe(204);
    expect((await client.signIn(person)).body.kind).toBe('session');
  });

  test('safety-44: a sealed secret moved to another row opens nothing', async () => {
    const [a, b] = [await enrolled(), await enrolled()];
    await gate.database.admin(
      `update iam.factors set sealed_secret = (select sealed_secret from iam.factors where id = $1) where id = $2`,
      [await uuidOf(a.app.factorId), await uuidOf(b.app.factorId)],
    );
    const answer = { method: 'totp', challenge: await b.challenge(), code: a.app.code() };
    expect((await b.client.send('POST', mfa, answer)).status).toBe(500);
  });
});

async function uuidOf(id: string): Promise<string> {
  const { uuidFromUlid } = await import('@ghasi/domain-primitives/uuid');
  return uuidFromUlid(id.slice(4));
}
