import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cheapArgon2, type Gate, openGate } from './fixtures/gate.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const path = '/api/v1/auth/password';

async function signedIn(password?: string) {
  const person = await gate.hire(password === undefined ? {} : { password });
  const client = gate.client(person.tenantId);
  const tokens = await client.enter(person);
  const change = (newPassword: string, more: object = {}) =>
    client.send(
      'POST',
      path,
      { currentPassword: person.password, newPassword, endOtherSessions: false, ...more },
      tokens,
    );
  return { person, client, tokens, change };
}

describe('safety-46: choosing a password', () => {
  test.each([
    ['seven characters', 'sevench'],
    ['one of the most used', 'password1'],
    ['one of the most used in capitals', 'BASEBALL'],
    ['our own name with a year', 'Melmastoon2026!'],
    ['the own name with digits', 'amina-20262026'],
  ])('%s is refused', async (_, newPassword) => {
    const { change } = await signedIn();
    expect(await change(newPassword)).toMatchObject({ status: 422, body: { code: 'PASSWORD_REFUSED' } });
  });

  test('64 and 1000 characters work, and nothing is cut off', async () => {
    for (const length of [64, 1000]) {
      const { person, client, change } = await signedIn();
      const long = Array.from({ length }, (_, n) => String.fromCharCode(97 + (n % 23))).join('');
      expect((await change(long)).status).toBe(204);
      expect((await client.signIn({ ...person, password: long.slice(0, -1) })).status).toBe(401);
      expect((await client.signIn({ ...person, password: `${long}x` })).status).toBe(401);
      expect((await client.signIn({ ...person, password: long })).status).toBe(200);
    }
  });

  test('any script and spaces work; the same text in another Unicode form is the same password', async () => {
    const { person, client, change } = await signedIn();
    const pashto = '  ستړی مه شې ﻣﻠﻤﻪ é ';
    expect((await change(pashto)).status).toBe(204);
    expect((await client.signIn({ ...person, password: pashto.normalize('NFD') })).status).toBe(200);
    expect((await client.signIn({ ...person, password: pashto.trim() })).status).toBe(401);
  });
});

describe('safety-46: changing a password', () => {
  test('needs the current one', async () => {
    const { client, person, change } = await signedIn();
    const seen = await change('a brand new valley', { currentPassword: 'wrong' });
    expect(seen).toMatchObject({ status: 403, body: { code: 'CURRENT_PASSWORD_WRONG' } });
    expect((await client.signIn(person)).status).toBe(200);
  });

  test('ends the other sessions when asked to, and only then', async () => {
    const { person, client, tokens, change } = await signedIn();
    const elsewhere = await client.enter(person);
    const first = { ...person, password: 'a brand new valley' };
    expect((await change(first.password)).status).toBe(204);
    expect(await client.knock(elsewhere.accessToken)).toBe(200);
    const again = { currentPassword: first.password, endOtherSessions: true };
    expect((await change('yet another valley', again)).status).toBe(204);
    expect([await client.knock(elsewhere.accessToken), await client.knock(tokens.accessToken)]).toEqual([
      401, 200,
    ]);
  });

  test('a stolen session is no place to guess: the count is the one of the sign-in', async () => {
    const { person, client, change } = await signedIn();
    for (let guess = 0; guess < 5; guess++)
      await change('a brand new valley', { currentPassword: `no ${guess}` });
    expect((await change('a brand new valley')).status).toBe(429);
    expect((await client.signIn(person)).status).toBe(429);
  });

  test('leaves nothing of the passwords in the idempotency table', async () => {
    const { change } = await signedIn();
    await change('a brand new valley');
    const rows = await gate.database.admin<{ operation: string }>('select operation from iam.idempotency');
    expect(rows.filter(({ operation }) => operation.includes('password'))).toEqual([]);
  });
});

describe('safety-46: hashes', () => {
  const hashOf = async (operatorId: string) => {
    const rows = await gate.database.admin<{ email: string; password_hash: string }>(
      'select email, password_hash from iam.operators',
    );
    return (
      rows.find(({ email }) => email.startsWith(operatorId.slice(-10).toLowerCase()))?.password_hash ?? ''
    );
  };

  test('are argon2id with our parameters and are made anew at sign-in when those change', async () => {
    const { person } = await signedIn();
    const before = await hashOf(person.operatorId);
    expect(before).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1,keyid=[0-9a-f]{8}\$/);
    const stronger = await gate.start({ argon2: { ...cheapArgon2, memoryKib: 16, passes: 2 } });
    expect((await stronger.client(person.tenantId).signIn(person)).status).toBe(200);
    const after = await hashOf(person.operatorId);
    expect(after).toMatch(/^\$argon2id\$v=19\$m=16,t=2,p=1,/);
    expect((await stronger.client(person.tenantId).signIn(person)).status).toBe(200);
    expect(await hashOf(person.operatorId)).toBe(after);
  });

  test('safety-44: a replaced installation secret locks nobody out and is taken up at the next sign-in', async () => {
    const { person } = await signedIn();
    const before = await hashOf(person.operatorId);
    const next = 'the installation of tests has a new secret now';
    const rotated = await gate.start({ secrets: [next, ...gate.iam.config.secrets] });
    expect((await rotated.client(person.tenantId).signIn(person)).status).toBe(200);
    expect(await hashOf(person.operatorId)).not.toBe(before);
    const onlyNew = await gate.start({ secrets: [next] });
    const { operatorId, tenantId, password } = person;
    const stored = await hashOf(operatorId);
    expect(await onlyNew.iam.passwords.verify(password, stored, { tenantId, operatorId })).toBe(true);
  });

  test('safety-44: a hash copied to another account opens nothing there', async () => {
    const [thief, victim] = [await gate.hire(), await gate.hire({ password: 'something else entirely' })];
    const [a, b] = await Promise.all([hashOf(thief.operatorId), hashOf(victim.operatorId)]);
    await gate.database.admin('update iam.operators set password_hash = $1 where password_hash = $2', [a, b]);
    const seen = await gate.client(victim.tenantId).signIn({ ...victim, password: thief.password });
    expect(seen.status).toBe(401);
  });
});
