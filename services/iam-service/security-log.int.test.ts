import { sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute } from '@ghasi/db/sql';
import { createLogger } from '@ghasi/telemetry/logger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate } from './fixtures/gate.ts';
import { inTenant } from './iam.ts';
import { securityEvents } from './queries/security-log.ts';

let gate: Gate;
const lines: string[] = [];
beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  gate = await openGate({ log: createLogger({ name: 'iam-test', level: 'trace', destination }) });
});
afterAll(() => gate.close());

const path = '/api/v1/security-log';

describe('safety-26: the security log only grows', () => {
  test.each([
    ['update', sql`update iam.security_log set event = 'x.y'`],
    ['delete', sql`delete from iam.security_log`],
    ['truncate', sql`truncate iam.security_log`],
    [
      'upsert',
      sql`insert into iam.security_log select * from iam.security_log on conflict (tenant_id, id) do update set actor = 'x'`,
    ],
  ])('%s is refused to the service', async (_, statement) => {
    const person = await gate.hire();
    await gate.client(person.tenantId).signIn(person);
    const attempt = inTenant(gate.bare(person.tenantId), ({ tx }) => execute(tx, statement));
    await expect(attempt).rejects.toSatisfy(isPrivilegeViolation);
  });

  test.each([
    'update iam.security_log set event = event',
    'delete from iam.security_log',
    'truncate iam.security_log',
  ])('even the administrator cannot: %s', async statement => {
    await expect(gate.database.admin(statement)).rejects.toThrow(/only grows/);
  });
});

test('what happened is there, newest first, for owners and auditors only', async () => {
  const owner = await gate.hire({ roles: ['owner'] });
  const { tenantId } = owner;
  const [auditor, manager] = [
    await gate.hire({ tenantId, roles: ['auditor'] }),
    await gate.hire({ tenantId, roles: ['manager'] }),
  ];
  const client = gate.client(tenantId);
  await client.signIn({ ...owner, password: 'wrong' });
  await client.signIn({ email: 'nobody@hotel.test', password: 'wrong' });
  const tokens = await client.enter(owner);
  const seen = await client.send('GET', path, undefined, tokens);
  expect(seen.body.entries.map((entry: { event: string }) => entry.event)).toEqual([
    'sign_in.accepted',
    'sign_in.refused',
    'sign_in.refused',
  ]);
  expect(seen.body.entries[0]).toMatchObject({ operatorId: owner.operatorId, sessionId: tokens.sessionId });
  expect(seen.body.entries[1].operatorId).toBeNull();
  expect((await client.send('GET', path, undefined, await client.enter(auditor))).status).toBe(200);
  expect((await client.send('GET', path, undefined, await client.enter(manager))).status).toBe(403);
});

test('safety-52: pages follow opaque cursors that are good for one tenant and one list', async () => {
  const owner = await gate.hire({ roles: ['owner'] });
  const client = gate.client(owner.tenantId);
  for (let n = 0; n < 6; n++) await client.signIn({ ...owner, email: `n${n}@hotel.test` });
  const tokens = await client.enter(owner);
  const all = (await client.send('GET', `${path}?limit=100`, undefined, tokens)).body.entries;
  const read: unknown[] = [];
  let next = '';
  for (let page = 0; page < 10; page++) {
    const { body } = await client.send(
      'GET',
      `${path}?limit=3${next && `&cursor=${next}`}`,
      undefined,
      tokens,
    );
    read.push(...body.entries);
    if (body.next === null) break;
    next = body.next;
  }
  expect(read).toEqual(all);
  const get = async (query: string, by = tokens, at = client) =>
    (await at.send('GET', `${path}?${query}`, undefined, by)).status;
  const statuses = await Promise.all(
    Array.from(next, (character, at) => {
      const other = character === 'A' ? 'B' : 'A';
      return get(`cursor=${next.slice(0, at)}${other}${next.slice(at + 1)}`);
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([400]));
  const stranger = await gate.hire({ roles: ['owner'] });
  const there = gate.client(stranger.tenantId);
  expect(await get(`cursor=${next}`, await there.enter(stranger), there)).toBe(400);
  expect(await get(`cursor=${next}&operatorId=${owner.operatorId}`)).toBe(400);
  expect(await get('limit=101')).toBe(400);
  expect(await get(`cursor=${next}`)).toBe(200);
});

test('safety-45: no password, token, code, secret or address is in the log, the log lines or the tables', async () => {
  const owner = await gate.hire({ roles: ['owner'], password: 'canary-password-of-the-owner' });
  const client = gate.client(owner.tenantId);
  const device = await pairDevice(gate, owner);
  const bound = await client.enter(owner, { device });
  const refreshed = await client.refresh(bound.refreshToken, { device });
  const app = await enrolTotp(gate, owner, { sending: { device } });
  const typo = 'canary-password-with-a-typo';
  await client.signIn({ ...owner, password: typo });
  const challenged = await client.signIn(owner);
  const used = { method: 'recovery', challenge: challenged.body.challenge, code: app.recoveryCodes[0] };
  const session = await client.send('POST', '/api/v1/auth/mfa', used);
  const invited = await client.send(
    'POST',
    '/api/v1/operators',
    { email: 'c@hotel.test', name: 'C' },
    session.body,
  );
  const secrets = [
    owner.password,
    typo,
    bound.refreshToken,
    bound.accessToken,
    refreshed.body.refreshToken,
    app.secret,
    ...app.recoveryCodes,
    challenged.body.challenge,
    invited.body.link.token,
  ];
  const tables = await gate.database.admin<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'iam'::regnamespace and relkind = 'r'`,
  );
  expect(tables.length).toBeGreaterThan(14);
  const dumps = await Promise.all(
    tables.map(({ name }) => gate.database.admin<{ row: string }>(`select t::text as row from ${name} t`)),
  );
  const stored = dumps
    .flat()
    .map(({ row }) => row)
    .join('\n');
  for (const secret of secrets) {
    expect(secret).toEqual(expect.any(String));
    const hex = Buffer.from(secret).toString('hex');
    expect(stored.includes(secret) || stored.includes(hex)).toBe(false);
    expect(lines.join('')).not.toContain(secret);
  }
  const log = await gate.database.admin<{ row: string }>('select t::text as row from iam.security_log t');
  expect(log.map(({ row }) => row).join('\n')).not.toMatch(/@hotel\.test|10\.\d+\.\d+\.\d+/);
});

test('every event this service can write has a name the table accepts', () => {
  for (const event of securityEvents) expect(event).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
});
