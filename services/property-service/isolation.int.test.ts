import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeDay } from './commands/close-day.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
/** What belongs to B. */
let foreign: { propertyId: string; roomTypeId: string; roomId: string };
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [house.person(), house.person()];
  for (const who of [a, b]) {
    const { id: propertyId } = await house.property(who, { businessDate: '2026-03-20' });
    const { type, room } = await house.rooms(who, propertyId);
    const run = { propertyId, businessDate: '2026-03-20', open: [] };
    await house.inside(who.tenantId, ctx => closeDay(ctx, run), new Date('2026-03-21T00:00:00Z'));
    foreign = { propertyId, roomTypeId: type.id, roomId: room.id };
  }
});
afterAll(() => house.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('property')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of property.%s and none of B', async name => {
  const seen = await house.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant property.%s is empty', async name => {
  const seen = await systemTransaction(house.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)('safety-7: a row of property.%s cannot be written into another tenant', async name => {
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

test.each(['day_closes', 'room_type_specs'])('R1, safety-26: property.%s only grows', async name => {
  for (const attempt of [
    sql`update ${table(name)} set tenant_id = tenant_id`,
    sql`delete from ${table(name)}`,
    sql`truncate ${table(name)}`,
  ]) {
    const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
    await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
  }
});

test('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', async () => {
  const absent = { propertyId: newId('pro'), roomTypeId: newId('rty'), roomId: newId('rom') };
  const spec = (await house.send<{ draft: object }>(b, 'GET', `/room-types/${foreign.roomTypeId}`)).body
    .draft;
  const bodies: Record<string, object> = {
    'PATCH /api/v1/properties/:propertyId': { version: 1, checkInFrom: '10:00' },
    'PUT /api/v1/properties/:propertyId/amenities': { version: 1, amenities: [] },
    'POST /api/v1/properties/:propertyId/day-close': { businessDate: '2026-03-20' },
    'POST /api/v1/properties/:propertyId/room-types': { code: 'X', spec },
    'PUT /api/v1/room-types/:roomTypeId/draft': { version: 1, spec },
    'POST /api/v1/room-types/:roomTypeId/publish': { version: 1 },
    'POST /api/v1/properties/:propertyId/rooms': { roomTypeId: absent.roomTypeId, number: '1' },
    'POST /api/v1/rooms/:roomId/archive': { version: 1, closedFrom: '2026-05-01', reason: 'closed' },
  };
  const withId = service.routes.filter(({ path }) => path.includes(':'));
  expect(withId.length).toBeGreaterThan(10);
  for (const { method, path } of withId) {
    const body = bodies[`${method} ${path}`];
    expect(method === 'GET' || body !== undefined).toBe(true);
    const seen = [];
    for (const ids of [foreign, absent]) {
      const filled = path.replace(/:(\w+)/, (_, name: keyof typeof absent) => ids[name]);
      const reply = await house.send<{ detail: string }>(a, method, filled.replace('/api/v1', ''), body);
      seen.push({ status: reply.status, code: reply.body.code, detail: reply.body.detail });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.status).toBe(404);
  }
});
