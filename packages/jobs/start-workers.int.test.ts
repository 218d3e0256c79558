import { createMetrics } from '@ghasi/telemetry/metrics';
import { correlationId, inTraceOf, newCorrelation } from '@ghasi/telemetry/tracing';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BOSS_SCHEMA } from './construction.ts';
import { defineJob, every } from './define-job.ts';
import { enqueue, enqueueMany } from './enqueue.ts';
import { type Harness, openHarness } from './fixtures/harness.ts';
import { recordEffect } from './fixtures/record-effect.ts';
import { freezeJobClock } from './fixtures/test-clock.ts';
import { GiveUp } from './outcome.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => harness.rest());
afterAll(() => harness.close());

const plain = { input: z.strictObject({}), scope: 'tenant' } as const;

describe('a list of jobs that could not work is refused at the start', () => {
  test('two jobs of one name; one job and its schedule are fine', async () => {
    const job = () => defineJob({ ...plain, name: 'shop.twin', scope: 'system', run: async () => {} });
    await expect(harness.work({ jobs: [job(), job()] })).rejects.toMatchObject({ code: 'JOB_DEFINED_TWICE' });
    const one = job();
    await harness.work({ jobs: [one, every('1h', one)] });
  });

  test('a job with two schedules: a schedule is known by its job, so one of them would be lost', async () => {
    const job = defineJob({ ...plain, name: 'shop.twice', scope: 'system', run: async () => {} });
    for (const [one, other] of [
      ['0 3 * * *', '0 15 * * *'],
      ['10s', '1h'],
    ] as const) {
      const work = harness.work({ jobs: [every(one, job), every(other, job)] });
      await expect(work).rejects.toMatchObject({ code: 'JOB_SCHEDULED_TWICE' });
    }
    expect(await harness.database.admin('select from jobs.schedule')).toEqual([]);
  });

  test('a job without the database of its service', async () => {
    const job = defineJob({ ...plain, name: 'cellar.count', run: async () => {} });
    await expect(harness.work({ jobs: [job] })).rejects.toMatchObject({ code: 'NO_DATABASE' });
  });

  test('a service whose migrations did not ask for jobs', async () => {
    const job = defineJob({ ...plain, name: 'cellar.count', run: async () => {} });
    const refused = harness.work({ jobs: [job], databases: { cellar: harness.shop } });
    await expect(refused).rejects.toThrow(`select jobs.admit('cellar')`);
  });
});

test('a job that is committed in the process of its worker starts at once and waits for no poll', async () => {
  const job = defineJob({ ...plain, name: 'shop.quick', run: ctx => recordEffect(ctx, 'quick') });
  await harness.work({ jobs: [job], pollSeconds: 3_600 });
  const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, job, {}));
  expect((await harness.untilStatus(id, 'completed')).retry_count).toBe(0);
});

test('OBS-16, OBS-33, JOB-30: depth, duration, failures, outcome and rows are metrics, without a tenant', async () => {
  const metrics = createMetrics();
  // In a queue of its own: what an earlier test left in another one may be pending.
  const good = defineJob({
    ...plain,
    name: 'shop.good',
    queue: 'bulk',
    run: ctx => recordEffect(ctx, 'x'),
  });
  const bad = defineJob({
    ...plain,
    name: 'shop.bad',
    queue: 'critical',
    async run() {
      throw new GiveUp('never');
    },
  });
  const tenant = newTenantId();
  const runAt = new Date(Date.now() + 3_600_000);
  const [done, dead] = await harness.inShop(tenant, async ctx => {
    await enqueue(ctx, good, {}, { runAt }); // not due: no depth
    return [await enqueue(ctx, good, {}), await enqueue(ctx, bad, {})];
  });
  await harness.work({ jobs: [good, bad], metrics });
  await harness.untilStatus(done as never, 'completed');
  await harness.untilStatus(dead as never, 'dead_letter');
  const text = await waitUntil('pg-boss has counted', async () => {
    const rendered = await metrics.render();
    return (
      rendered.includes('melmastoon_job_queue_depth_count{queue="critical",state="dead_letter"} 1') &&
      rendered
    );
  });
  expect(text).toContain('melmastoon_job_queue_depth_count{queue="bulk",state="pending"} 0');
  const good1 = 'service="shop",queue="bulk",job_type="shop.good"';
  const bad1 = 'service="shop",queue="critical",job_type="shop.bad"';
  expect(text).toContain(`melmastoon_job_outcomes_total{${good1},outcome="completed"} 1`);
  expect(text).toContain(`melmastoon_job_rows_touched_total{${good1}} 1`);
  expect(text).toContain(`melmastoon_job_duration_seconds_count{${good1}} 1`);
  expect(text).toContain(`melmastoon_job_outcomes_total{${bad1},outcome="dead_letter"} 1`);
  expect(text).toContain(`melmastoon_job_failures_total{${bad1}} 1`);
  expect(text).not.toContain(tenant);
});

test('OBS-01: a job belongs to the trace that enqueued it', async () => {
  const job = defineJob({ ...plain, name: 'shop.traced', run: async () => correlationId() });
  const correlation = newCorrelation();
  const id = await inTraceOf({ correlationId: correlation }, () =>
    harness.inShop(newTenantId(), ctx => enqueue(ctx, job, {})),
  );
  await harness.work({ jobs: [job] });
  expect((await harness.untilStatus(id, 'completed')).result).toBe(correlation);
});

test('JOB-14, JOB-20: each retry waits twice as long as the one before, with jitter, up to a limit', async () => {
  const own = await openHarness();
  const clock = await freezeJobClock(own.database);
  const connectionString = own.database.roleUrl('jobs_worker');
  const boss = new PgBoss({
    connectionString,
    schema: BOSS_SCHEMA,
    migrate: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  try {
    const job = defineJob({
      ...plain,
      name: 'shop.backoff',
      maxRetries: 5,
      backoff: { baseSeconds: 10, maxSeconds: 100 },
      run: async () => {},
    });
    const ids = await own.inShop(newTenantId(), ctx => enqueueMany(ctx, job, Array(20).fill({ input: {} })));
    for (const [shortest, longest] of [
      [10, 20],
      [20, 40],
      [40, 80],
      [80, 100],
      [100, 100],
    ] as const) {
      const claimed = await boss.fetch('shop.default', { batchSize: ids.length });
      expect(claimed).toHaveLength(ids.length);
      await boss.fail('shop.default', claimed);
      const now = (await clock.now()).getTime();
      const jobs = await Promise.all(ids.map(id => own.job(id)));
      const waits = jobs.map(one => (Number(one.next_retry_at) - now) / 1_000);
      for (const wait of waits) {
        expect(wait).toBeGreaterThanOrEqual(shortest);
        expect(wait).toBeLessThanOrEqual(longest);
      }
      if (longest < 100) expect(new Set(waits).size).toBeGreaterThan(1);
      expect(new Set(jobs.map(one => one.status))).toEqual(new Set(['failed']));
      await clock.advance(longest);
    }
  } finally {
    await boss.stop({ graceful: false });
    await own.close();
  }
});
