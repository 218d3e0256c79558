import { tenantTransaction } from '@ghasi/db/tenant-transaction';

import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Analytics, openAnalytics } from '../fixtures/open-analytics.ts';
import { everything } from '../projection/handler.ts';
import { changed, computeSoon } from './ingest.ts';

let analytics: Analytics;
beforeAll(async () => {
  analytics = await openAnalytics();
});
afterAll(() => analytics.close());

const second = (n: number) => new Date(Date.UTC(2026, 2, 21, 10, 0, n));

test('SAGA-22: a house is computed two seconds after a change; what changes until then needs no run of its own', async () => {
  const [tenantId, propertyId] = [newTenantId(), uuid7()];
  const change = (now: Date, house: string = propertyId) =>
    tenantTransaction(analytics.db, { tenantId, actor: testActor, now }, async ctx => {
      await changed(ctx, { propertyId: house, topic: 'house', days: [everything] });
      await computeSoon(ctx, 2_000);
      await changed(ctx, { propertyId: house, topic: 'day', days: [everything] });
      await computeSoon(ctx, 2_000);
    });
  const waiting = async () => {
    const found = await analytics.database.admin<{ start_after: Date }>(
      'select start_after from jobs.job where group_id = $1 order by start_after',
      [tenantId],
    );
    return found.map(({ start_after }) => start_after);
  };
  await change(second(0));
  expect(await waiting()).toEqual([second(2)]);
  await change(second(1));
  expect(await waiting()).toEqual([second(2)]);
  await change(second(1), uuid7());
  expect(await waiting()).toEqual([second(2), second(3)]);
  // The run was due and may have begun: what changes now is for the next one.
  await change(second(2));
  expect(await waiting()).toEqual([second(3), second(4)]);
});
