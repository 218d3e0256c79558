import { sql } from '@ghasi/db/drizzle';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { every } from './define-job.ts';
import { defineSweep } from './define-sweep.ts';
import { type Harness, openHarness } from './fixtures/harness.ts';
import { recordEffect } from './fixtures/record-effect.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => harness.rest());
afterAll(() => harness.close());

test('one that cannot be looked after keeps nobody else waiting, and its round has failed', async () => {
  const [bad, good] = [newTenantId(), newTenantId()];
  const sweep = defineSweep<{ tenantId: TenantId }>({
    name: 'shop.round',
    most: 10,
    due: () => sql`select t as "tenantId" from unnest(array[${bad}, ${good}]::uuid[]) as t`,
    async each(ctx) {
      await recordEffect(ctx, 'looked after');
      if (ctx.tenantId === bad) throw new Error('its row is broken');
    },
  });
  await harness.work({ jobs: [every('1h', sweep)] });
  const failed = await waitUntil('the round is over', async () => {
    const [round] = await harness.database.admin<{ error_message: string | null }>(
      `select error_message from jobs.jobs where job_type = 'shop.round' and status <> 'running' and retry_count = 1`,
    );
    return round;
  });
  expect(failed.error_message).toBe('its row is broken');
  const effects = await harness.database.admin('select tenant_id from shop.effects');
  expect(effects).toEqual([{ tenant_id: good }]);
  expect(harness.lines).toContainEqual(
    expect.objectContaining({
      tenantId: bad,
      err: expect.objectContaining({ message: 'its row is broken' }),
    }),
  );
});

test('more rows that fail than one round takes hide none behind them', async () => {
  const bad = [newTenantId(), newTenantId(), newTenantId()];
  const good = newTenantId();
  const sweep = defineSweep<{ tenantId: TenantId }>({
    name: 'shop.crowded-round',
    maxRetries: 0, // the next round is the next try
    most: 2,
    due: (_, most) =>
      sql`select t as "tenantId"
          from unnest(${sql.param([...bad, good])}::uuid[]) with ordinality as u (t, n)
          order by n
          limit ${most}`,
    async each(ctx) {
      if (bad.includes(ctx.tenantId)) throw new Error('its row is broken');
      await recordEffect(ctx, 'looked after');
    },
  });
  await harness.work({ jobs: [every('1s', sweep)] });
  await waitUntil('the last one was looked after', async () => {
    const effects = await harness.database.admin('select from shop.effects where tenant_id = $1', [good]);
    return effects.length > 0;
  });
});
