import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPairing } from './commands/devices.ts';
import { finishSignIn } from './commands/finish-sign-in.ts';
import { disableOperator, inviteFirstOperator, inviteOperator, issueLink } from './commands/operators.ts';
import { setPasswordByLink } from './commands/passwords.ts';
import { refreshSession } from './commands/refresh-session.ts';
import { endSessions, type Me, switchRole } from './commands/sessions.ts';
import { signIn } from './commands/sign-in.ts';
import { newDevice } from './fixtures/device.ts';
import { enrolTotp } from './fixtures/enrol.ts';
import { type Gate, openGate, type Person, type Process } from './fixtures/gate.ts';
import { inTenant } from './iam.ts';

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
const meOf = (person: Person, sessionId: string): Me => ({
  operatorId: person.operatorId,
  sessionId: sessionId as Id<'ses'>,
  roles: [],
  proven: false,
});

/** Runs `work` 50 times at once on two processes; failures count as such, never as a crash of the test. */
function fifty<T>(work: (process: Process, n: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: 50 }, (_, n) => work(n % 2 ? gate : other, n)));
}

const fulfilled = <T>(results: PromiseSettledResult<T>[]): T[] =>
  results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));

const liveSessions = async (person: Person) => {
  const [row] = await gate.database.admin<{ n: bigint }>(
    `select count(*) as n from iam.sessions s join iam.operators o on (o.tenant_id, o.id) = (s.tenant_id, s.operator_id)
     where o.email = $1 and s.revoked_at is null`,
    [person.email],
  );
  return row?.n;
};

test('safety-54: 50 parallel invitations of one e-mail make one account', async () => {
  const tenantId = newTenantId();
  const results = await fifty(process =>
    inTenant(process.bare(tenantId), ctx => inviteOperator(ctx, { email: 'one@hotel.test', name: 'One' })),
  );
  expect(fulfilled(results)).toHaveLength(1);
  const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(new Set(reasons)).toEqual(new Set(['EMAIL_TAKEN']));
});

test('safety-54: 50 parallel first accounts of a tenant make one', async () => {
  const tenantId = newTenantId();
  const results = await fifty((process, n) =>
    inTenant(process.bare(tenantId), ctx =>
      inviteFirstOperator(ctx, { operatorId: newId('usr'), email: `o${n}@hotel.test`, name: 'O' }),
    ),
  );
  expect(fulfilled(results)).toHaveLength(1);
});

test('safety-54: 50 parallel uses of one invitation set one password', async () => {
  const tenantId = newTenantId();
  const { link } = await inTenant(gate.bare(tenantId), ctx =>
    inviteOperator(ctx, { email: 'a@h.test', name: 'A' }),
  );
  const results = await fifty((process, n) => {
    const input = { token: link.token, password: `a garden in Herat ${n}`, addressHash: 'test' };
    return setPasswordByLink(process.iam, process.bare(tenantId), input);
  });
  const outcomes = fulfilled(results).map(({ kind }) => kind);
  expect(outcomes.filter(kind => kind === 'changed')).toHaveLength(1);
  expect(outcomes.filter(kind => kind === 'refused')).toHaveLength(49);
});

test('safety-54: links issued in parallel leave one that works', async () => {
  const person = await gate.hire();
  const links = fulfilled(
    await fifty(process => inTenant(process.bare(person.tenantId), ctx => issueLink(ctx, person.operatorId))),
  );
  expect(links).toHaveLength(50);
  const [row] = await gate.database.admin<{ n: bigint }>(
    `select count(*) as n from iam.password_links l join iam.operators o on (o.tenant_id, o.id) = (l.tenant_id, l.operator_id)
     where o.email = $1 and l.used_at is null`,
    [person.email],
  );
  expect(row?.n).toBe(1n);
});

test('safety-18: 50 parallel uses of one pairing code pair one device', async () => {
  const owner = await gate.hire({ roles: ['owner'] });
  const { code } = await inTenant(gate.bare(owner.tenantId), ctx =>
    startPairing(ctx, { me: meOf(owner, ''), deviceName: 'Desk' }),
  );
  const results = await fifty(async process => {
    const device = await newDevice(gate.clock);
    const body = { code, publicKey: device.publicKey };
    return process.client(owner.tenantId).send('POST', '/api/v1/devices/pair', body, { device });
  });
  const statuses = fulfilled(results).map(({ status }) => status);
  expect(statuses.filter(status => status === 201)).toHaveLength(1);
  expect(statuses.filter(status => status === 403)).toHaveLength(49);
});

test('safety-18: 50 parallel refreshes of one token give one successor, and the copies end the family', async () => {
  const person = await gate.hire();
  const { refreshToken } = await gate.client(person.tenantId).enter(person);
  const outcomes = fulfilled(
    await fifty(process =>
      refreshSession(process.iam, process.bare(person.tenantId), { refreshToken, caller }),
    ),
  );
  expect(outcomes.filter(({ kind }) => kind === 'session')).toHaveLength(1);
  expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(49);
  expect(await liveSessions(person)).toBe(0n);
});

test('safety-20: 50 parallel uses of one recovery code give one session', async () => {
  const person = await gate.hire();
  const { recoveryCodes } = await enrolTotp(gate, person);
  const client = gate.client(person.tenantId);
  const challenges = await Promise.all(
    Array.from({ length: 5 }, async () => (await client.signIn(person)).body.challenge as string),
  );
  const outcomes = fulfilled(
    await fifty((process, n) =>
      finishSignIn(process.iam, process.bare(person.tenantId), {
        token: challenges[n % 5] ?? '',
        answer: { method: 'recovery', code: recoveryCodes[0] ?? '' },
        caller,
      }),
    ),
  );
  expect(outcomes.filter(({ kind }) => kind === 'session')).toHaveLength(1);
});

test('safety-17: no sign-in survives a disabling that races with it', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await gate.hire();
    await Promise.allSettled([
      ...Array.from({ length: 8 }, (_, n) => {
        const process = n % 2 ? gate : other;
        return signIn(process.iam, process.bare(person.tenantId), { ...person, caller });
      }),
      inTenant(other.bare(person.tenantId), ctx => disableOperator(ctx, person.operatorId)),
    ]);
    expect(await liveSessions(person)).toBe(0n);
  }
});

test('safety-17: no role switch or refresh survives a sign-out everywhere that races with it', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await gate.hire({ roles: ['manager', 'front_desk'] });
    const client = gate.client(person.tenantId);
    const [a, b] = [await client.enter(person), await client.enter(person)];
    const held = ['manager', 'front_desk'];
    const me = meOf(person, a.sessionId);
    await Promise.allSettled([
      inTenant(gate.bare(person.tenantId), ctx =>
        switchRole(gate.iam, ctx, { me, role: 'manager', held, refreshToken: a.refreshToken }),
      ),
      refreshSession(gate.iam, gate.bare(person.tenantId), { refreshToken: b.refreshToken, caller }),
      inTenant(other.bare(person.tenantId), ctx =>
        endSessions(ctx, { operatorId: person.operatorId }, 'revoked'),
      ),
    ]);
    // whatever order won: either the switch came first and its session ended too, or it found its session ended
    expect(await liveSessions(person)).toBe(0n);
  }
});

test('50 parallel role switches of one session leave one session', async () => {
  const person = await gate.hire({ roles: ['manager', 'front_desk'] });
  const { sessionId, refreshToken } = await gate.client(person.tenantId).enter(person);
  const me = meOf(person, sessionId);
  const results = await fifty(process =>
    inTenant(process.bare(person.tenantId), ctx =>
      switchRole(process.iam, ctx, { me, role: 'manager', held: ['manager', 'front_desk'], refreshToken }),
    ),
  );
  expect(fulfilled(results)).toHaveLength(1);
  expect(await liveSessions(person)).toBe(1n);
});
