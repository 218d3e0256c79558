import { days, seconds } from '@ghasi/domain-primitives/duration';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revocationReasons, SessionIssued, SessionRevoked } from './events.ts';
import type { Client, Tokens } from './fixtures/client.ts';
import { enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person } from './fixtures/gate.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

/** What was told of one person's sessions, oldest first. */
async function told({ subject }: { subject: string }, person: Person) {
  return (await gate.published(person.tenantId)).filter(
    ({ topic, payload }) =>
      topic === subject && (payload as { operatorId: string }).operatorId === person.operatorId,
  );
}

const reasonsOf = async (event: { subject: string }, person: Person) =>
  (await told(event, person)).map(({ payload }) => {
    const { sessionId, reason } = payload as { sessionId: string; reason: string };
    return [sessionId, reason];
  });

async function arrive(roles: Parameters<Gate['hire']>[0] = {}) {
  const person = await gate.hire(roles);
  return { person, client: gate.client(person.tenantId) };
}

describe('EVT-02: session.issued', () => {
  test('a sign-in tells of its session; a wrong password tells nothing', async () => {
    const { person, client } = await arrive();
    await client.signIn({ ...person, password: 'wrong' });
    expect(await gate.published(person.tenantId)).toEqual([]);
    const { sessionId } = await client.enter(person);
    const issued = await told(SessionIssued, person);
    expect(issued).toMatchObject([{ aggregateId: sessionId, aggregateVersion: 1 }]);
    expect(issued[0]?.payload).toEqual({
      sessionId,
      operatorId: person.operatorId,
      deviceId: null,
      reason: 'signed_in',
      sequence: 0,
      amr: ['pwd'],
      actingRole: null,
      idleExpiresAt: new Date(gate.clock.now().getTime() + seconds(30 * 60)).toISOString(),
      expiresAt: new Date(gate.clock.now().getTime() + seconds(12 * 3600)).toISOString(),
    });
  });

  test('with a second factor it is told when the factor was right, and says which', async () => {
    const { person, client } = await arrive();
    const app = await enrolTotp(gate, person);
    const before = (await told(SessionIssued, person)).length;
    const { challenge } = (await client.signIn(person)).body;
    const answer = (code: string) =>
      client.send('POST', '/api/v1/auth/mfa', { method: 'totp', challenge, code });
    await answer('000000');
    expect(await told(SessionIssued, person)).toHaveLength(before);
    const { sessionId } = (await answer(app.code())).body;
    expect((await told(SessionIssued, person)).at(-1)?.payload).toMatchObject({
      sessionId,
      reason: 'signed_in',
      amr: ['pwd', 'otp', 'mfa'],
    });
  });

  test('each refresh is told under the next number and version, one after a lost reply too', async () => {
    const { person, client } = await arrive({ roles: ['owner'] });
    const device = await pairDevice(gate, person);
    const tokens = await client.enter(person, { device });
    const { sessionId, refreshToken } = tokens;
    await client.refresh(refreshToken, { device });
    const { body } = await client.refresh(refreshToken, { device }); // the reply before was lost
    await client.refresh(body.refreshToken, { device });
    await client.refresh(body.refreshToken); // without the device's key: refused
    const issued = (await told(SessionIssued, person)).filter(one => one.aggregateId === sessionId);
    const facts = issued.map(({ payload, aggregateVersion }) => {
      const { reason, sequence, deviceId } = payload as { [field: string]: unknown };
      return [reason, sequence, deviceId, aggregateVersion];
    });
    expect(facts).toEqual([
      ['signed_in', 0, device.kid, 1],
      ['refreshed', 1, device.kid, 2],
      ['refreshed', 2, device.kid, 3],
      ['refreshed', 3, device.kid, 4],
    ]);
  });

  test('a switch of roles ends one session and begins another; a role one has not does neither', async () => {
    const { person, client } = await arrive({ roles: ['manager', 'front_desk'] });
    const tokens = await client.enter(person);
    expect((await client.switchRole('owner', tokens)).status).toBe(403);
    const switched = (await client.switchRole('front_desk', tokens)).body as Tokens;
    expect(await reasonsOf(SessionRevoked, person)).toEqual([[tokens.sessionId, 'role_switched']]);
    const issued = await told(SessionIssued, person);
    expect(issued).toHaveLength(2);
    expect(issued[1]?.payload).toMatchObject({
      sessionId: switched.sessionId,
      reason: 'role_switched',
      actingRole: 'front_desk',
      sequence: 0,
    });
  });
});

/** How each end of a session comes about; returns the sessions that end, in any order. */
const endings: Record<(typeof revocationReasons)[number], (of: Scene) => Promise<Tokens[]>> = {
  async signed_out({ client, tokens }) {
    await client.send('POST', '/api/v1/auth/sign-out', undefined, tokens);
    await client.send('POST', '/api/v1/auth/sign-out', undefined, tokens);
    return [tokens];
  },
  async revoked({ client, person, tokens, boss }) {
    const [a, b, c] = [await client.enter(person), await client.enter(person), await client.enter(person)];
    await client.send('DELETE', `/api/v1/auth/sessions/${a.sessionId}`, undefined, tokens);
    await client.send('DELETE', `/api/v1/auth/sessions/${a.sessionId}`, undefined, tokens);
    await client.send('DELETE', '/api/v1/auth/sessions', undefined, tokens);
    await client.send('DELETE', `/api/v1/operators/${person.operatorId}/sessions`, undefined, boss);
    await client.send('DELETE', `/api/v1/operators/${person.operatorId}/sessions`, undefined, boss);
    return [tokens, a, b, c];
  },
  async refresh_reused({ client, tokens }) {
    await client.refresh(tokens.refreshToken);
    await client.refresh(tokens.refreshToken);
    await client.refresh(tokens.refreshToken);
    return [tokens];
  },
  async role_switched({ client, tokens }) {
    await client.switchRole('front_desk', tokens);
    return [tokens];
  },
  async factor_added({ client, person, tokens }) {
    const other = await client.enter(person);
    await enrolTotp(gate, person, { client, tokens });
    return [tokens, other];
  },
  async password_changed({ client, person, tokens }) {
    const other = await client.enter(person);
    const change = { currentPassword: person.password, newPassword: 'rivers run through it all' };
    const body = { ...change, endOtherSessions: true };
    await client.send('POST', '/api/v1/auth/password', { ...body, currentPassword: 'wrong' }, tokens);
    await client.send('POST', '/api/v1/auth/password', body, tokens);
    return [other];
  },
  async password_reset({ client, person, tokens, boss }) {
    const path = `/api/v1/operators/${person.operatorId}/link`;
    const { token } = (await client.send('POST', path, undefined, boss)).body;
    const use = { token, password: 'rivers run through it all' };
    await client.send('POST', '/api/v1/auth/password-links/use', use);
    await client.send('POST', '/api/v1/auth/password-links/use', use);
    return [tokens];
  },
  async operator_disabled({ client, person, tokens, boss }) {
    const sending = { ...boss, headers: { 'idempotency-key': 'close-his-account-once' } };
    const path = `/api/v1/operators/${person.operatorId}/disable`;
    await client.send('POST', path, undefined, sending);
    await client.send('POST', path, undefined, sending);
    await client.send('POST', path, undefined, boss);
    return [tokens];
  },
  async device_revoked({ client, person, owner, boss }) {
    const device = await pairDevice(gate, owner);
    const bound = [await client.enter(person, { device }), await client.enter(person, { device })];
    await client.send('DELETE', `/api/v1/devices/${device.kid}`, undefined, boss);
    await client.send('DELETE', `/api/v1/devices/${device.kid}`, undefined, boss);
    return bound;
  },
};

type Scene = { client: Client; owner: Person; boss: Tokens; person: Person; tokens: Tokens };

describe('EVT-03: session.revoked', () => {
  test.each(revocationReasons)(
    '%s: every session that ended is told and counted, once, and no other',
    async reason => {
      const { person: owner, client } = await arrive({ roles: ['owner'] });
      const person = await gate.hire({ tenantId: owner.tenantId, roles: ['housekeeping', 'front_desk'] });
      const scene = { client, owner, person, boss: await client.enter(owner) };
      const counted = async () => {
        const line = new RegExp(`^melmastoon_sessions_revoked_total\\{.*reason="${reason}"\\} (\\d+)$`, 'm');
        return Number(line.exec(await gate.metrics.render())?.[1] ?? 0);
      };
      const before = await counted();
      const ended = await endings[reason]({ ...scene, tokens: await client.enter(person) });
      const revoked = await reasonsOf(SessionRevoked, person);
      expect(revoked.sort()).toEqual(ended.map(({ sessionId }) => [sessionId, reason]).sort());
      expect(await counted()).toBe(before + ended.length);
      for (const { aggregateId, aggregateVersion } of await told(SessionRevoked, person)) {
        const issued = (await told(SessionIssued, person)).filter(one => one.aggregateId === aggregateId);
        expect(aggregateVersion).toBe(issued.length + 1);
      }
    },
  );

  test('removing the factors of somebody who lost them ends his sessions and tells it', async () => {
    const { person: owner, client } = await arrive({ roles: ['owner'] });
    const person = await gate.hire({ tenantId: owner.tenantId });
    const app = await enrolTotp(gate, person);
    const boss = await enrolTotp(gate, owner);
    const action = { action: 'iam.factors.reset', resource: person.operatorId };
    const confirm = { method: 'totp', code: boss.code(), ...action };
    const { attestationId } = (await client.send('POST', '/api/v1/auth/step-up', confirm, boss.tokens)).body;
    const headers = { 'step-up-attestation': attestationId };
    const path = `/api/v1/operators/${person.operatorId}/factors`;
    const remove = () => client.send('DELETE', path, undefined, { ...boss.tokens, headers });
    expect((await remove()).status).toBe(204);
    await remove(); // the confirmation is used up
    const revoked = await reasonsOf(SessionRevoked, person);
    expect(revoked).toEqual([
      [app.old.sessionId, 'factor_added'],
      [app.tokens.sessionId, 'revoked'],
    ]);
  });

  test('a session that ends by itself was told with its end; going out it tells nothing more', async () => {
    const { person, client } = await arrive();
    const tokens = await client.enter(person);
    const before = await gate.published(person.tenantId);
    gate.clock.advance(days(1));
    await client.send('POST', '/api/v1/auth/sign-out', undefined, tokens);
    await client.refresh(tokens.refreshToken);
    expect(await gate.published(person.tenantId)).toEqual(before);
  });
});
