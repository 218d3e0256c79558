import { hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAccess } from './contract.ts';
import { enrolTotp } from './fixtures/enrol.ts';
import { type Gate, openGate, type Process } from './fixtures/gate.ts';

let gate: Gate;
let other: Process;
beforeAll(async () => {
  gate = await openGate();
  other = await gate.start();
});
afterAll(() => gate.close());

test('safety-17: every sign-in makes a new session, and tokens a client brings along are never adopted', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const first = await client.enter(person);
  const planted = `melm_rt_${'A'.repeat(43)}`;
  const second = await client.enter(person, {
    accessToken: first.accessToken,
    cookies: { '__Host-melm-refresh': planted },
  });
  expect(second.sessionId).not.toBe(first.sessionId);
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect((await client.refresh(planted)).status).toBe(401);
});

test('safety-17: a refresh token carries 256 random bits and is stored as a hash only', async () => {
  const person = await gate.hire();
  const { refreshToken } = await gate.client(person.tenantId).enter(person);
  const secret = Buffer.from(refreshToken.replace('melm_rt_', ''), 'base64url');
  expect(secret).toHaveLength(32);
  const dump = await gate.database.admin<{ row: string }>('select t::text as row from iam.refresh_tokens t');
  expect(dump.length).toBeGreaterThan(0);
  expect(
    dump.filter(({ row }) => row.includes(refreshToken) || row.includes(secret.toString('hex'))),
  ).toEqual([]);
});

test('safety-17: with the second factor a new session begins and the one before it is dead', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const elsewhere = await client.enter(person);
  const { old, tokens } = await enrolTotp(gate, person);
  expect(tokens.sessionId).not.toBe(old.sessionId);
  expect(await client.knock(tokens.accessToken)).toBe(200);
  expect(await client.knock(old.accessToken)).toBe(401);
  expect((await client.refresh(old.refreshToken)).status).toBe(401);
  // the others never showed a second factor
  expect(await client.knock(elsewhere.accessToken)).toBe(401);
});

test('safety-17: a role switch gives a new session with that role alone; the old one is dead', async () => {
  const person = await gate.hire({ roles: ['manager', 'front_desk'] });
  const client = gate.client(person.tenantId);
  const before = await client.enter(person);
  const switched = await client.switchRole('front_desk', before);
  const me = await client.send('GET', '/api/v1/auth/me', undefined, switched.body);
  expect(me.body.roles).toEqual(['front_desk']);
  const managing = await client.send('GET', '/api/v1/operators', undefined, switched.body);
  expect(managing.status).toBe(403);
  expect(await client.knock(before.accessToken)).toBe(401);
  expect((await client.refresh(before.refreshToken)).status).toBe(401);
  const back = await client.switchRole(null, switched.body);
  const all = await client.send('GET', '/api/v1/auth/me', undefined, back.body);
  expect(all.body.roles).toEqual(['manager', 'front_desk']);
});

test('a role one does not have cannot be switched to, and a switch does not make the day longer', async () => {
  const person = await gate.hire({ roles: ['front_desk', 'housekeeping'] });
  const client = gate.client(person.tenantId);
  const tokens = await client.enter(person);
  const refused = await client.switchRole('owner', tokens);
  expect(refused).toMatchObject({ status: 403, body: { code: 'ROLE_NOT_HELD' } });
  const end = new Date(gate.clock.now().getTime() + hours(12)).toISOString();
  gate.clock.advance(minutes(4));
  const switched = await client.switchRole('housekeeping', tokens);
  expect(switched.body.sessionExpiresAt).toBe(end);
});

test('safety-17: an access token alone, or with a foreign or used refresh token, cannot become a new session', async () => {
  const person = await gate.hire({ roles: ['manager', 'front_desk'] });
  const client = gate.client(person.tenantId);
  const [mine, another] = [await client.enter(person), await client.enter(person)];
  const path = '/api/v1/auth/role';
  const bare = await client.send('POST', path, { role: 'manager' }, { accessToken: mine.accessToken });
  expect(bare.body.code).toBe('SESSION_ENDED');
  const foreign = await client.switchRole('manager', { ...mine, refreshToken: another.refreshToken });
  expect(foreign.body.code).toBe('SESSION_ENDED');
  const next = await client.refresh(mine.refreshToken);
  expect((await client.switchRole('manager', mine)).body.code).toBe('SESSION_ENDED');
  expect((await client.switchRole('manager', next.body)).status).toBe(200);
});

test('safety-17: sign-out ends the session at once on every process', async () => {
  const person = await gate.hire();
  const tokens = await gate.client(person.tenantId).enter(person);
  const there = other.client(person.tenantId);
  expect(await there.knock(tokens.accessToken)).toBe(200);
  await gate.client(person.tenantId).send('POST', '/api/v1/auth/sign-out', undefined, tokens);
  expect(await there.knock(tokens.accessToken)).toBe(401);
  expect((await there.refresh(tokens.refreshToken)).status).toBe(401);
});

test('safety-17: disabling an operator ends his sessions at once on every process', async () => {
  const owner = await gate.hire({ roles: ['owner'] });
  const person = await gate.hire({ tenantId: owner.tenantId });
  const there = other.client(owner.tenantId);
  const tokens = [await there.enter(person), await there.enter(person)];
  const boss = await gate.client(owner.tenantId).enter(owner);
  const path = `/api/v1/operators/${person.operatorId}/disable`;
  expect((await gate.client(owner.tenantId).send('POST', path, undefined, boss)).status).toBe(204);
  for (const { accessToken, refreshToken } of tokens) {
    expect(await there.knock(accessToken)).toBe(401);
    expect((await there.refresh(refreshToken)).status).toBe(401);
  }
});

test('safety-11: a role taken away, a suspension and a removal count from the next request on', async () => {
  const person = await gate.hire({ roles: ['manager'] });
  const client = other.client(person.tenantId);
  const tokens = await client.enter(person);
  const list = async () => (await client.send('GET', '/api/v1/operators', undefined, tokens)).status;
  expect(await list()).toBe(200);
  gate.setMembership(person, { roles: ['housekeeping'] });
  expect(await list()).toBe(403);
  gate.setMembership(person, { roles: ['manager'], status: 'suspended' });
  expect(await list()).toBe(401);
  gate.setMembership(person, null);
  expect(await list()).toBe(401);
});

test('platform roles count on the platform only', async () => {
  const person = await gate.hire({ roles: ['platform_admin'] });
  const { accessToken } = await gate.client(person.tenantId).enter(person);
  const answer = await gate.ask(verifyAccess, {
    kind: 'operator',
    authorization: `Bearer ${accessToken}`,
    method: 'GET',
    path: '/',
  });
  expect(answer).toEqual({ refused: 'NO_MEMBERSHIP' });
});

test('safety-51: a session ends after 30 minutes without a refresh', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const used = await client.enter(person);
  const unused = await client.enter(person);
  gate.clock.advance(minutes(29));
  const again = await client.refresh(used.refreshToken);
  gate.clock.advance(minutes(29));
  expect((await client.refresh(again.body.refreshToken)).status).toBe(200);
  expect((await client.refresh(unused.refreshToken)).body.code).toBe('SESSION_ENDED');
});

test('safety-51: a session ends 12 hours after the sign-in however often it is used', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  let tokens = await client.enter(person);
  for (let step = 0; step < 35; step++) {
    gate.clock.advance(minutes(20));
    tokens = (await client.refresh(tokens.refreshToken)).body;
    expect(tokens.sessionId).toMatch(/^ses_/);
  }
  gate.clock.advance(minutes(20));
  expect((await client.refresh(tokens.refreshToken)).status).toBe(401);
  expect(await client.knock(tokens.accessToken)).toBe(401);
});

test('an access token is good for 5 minutes and a little clock skew', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const { accessToken } = await client.enter(person);
  gate.clock.advance(minutes(5) - seconds(1));
  expect(await client.knock(accessToken)).toBe(200);
  gate.clock.advance(seconds(7));
  expect(await client.knock(accessToken)).toBe(401);
});

test('people list their sessions and end one or all others', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const [a, b, c] = [await client.enter(person), await client.enter(person), await client.enter(person)];
  const listed = await client.send('GET', '/api/v1/auth/sessions', undefined, a);
  expect(listed.body.sessions.map((one: { id: string; current: boolean }) => [one.id, one.current])).toEqual([
    [c.sessionId, false],
    [b.sessionId, false],
    [a.sessionId, true],
  ]);
  const path = `/api/v1/auth/sessions/${b.sessionId}`;
  expect((await client.send('DELETE', path, undefined, a)).status).toBe(204);
  expect(await client.knock(b.accessToken)).toBe(401);
  const rest = await client.send('DELETE', '/api/v1/auth/sessions', undefined, a);
  expect(rest.body).toEqual({ ended: 1 });
  expect([await client.knock(a.accessToken), await client.knock(c.accessToken)]).toEqual([200, 401]);
});

test("safety-10: somebody else's session looks exactly like one that does not exist", async () => {
  const [me, colleague] = [await gate.hire(), await gate.hire()];
  const stranger = await gate.hire();
  gate.setMembership(colleague, {});
  const client = gate.client(me.tenantId);
  const mine = await client.enter(me);
  const theirs = await gate.client(stranger.tenantId).enter(stranger);
  const missing = 'ses_01M7GD00000000000000000000';
  const [a, b] = await Promise.all(
    [theirs.sessionId, missing].map(id =>
      client.send('DELETE', `/api/v1/auth/sessions/${id}`, undefined, mine),
    ),
  );
  const { correlationId: _a, ...seenA } = a?.body ?? {};
  const { correlationId: _b, ...seenB } = b?.body ?? {};
  expect([a?.status, seenA]).toEqual([404, seenB]);
  expect(await gate.client(stranger.tenantId).knock(theirs.accessToken)).toBe(200);
});

test('an unbound refresh token works once; the second use ends the family', async () => {
  const person = await gate.hire();
  const client = gate.client(person.tenantId);
  const first = await client.enter(person);
  const second = await client.refresh(first.refreshToken);
  expect(second.status).toBe(200);
  expect((await other.client(person.tenantId).refresh(first.refreshToken)).body.code).toBe('SESSION_ENDED');
  expect((await client.refresh(second.body.refreshToken)).status).toBe(401);
  expect(await client.knock(second.body.accessToken)).toBe(401);
});
