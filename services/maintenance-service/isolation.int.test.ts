import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { broken, type House, type Inn, inDays, openHouse, today } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Inn;
let b: Inn;
let foreign: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.inn(2), await house.inn(2)];
  for (const inn of [a, b]) {
    const owner = { tenantId: inn.tenantId, roles: ['owner'] };
    const ticket = await house.send(owner, 'POST', '/maintenance/tickets', broken(inn));
    const round = { propertyId: inn.propertyId, area: 'roof', category: 'other', severity: 'cosmetic' };
    const plan = { ...round, title: 'Look at the roof', everyDays: 30, nextDue: inDays(9) };
    const planned = await house.send(owner, 'POST', '/maintenance/plans', plan);
    foreign = { ticketId: ticket.body.id, planId: planned.body.id };
  }
});
afterAll(() => house.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('maintenance')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of maintenance.%s and none of B', async name => {
  const seen = await house.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant maintenance.%s is empty', async name => {
  const seen = await systemTransaction(house.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)('safety-7: a row of maintenance.%s cannot be written into another tenant', async name => {
  const copy = await house.inside(a.tenantId, ({ tx }) =>
    row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table(name)} t limit 1`),
  );
  const moved = JSON.stringify({ ...copy?.one, tenant_id: b.tenantId });
  const record = sql`select * from jsonb_populate_record(null::${table(name)}, ${moved}::jsonb)`;
  for (const attempt of [
    sql`insert into ${table(name)} ${record}`,
    sql`insert into ${table(name)} ${record} on conflict do nothing`,
    sql`update ${table(name)} set tenant_id = ${b.tenantId}`,
  ]) {
    const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test('safety-26: what was done with a ticket only grows', async () => {
  for (const attempt of [
    sql`update maintenance.steps set note = 'never'`,
    sql`delete from maintenance.steps`,
    sql`truncate maintenance.steps`,
  ]) {
    const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test('safety-6: the function that looks across tenants gives tenant ids, to this service only', async () => {
  const open = await house.database.admin<{ name: string; open: boolean }>(
    `select p.proname as name, has_function_privilege('svc_iam', p.oid, 'execute') as open
     from pg_proc p where p.pronamespace = 'maintenance'::regnamespace and p.prosecdef order by 1`,
  );
  expect(open).toEqual(expect.arrayContaining([{ name: 'tenants_with_due_plans', open: false }]));
  expect(open.some(one => one.open)).toBe(false);
});

test('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', async () => {
  const absent: Record<string, string> = { ticketId: newId('mtk'), planId: crypto.randomUUID() };
  const money = { amount: '0', currency: 'AFN' };
  const bodies: Record<string, object | undefined> = {
    ...{ assign: { assigneeId: newId('usr') }, start: {}, hold: { note: 'x' }, end: undefined },
    ...{ cancel: { resolution: 'duplicate' }, ':ticketId': { version: 1, title: 'x' } },
    close: { resolution: 'repaired', labour: { minutes: 0, cost: money } },
    block: { kind: 'out_of_order', from: today, until: inDays(1) },
    'follow-up': { title: 'x', severity: 'cosmetic' },
  };
  const withId = service.routes.filter(({ path }) => path.includes(':'));
  expect(withId.length).toBeGreaterThan(8);
  for (const { method, path } of withId) {
    const last = path.split('/').at(-1) as string;
    expect(method === 'GET' || last in bodies).toBe(true);
    const seen = [];
    for (const ids of [foreign, absent]) {
      const filled = path.replace('/api/v1', '').replace(/:(\w+)/g, (_, name: string) => ids[name] as string);
      const owner = { tenantId: a.tenantId, roles: ['owner'] };
      const reply = await house.send(owner, method, filled, method === 'GET' ? undefined : bodies[last]);
      seen.push({ status: reply.status, code: reply.body.code, detail: reply.body.detail });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.status).toBe(404);
  }
});

test('safety-10: rooms and houses of B cannot be named by A', async () => {
  const owner = { tenantId: a.tenantId, roles: ['owner'] };
  const tries = [
    broken(b),
    broken(a, { roomId: b.rooms[0] }),
    broken(a, { roomId: b.rooms[0], block: { kind: 'out_of_order', from: today, until: inDays(1) } }),
  ];
  for (const body of tries)
    expect(await house.send(owner, 'POST', '/maintenance/tickets', body)).toMatchObject({ status: 404 });
  for (const list of ['tickets', 'plans']) {
    const { body } = await house.send(owner, 'GET', `/maintenance/${list}?propertyId=${b.propertyId}`);
    expect(body[list]).toEqual([]);
  }
});
