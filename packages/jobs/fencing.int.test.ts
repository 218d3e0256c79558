import { openDatabase } from '@ghasi/db/database';
import { holdAt } from '@ghasi/testing/failpoints';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { carriesCommit, targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from './define-job.ts';
import { enqueue, enqueueMany } from './enqueue.ts';
import { crashJobs } from './fixtures/crash-jobs.ts';
import { type Harness, openHarness } from './fixtures/harness.ts';
import { recordEffect } from './fixtures/record-effect.ts';
import { spawnWorker } from './fixtures/spawn-worker.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => harness.rest());
afterAll(() => harness.close());

const RERUN_WITHIN_MS = 30_000;

describe('JOB-25: the job of a worker that died runs again within 30 s', () => {
  test('kill -9 in the middle of a job: it runs again, and its effect is there once', async () => {
    const { killedInTransaction } = crashJobs(() => {});
    const victim = spawnWorker(harness);
    await victim.said('ready');
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, killedInTransaction, {}));
    await victim.said('running:1');
    const before = await harness.job(id);
    expect(before.status).toBe('running');
    victim.process.kill('SIGKILL');
    await victim.exited;
    const heir = await harness.work({ jobs: [killedInTransaction] });
    const done = await harness.untilStatus(id, 'completed', { timeoutMs: RERUN_WITHIN_MS });
    expect(done).toMatchObject({ result: 2, retry_count: 1, worker_id: heir.id });
    expect(before.worker_id).not.toBe(heir.id);
    expect((await harness.effects(id)).map(effect => effect.attempt)).toEqual([2]);
  });

  test('kill -9 between the effect of a job and its end: it runs again, and its effect is there once', async () => {
    const { killedAtItsEnd } = crashJobs(() => {});
    const victim = spawnWorker(harness, 'jobs.before-complete=crash');
    await victim.said('ready');
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, killedAtItsEnd, {}));
    await victim.exited;
    expect(victim.process.signalCode).toBe('SIGKILL');
    expect(await harness.effects(id)).toEqual([]);
    await harness.work({ jobs: [killedAtItsEnd] });
    const done = await harness.untilStatus(id, 'completed', { timeoutMs: RERUN_WITHIN_MS });
    expect(done).toMatchObject({ result: 2, retry_count: 1 });
    expect((await harness.effects(id)).map(effect => effect.attempt)).toEqual([2]);
  });

  test('a worker that was frozen and thaws later is fenced off: neither its effect nor its end is saved', async () => {
    const { frozenBeforeStep } = crashJobs(() => {});
    const zombie = spawnWorker(harness);
    await zombie.said('ready');
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, frozenBeforeStep, {}));
    await zombie.said('running:1');
    zombie.process.kill('SIGSTOP');
    const heir = await harness.work({ jobs: [frozenBeforeStep] });
    const done = await harness.untilStatus(id, 'completed', { timeoutMs: RERUN_WITHIN_MS });
    zombie.process.kill('SIGCONT');
    zombie.process.stdin?.write('go on\n');
    await zombie.said('refused:LEASE_LOST');
    expect(await harness.job(id)).toEqual(done);
    expect(done).toMatchObject({ result: 2, retry_count: 1, worker_id: heir.id });
    expect((await harness.effects(id)).map(effect => effect.attempt)).toEqual([2]);
  });
});

test('a run that lost its job just before its commit saves nothing', async () => {
  const slow = defineJob({
    name: 'shop.late',
    input: z.strictObject({}),
    scope: 'tenant',
    run: ctx => recordEffect(ctx, 'late'),
  });
  const point = holdAt('jobs.before-complete');
  const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, slow, {}));
  await harness.work({ jobs: [slow] });
  await point.reached;
  // What the rescue of an expired lease and the claim by another worker leave behind.
  await harness.database.admin(
    `update jobs.job set retry_count = retry_count + 1, worker_id = 'other' where data->>'type' = 'shop.late'`,
  );
  point.release();
  await waitUntil('the run has ended', () =>
    harness.lines.some(line => line.jobType === 'shop.late' && line.outcome === 'fenced'),
  );
  expect(await harness.job(id)).toMatchObject({ status: 'running', worker_id: 'other' });
  expect(await harness.effects(id)).toEqual([]);
});

test('a claimed job cannot be given back, because its next claim would carry the same number', async () => {
  const reached = signal();
  const held = signal();
  const hold = defineJob({
    name: 'shop.hold',
    input: z.strictObject({}),
    scope: 'tenant',
    async run() {
      reached.fire();
      await held.promise;
    },
  });
  const tenant = newTenantId();
  const id = await harness.inShop(tenant, ctx => enqueue(ctx, hold, {}));
  await harness.work({ jobs: [hold] });
  await reached.promise;
  const giveBack = harness.database.admin(
    `update jobs.job set state = 'created', started_on = null where data->>'type' = 'shop.hold'`,
  );
  await expect(giveBack).rejects.toThrow('cannot be given back');
  held.fire();
  await harness.untilStatus(id, 'completed');
});

test('JOB-21: workers that stop let a running job end first', async () => {
  const reached = signal();
  const held = signal();
  const long = defineJob({
    name: 'shop.graceful',
    input: z.strictObject({}),
    scope: 'tenant',
    async run(ctx) {
      reached.fire();
      await held.promise;
      await recordEffect(ctx, 'finished');
    },
  });
  const tenant = newTenantId();
  const id = await harness.inShop(tenant, ctx => enqueue(ctx, long, {}));
  const workers = await harness.work({ jobs: [long] });
  await reached.promise;
  const stopped = workers.stop({ timeoutMs: 20_000 });
  const after = await harness.inShop(tenant, ctx => enqueue(ctx, long, {}));
  held.fire();
  await stopped;
  expect((await harness.job(id)).status).toBe('completed');
  // pg-boss hangs up on its listener before it tells the workers: one of them may have taken it still, and then it ended too.
  const { status } = await harness.job(after);
  expect(['pending', 'completed']).toContain(status);
  expect(await harness.effects(after)).toHaveLength(status === 'completed' ? 1 : 0);
  expect(await harness.effects(id)).toHaveLength(1);
});

test('connections cut before or after COMMIT leave every job done and every effect once', async () => {
  const job = defineJob({
    name: 'shop.cut',
    input: z.strictObject({}),
    scope: 'tenant',
    maxRetries: 50, // one run in three is cut before its commit
    backoff: { baseSeconds: 1, maxSeconds: 1 },
    run: ctx => recordEffect(ctx, 'once'),
  });
  const url = harness.database.roleUrl('svc_shop');
  let commits = 0;
  const proxy = await tcpProxy({
    target: targetOf(url),
    judge: chunk =>
      carriesCommit(chunk)
        ? ((['pass', 'cut-before', 'cut-after'] as const)[commits++ % 3] ?? 'pass')
        : 'pass',
  });
  const shop = openDatabase({ url: proxy.through(url), service: 'shop', log: harness.log });
  try {
    const ids = await harness.inShop(newTenantId(), ctx =>
      enqueueMany(ctx, job, Array(30).fill({ input: {} })),
    );
    await harness.work({ jobs: [job], databases: { shop } });
    for (const id of ids) await harness.untilStatus(id, 'completed', { timeoutMs: 30_000 });
    for (const id of ids) expect(await harness.effects(id)).toHaveLength(1);
    expect(commits).toBeGreaterThan(30);
  } finally {
    await harness.rest();
    await shop.close();
    await proxy.close();
  }
});
