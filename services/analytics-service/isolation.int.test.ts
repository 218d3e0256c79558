import { getTableName } from '@ghasi/db/drizzle';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { isolationContract } from '@ghasi/testing/isolation';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  isolationContract(service, () => ({ ...analytics, own: a, other: b }));
});

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
  const owned = Object.values(service.tables).map(getTableName);
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
