import { minutes, seconds } from '@ghasi/domain-primitives/duration';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from './commands/sign-in.ts';
import { type Gate, openGate, type Person } from './fixtures/gate.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

test('an operator signs in with e-mail and password and is known by the access token', async () => {
  const person = await gate.hire({ roles: ['owner'] });
  const client = gate.client(person.tenantId);
  const session = await client.enter({ ...person, email: person.email.toUpperCase() });
  const me = await client.send('GET', '/api/v1/auth/me', undefined, session);
  expect(me.body).toEqual({
    id: person.operatorId,
    name: 'Amina',
    email: person.email,
    tenantId: person.tenantId,
    roles: ['owner'],
    sessionId: session.sessionId,
    amr: ['pwd'],
  });
});

test('VAL-01: an unknown field in a sign-in is refused, not ignored', async () => {
  const person = await gate.hire();
  const { email, password } = person;
  const body = { email, password, tenantId: newTenantId(), role: 'owner' };
  const seen = await gate.client(person.tenantId).send('POST', '/api/v1/auth/sign-in', body);
  expect(seen).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
});

test('safety-37: unknown, invited, disabled and wrong-password sign-ins get the same status and body', async () => {
  const { tenantId, ...known } = await gate.hire();
  const boss = await gate.hire({ tenantId, roles: ['owner'] });
  const client = gate.client(tenantId);
  const { accessToken } = await client.enter(boss);
  const invited = { email: 'invited@hotel.test', name: 'Nobody Yet' };
  await client.send('POST', '/api/v1/operators', invited, { accessToken });
  const disabled = await gate.hire({ tenantId });
  const closed = await client.send(
    'POST',
    `/api/v1/operators/${disabled.operatorId}/disable`,
    {},
    {
      accessToken,
    },
  );
  expect(closed.status, closed.text).toBe(204);
  const left = await gate.hire({ tenantId });
  gate.setMembership(left, null);
  const suspended = await gate.hire({ tenantId });
  gate.setMembership(suspended, { status: 'suspended' });
  const refusals = await Promise.all(
    [
      { email: 'nobody@hotel.test', password: known.password },
      { email: known.email, password: 'not the password' },
      { email: invited.email, password: known.password },
      disabled,
      left,
      suspended,
    ].map(who => client.signIn(who)),
  );
  for (const { status, body } of refusals) {
    const { correlationId: _, ...rest } = body;
    expect({ status, rest }).toEqual({
      status: 401,
      rest: {
        type: 'urn:problem:MELMASTOON.IAM.SIGN_IN_REFUSED',
        title: 'Unauthorized',
        status: 401,
        detail: 'This e-mail and password do not open an account here',
        code: 'SIGN_IN_REFUSED',
        qualifiedCode: 'MELMASTOON.IAM.SIGN_IN_REFUSED',
      },
    });
  }
});

test("safety-37: another tenant's account is as unknown as any", async () => {
  const [a, b] = [await gate.hire(), await gate.hire()];
  const seen = await gate.client(b.tenantId).signIn(a);
  expect(seen).toMatchObject({ status: 401, body: { code: 'SIGN_IN_REFUSED' } });
});

const wrong = (person: Person, process = gate.bare(person.tenantId)) =>
  signIn(gate.iam, { ...process, now: gate.clock.now() }, { ...person, password: 'wrong', caller });
const caller = {
  addressHash: 'test',
  signed: { proof: undefined, method: 'POST', target: '/', bodyHash: '' },
};

test.each(['known', 'unknown'])(
  'safety-36: the sixth guess at one %s account waits, in PostgreSQL, also for the right password',
  async which => {
    const person = await gate.hire();
    const guessed = which === 'known' ? person : { ...person, email: `x${person.email}` };
    for (let guess = 0; guess < 5; guess++) expect(await wrong(guessed)).toEqual({ kind: 'refused' });
    const client = gate.client(person.tenantId);
    const waiting = await client.signIn(guessed);
    expect(waiting).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED' },
      headers: { 'retry-after': '2' },
    });
    gate.clock.advance(seconds(3));
    expect((await client.signIn(guessed)).status).toBe(which === 'known' ? 200 : 401);
  },
);

test('safety-36: of 40 parallel guesses no more than 5 are judged', async () => {
  const person = await gate.hire();
  const other = await gate.start();
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, n) => wrong(person, (n % 2 ? gate : other).bare(person.tenantId))),
  );
  expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(5);
  expect(outcomes.filter(({ kind }) => kind === 'blocked')).toHaveLength(35);
});

test('waits grow to 15 minutes and never lock for good; a success forgets the failures', async () => {
  const person = await gate.hire();
  const waits: number[] = [];
  for (let failure = 0; failure < 16; failure++) {
    const outcome = await wrong(person);
    if (outcome.kind === 'blocked') {
      waits.push(outcome.until.getTime() - gate.clock.now().getTime());
      gate.clock.set(outcome.until);
      await wrong(person);
    }
  }
  const s = seconds(1);
  expect(waits.slice(0, 5)).toEqual([2 * s, 4 * s, 8 * s, 16 * s, 32 * s]);
  expect(waits.at(-1)).toBe(minutes(15));
  gate.clock.advance(minutes(15));
  expect((await gate.client(person.tenantId).signIn(person)).status).toBe(200);
  for (let guess = 0; guess < 5; guess++) expect(await wrong(person)).toEqual({ kind: 'refused' });
});

test('safety-51: a browser gets its refresh token as a __Host- cookie and never in the body', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const { email, password } = person;
  const seen = await client.send('POST', '/api/v1/auth/sign-in', { email, password, delivery: 'cookie' });
  expect(seen.body).not.toHaveProperty('refreshToken');
  const cookie = seen.cookies[0];
  expect(cookie).toMatchObject({
    name: '__Host-melm-refresh',
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: 12 * 3600,
  });
  expect(cookie).not.toHaveProperty('domain');
  const cookies = { '__Host-melm-refresh': cookie?.value ?? '' };
  const refreshed = await client.send('POST', '/api/v1/auth/refresh', {}, { cookies });
  expect(refreshed.status).toBe(200);
  expect(refreshed.body).not.toHaveProperty('refreshToken');
  expect(refreshed.cookies[0]?.value).not.toBe(cookie?.value);
  const out = await client.send('POST', '/api/v1/auth/sign-out', undefined, {
    accessToken: refreshed.body.accessToken,
  });
  expect(out.cookies[0]).toMatchObject({ name: '__Host-melm-refresh', value: '', maxAge: 0 });
});

test('a sign-in that no host or slug gives a tenant is not found', async () => {
  const seen = await gate
    .client(newTenantId())
    .send(
      'POST',
      '/api/v1/auth/sign-in',
      { email: 'a@b.test', password: 'x' },
      { headers: { 'x-tenant-slug': '' } },
    );
  expect(seen).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
