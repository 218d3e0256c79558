import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summaryAnswer } from './answers.ts';
import { type Cast, dateOf, newCast } from './fixtures/cast.ts';
import { everythingHappens } from './fixtures/everything-happens.ts';
import { type Analytics, openAnalytics, service } from './fixtures/open-analytics.ts';
import { eventsOf } from './fixtures/story-events.ts';

let analytics: Analytics;
/** Both have a house with the same ids in it. */
const cast: Cast = newCast();
const [a, b] = [newTenantId(), newTenantId()] as [TenantId, TenantId];
beforeAll(async () => {
  analytics = await openAnalytics();
  for (const tenantId of [a, b]) {
    const spoken = eventsOf(everythingHappens, cast);
    await analytics.hear(tenantId, spoken);
    await analytics.compute(tenantId, cast.propertyId);
    await analytics.hear(tenantId, spoken.slice(0, 1)); // and something that waits to be computed
  }
});
afterAll(() => analytics.close());

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('analytics')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(analytics.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of analytics.%s and none of B', async name => {
  const seen = await analytics.inside(a, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a]));
});

test.each(owned)('safety-3: without a tenant analytics.%s is empty', async name => {
  const seen = await systemTransaction(analytics.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)(
  'safety-7: a row of analytics.%s cannot be moved or written into another tenant',
  async name => {
    const copy = await analytics.inside(a, ({ tx }) =>
      row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table(name)} t limit 1`),
    );
    const foreign = JSON.stringify({ ...copy?.one, tenant_id: b });
    const record = sql`select * from jsonb_populate_record(null::${table(name)}, ${foreign}::jsonb)`;
    for (const attempt of [
      sql`insert into ${table(name)} overriding system value ${record}`,
      sql`insert into ${table(name)} overriding system value ${record} on conflict do nothing`,
      sql`update ${table(name)} set tenant_id = ${b}`,
    ]) {
      const refused = analytics.inside(a, ({ tx }) => execute(tx, attempt));
      await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
    }
  },
);

test('safety-8: two tenants may have the same houses and bookings, and each counts its own', async () => {
  const ask = (tenantId: TenantId) =>
    summaryAnswer.handle(analytics.answering, {
      ...{ tenantId, propertyId: cast.propertyId, from: dateOf(0), until: dateOf(20), compare: null },
    }) as Promise<{ measures: { rooms: { sold: number } } }>;
  const [mine, theirs] = [await ask(a), await ask(b)];
  expect(mine.measures).toEqual(theirs.measures);
  expect(mine.measures.rooms.sold).toBeGreaterThan(0);
  const stranger = await ask(newTenantId());
  expect(stranger.measures.rooms).toEqual({
    rooms: 0,
    outOfOrder: 0,
    available: 0,
    sold: 0,
    arrivals: 0,
    departures: 0,
  });
});

test('safety-6: the functions that look across tenants give tenant ids, to this service only', async () => {
  const open = await analytics.database.admin<{ name: string; open: boolean }>(
    `select p.proname as name, has_function_privilege('svc_iam', p.oid, 'execute') as open
     from pg_proc p where p.pronamespace = 'analytics'::regnamespace and p.prosecdef order by 1`,
  );
  expect(open).toEqual(
    expect.arrayContaining([
      { name: 'tenants_behind', open: false },
      { name: 'tenants_with_numbers', open: false },
    ]),
  );
  expect(open.some(one => one.open)).toBe(false);
});

test('X-130: nothing here says who a guest is', async () => {
  const columns = await analytics.database.admin<{ column_name: string }>(
    `select column_name from information_schema.columns where table_schema = 'analytics' and table_name = any($1)`,
    [owned],
  );
  expect(columns.length).toBeGreaterThan(100);
  expect(columns.filter(one => /guest|name|phone|mail|address/.test(one.column_name))).toEqual([]);
  const samples = await analytics.database.admin<{ data: object }>(
    'select data from analytics.booking_samples',
  );
  expect(JSON.stringify(samples)).not.toMatch(/gst_|guestId/);
});
