import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Analytics, openAnalytics } from '../fixtures/open-analytics.ts';
import { projectHouse } from '../jobs.ts';
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
      changed(ctx, { propertyId: house, topic: 'house', days: [everything] });
      await computeSoon(ctx, 2_000);
      changed(ctx, { propertyId: house, topic: 'day', days: [everything] });
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

test('SAGA-22: a run waits for the change that counted on it and has not committed yet, and takes it in', async () => {
  const [tenantId, propertyId] = [newTenantId(), uuid7()];
  const change = (now: Date, work = async () => {}) =>
    tenantTransaction(analytics.db, { tenantId, actor: testActor, now }, async ctx => {
      changed(ctx, { propertyId, topic: 'house', days: [everything] });
      await computeSoon(ctx, 2_000);
      await work();
    });
  await change(second(0));
  const [noted, released] = [signal<void>(), signal<void>()];
  const late = change(second(1), () => {
    noted.fire();
    return released.promise;
  });
  await noted.promise;
  const transaction = (work: never) => analytics.inside(tenantId, work);
  const { run: project } = projectHouse.work as { run(ctx: object, input: object): Promise<unknown> };
  const run = project(
    { now: second(2), transaction },
    {
      propertyId: idFromUuid('pro', propertyId),
    },
  );
  await waitUntil('the run waits for the change', async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await analytics.database.admin(text)).length > 0;
  });
  released.fire();
  await Promise.all([late, run]);
  const [{ behind } = {}] = await analytics.database.admin<{ behind: boolean }>(
    `select min(c.source_watermark) < max(w.value) as behind
     from analytics.watermarks w
     join analytics.checkpoints c on c.tenant_id = w.tenant_id and c.scope_id = w.scope_id
     where w.tenant_id = $1`,
    [tenantId],
  );
  expect(behind).toBe(false);
});
