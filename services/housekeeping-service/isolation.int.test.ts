import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observe } from './commands/observe.ts';
import { FIRST_DAY, type House, type Inn, openHouse } from './fixtures/house.ts';
import { savePlan } from './queries/houses.ts';
import { saveBlock } from './queries/overlays.ts';
import { service } from './service.ts';

let house: House;
let a: Inn;
let b: Inn;
let foreign: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.inn(1), await house.inn(1)];
  for (const inn of [a, b]) {
    const [roomId] = inn.rooms as [Id<'rom'>];
    const { tenantId, propertyId } = inn;
    const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
    await house.hear(tenantId, booking.checkedIn(), booking.checkedOut({ businessDate: FIRST_DAY }));
    const discrepancy = await house.inside(tenantId, async ctx => {
      savePlan(ctx, { propertyId, kind: 'turndown', plan: { estimatedMinutes: 5, items: [] } });
      const days = { from: '2027-06-01', until: '2027-06-02' };
      const block = { ticketId: newId('mtk'), propertyId, roomId, kind: 'out_of_order', days } as const;
      await saveBlock(ctx, { ...block, returnCondition: 'dirty', ended: false }, 1);
      return observe(ctx, { roomId, occupancy: 'occupied', persons: 1 });
    });
    const [task] = await house.tasksOf(tenantId, roomId);
    const discrepancyId = discrepancy?.id as string;
    foreign = { propertyId, roomId, taskId: task?.id as string, discrepancyId, kind: 'turndown' };
  }
});
afterAll(() => house.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('housekeeping')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of housekeeping.%s and none of B', async name => {
  const seen = await house.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant housekeeping.%s is empty', async name => {
  const seen = await systemTransaction(house.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)('safety-7: a row of housekeeping.%s cannot be written into another tenant', async name => {
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

test('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', async () => {
  const absent: Record<string, string> = {
    ...{ propertyId: newId('pro'), roomId: newId('rom'), taskId: newId('hkt') },
    ...{ discrepancyId: crypto.randomUUID(), kind: 'turndown' },
  };
  const bodies: Record<string, object> = {
    ...{ assign: { assigneeId: newId('usr') }, start: {}, cancel: {}, complete: { outcome: 'done' } },
    ...{ inspect: { passed: true }, checklist: { done: [] }, observations: { occupancy: 'vacant' } },
    ...{ resolve: { decision: 'observation_wrong' }, ':kind': { estimatedMinutes: 5, items: [] } },
    ':propertyId': { stayoverService: true, deepCleanEvery: null },
  };
  const withId = service.routes.filter(({ path }) => path.includes(':'));
  expect(withId.length).toBeGreaterThan(8);
  const owner = { tenantId: a.tenantId, roles: ['owner'] };
  for (const { method, path } of withId) {
    const body = method === 'GET' ? undefined : bodies[path.split('/').at(-1) as string];
    expect(method === 'GET' || body !== undefined).toBe(true);
    const seen = [];
    for (const ids of [foreign, absent]) {
      const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] as string);
      const reply = await house.send(owner, method, filled.replace('/api/v1', ''), body);
      seen.push({ status: reply.status, code: reply.body.code, detail: reply.body.detail });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.status).toBe(404);
  }
  const boards = [foreign, absent].map(({ propertyId }) =>
    house.send(owner, 'GET', `/housekeeping/rooms?propertyId=${propertyId}`),
  );
  for (const reply of await Promise.all(boards)) expect(reply.status).toBe(404);
  for (const list of ['tasks', 'discrepancies']) {
    const { body } = await house.send(owner, 'GET', `/housekeeping/${list}?propertyId=${foreign.propertyId}`);
    expect(body[list]).toEqual([]);
  }
});

test('safety-8: two tenants may have the same room and ticket ids and learn nothing of each other', async () => {
  const [roomId] = b.rooms as [Id<'rom'>];
  const mine = a.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
  await house.hear(a.tenantId, mine.checkedIn());
  expect((await house.roomOf(a.tenantId, roomId)).state.occupancy).toBe('occupied');
  expect((await house.roomOf(b.tenantId, roomId)).state.occupancy).toBe('vacant');
});
