import { hours } from '@ghasi/domain-primitives/duration';
import { newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOperators } from './demo.ts';
import { type Gate, openGate } from './fixtures/gate.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const use = '/api/v1/auth/password-links/use';

async function hotel() {
  const owner = await gate.hire({ roles: ['owner'] });
  const client = gate.client(owner.tenantId);
  const boss = await client.enter(owner);
  const invite = (email: string) => client.send('POST', '/api/v1/operators', { email, name: 'Zar' }, boss);
  return { owner, client, boss, invite };
}

describe('invitations', () => {
  test('an invited person sets a password with the link, once, and can then sign in', async () => {
    const { owner, client, invite } = await hotel();
    const made = await invite('zar@hotel.test');
    expect(made.status).toBe(201);
    gate.setMembership(
      { tenantId: owner.tenantId, operatorId: made.body.operatorId },
      { roles: ['front_desk'] },
    );
    const { token } = made.body.link;
    const weak = await client.send('POST', use, { token, password: 'password1' });
    expect(weak.body.code).toBe('PASSWORD_REFUSED');
    const password = 'a garden in Herat';
    expect((await client.send('POST', use, { token, password })).status).toBe(204);
    expect((await client.send('POST', use, { token, password })).body.code).toBe('LINK_REFUSED');
    expect((await client.signIn({ email: 'ZAR@hotel.test', password })).status).toBe(200);
  });

  test('safety-37: used, expired, replaced, foreign and invented links look the same', async () => {
    const { client, boss, invite } = await hotel();
    const password = 'a garden in Herat';
    const [used, late, replaced] = [
      await invite('1@h.test'),
      await invite('2@h.test'),
      await invite('3@h.test'),
    ];
    await client.send('POST', use, { token: used.body.link.token, password });
    const path = `/api/v1/operators/${replaced.body.operatorId}/link`;
    expect((await client.send('POST', path, undefined, boss)).status).toBe(201);
    const foreign = await (await hotel()).invite('4@h.test');
    gate.clock.advance(hours(72));
    const tokens = [used, late, replaced, foreign].map(({ body }) => body.link.token);
    const seen = await Promise.all(
      [...tokens, `melm_pl_${'A'.repeat(43)}`, ''].map(token =>
        client.send('POST', use, { token, password }),
      ),
    );
    const bodies = seen.map(({ status, body: { correlationId: _, ...body } }) =>
      JSON.stringify([status, body]),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(seen[0]).toMatchObject({ status: 410, body: { code: 'LINK_REFUSED' } });
  });

  test('an e-mail is taken once per hotel group, in any case, and free in every other', async () => {
    const [here, there] = [await hotel(), await hotel()];
    expect((await here.invite('same@hotel.test')).status).toBe(201);
    expect((await here.invite('SAME@hotel.test')).body.code).toBe('EMAIL_TAKEN');
    expect((await there.invite('same@hotel.test')).status).toBe(201);
  });
});

describe('closing and opening accounts', () => {
  test('a closed account cannot sign in, use its links or get new ones; it can be opened again', async () => {
    const { owner, client, boss } = await hotel();
    const person = await gate.hire({ tenantId: owner.tenantId });
    const at = (what: string) => `/api/v1/operators/${person.operatorId}/${what}`;
    const link = await client.send('POST', at('link'), undefined, boss);
    expect((await client.send('POST', at('disable'), undefined, boss)).status).toBe(204);
    expect((await client.signIn(person)).status).toBe(401);
    const used = await client.send('POST', use, { token: link.body.token, password: 'a garden in Herat' });
    expect(used.body.code).toBe('LINK_REFUSED');
    expect((await client.send('POST', at('link'), undefined, boss)).body.code).toBe('OPERATOR_STATUS');
    expect((await client.send('POST', at('disable'), undefined, boss)).body.code).toBe('OPERATOR_STATUS');
    expect((await client.send('POST', at('enable'), undefined, boss)).status).toBe(204);
    expect((await client.signIn(person)).status).toBe(200);
  });

  test('safety-54: an owner cannot be closed out, nor can anybody close himself', async () => {
    const { owner, client, boss } = await hotel();
    const second = await gate.hire({ tenantId: owner.tenantId, roles: ['owner'] });
    const close = (id: string) => client.send('POST', `/api/v1/operators/${id}/disable`, undefined, boss);
    expect((await close(second.operatorId)).body.code).toBe('OPERATOR_IS_OWNER');
    expect((await close(owner.operatorId)).body.code).toBe('OPERATOR_IS_YOU');
  });

  test('a manager cannot reset, sign out or close an owner, but can a clerk', async () => {
    const { owner, client } = await hotel();
    const manager = await gate.hire({ tenantId: owner.tenantId, roles: ['manager'] });
    const clerk = await gate.hire({ tenantId: owner.tenantId });
    const tokens = await client.enter(manager);
    // One after the other: a closed account gets no link.
    const statuses = async (id: string) => {
      const link = await client.send('POST', `/api/v1/operators/${id}/link`, undefined, tokens);
      const sessions = await client.send('DELETE', `/api/v1/operators/${id}/sessions`, undefined, tokens);
      const disable = await client.send('POST', `/api/v1/operators/${id}/disable`, undefined, tokens);
      return [link.status, sessions.status, disable.status];
    };
    expect(await statuses(owner.operatorId)).toEqual([403, 403, 403]);
    expect(await statuses(clerk.operatorId)).toEqual([201, 200, 204]);
  });

  test('a manager gets no link for those who watch over him; an owner does', async () => {
    const { owner, client, boss } = await hotel();
    const manager = await gate.hire({ tenantId: owner.tenantId, roles: ['manager'] });
    const tokens = await client.enter(manager);
    for (const role of ['manager', 'accountant', 'auditor'] as const) {
      const person = await gate.hire({ tenantId: owner.tenantId, roles: [role, 'front_desk'] });
      const path = `/api/v1/operators/${person.operatorId}/link`;
      expect((await client.send('POST', path, undefined, tokens)).status).toBe(403);
      expect((await client.send('POST', path, undefined, boss)).status).toBe(201);
    }
  });

  test("safety-10: another tenant's operator looks exactly like one that does not exist", async () => {
    const [here, there] = [await hotel(), await hotel()];
    const person = await gate.hire({ tenantId: there.owner.tenantId });
    const routes: [string, string][] = [
      ['POST', 'link'],
      ['POST', 'disable'],
      ['POST', 'enable'],
      ['DELETE', 'sessions'],
    ];
    for (const [method, what] of routes) {
      const [foreign, missing] = await Promise.all(
        [person.operatorId, newId('usr')].map(async id => {
          const body = method === 'POST' ? {} : undefined;
          const seen = await here.client.send(method, `/api/v1/operators/${id}/${what}`, body, here.boss);
          const { correlationId: _, ...rest } = seen.body;
          return [seen.status, rest];
        }),
      );
      expect(foreign).toEqual(missing);
      expect(foreign?.[0]).toBe(404);
    }
  });
});

test('accounts are listed a page at a time with signed cursors', async () => {
  const { owner, client, boss, invite } = await hotel();
  for (const n of [1, 2, 3, 4]) await invite(`p${n}@hotel.test`);
  const first = await client.send('GET', '/api/v1/operators?limit=3', undefined, boss);
  const second = await client.send(
    'GET',
    `/api/v1/operators?limit=3&cursor=${first.body.next}`,
    undefined,
    boss,
  );
  const emails = [...first.body.operators, ...second.body.operators].map(
    ({ email }: { email: string }) => email,
  );
  expect(emails).toEqual([owner.email, 'p1@hotel.test', 'p2@hotel.test', 'p3@hotel.test', 'p4@hotel.test']);
  expect(second.body.next).toBeNull();
  expect(Object.keys(first.body.operators[0]).sort()).toEqual(['createdAt', 'email', 'id', 'name', 'status']);
  const list = await client.send('GET', `/api/v1/security-log?cursor=${first.body.next}`, undefined, boss);
  expect(list.status).toBe(400);
});

test('safety-13: closing an account twice with one Idempotency-Key closes it once and answers the same', async () => {
  const { owner, client, boss } = await hotel();
  const person = await gate.hire({ tenantId: owner.tenantId });
  const sending = { ...boss, headers: { 'idempotency-key': 'close-him-once-please' } };
  const path = `/api/v1/operators/${person.operatorId}/disable`;
  const [first, again] = [
    await client.send('POST', path, undefined, sending),
    await client.send('POST', path, undefined, sending),
  ];
  expect([first.status, again.status]).toEqual([204, 204]);
  expect(again.headers['idempotency-replayed']).toBe('true');
});

test("the platform adds a tenant's first account and no second one", async () => {
  const admin = await gate.hire({ tenantId: PLATFORM_TENANT_ID, roles: ['platform_admin'] });
  const client = gate.client(PLATFORM_TENANT_ID);
  const boss = await client.enter(admin);
  const tenantId = newTenantId();
  const add = (email: string, operatorId = newId('usr')) =>
    client.send(
      'POST',
      `/api/v1/platform/tenants/${tenantId}/first-operator`,
      { operatorId, email, name: 'O' },
      boss,
    );
  const operatorId = newId('usr');
  expect(await add('o@hotel.test', operatorId)).toMatchObject({ status: 201, body: { operatorId } });
  expect((await add('p@hotel.test')).body.code).toBe('TENANT_HAS_OPERATORS');
  const owner = await gate.hire({ roles: ['owner'] });
  const tokens = await gate.client(owner.tenantId).enter(owner);
  const path = `/api/v1/platform/tenants/${owner.tenantId}/first-operator`;
  const body = { operatorId: newId('usr'), email: 'x@hotel.test', name: 'X' };
  expect((await gate.client(owner.tenantId).send('POST', path, body, tokens)).status).toBe(403);
});

test('demo people are seeded once, can sign in, and get a proper hash when they do', async () => {
  const tenantId = newTenantId();
  const person = {
    tenantId,
    operatorId: newId('usr'),
    email: 'demo@hotel.test',
    name: 'Demo',
    password: 'melma-guest-house',
  };
  await seedOperators(gate.db, [person]);
  await seedOperators(gate.db, [{ ...person, password: 'something else' }]);
  gate.setMembership(person, { roles: ['owner'] });
  const hash = async () =>
    (
      await gate.database.admin<{ h: string }>(
        `select password_hash as h from iam.operators where email = 'demo@hotel.test'`,
      )
    )[0]?.h;
  expect(await hash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await gate.client(tenantId).signIn(person)).status).toBe(200);
  expect(await hash()).toMatch(/keyid=/);
  expect((await gate.client(tenantId).signIn(person)).status).toBe(200);
});
