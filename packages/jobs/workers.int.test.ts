import { sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { type Signal, signal, waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cancelJob, retryJob } from './administer.ts';
import { defineJob } from './define-job.ts';
import { enqueue, enqueueMany } from './enqueue.ts';
import { type Harness, openHarness } from './fixtures/harness.ts';
import { recordEffect } from './fixtures/record-effect.ts';
import { GiveUp, RetryLater } from './outcome.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => harness.rest());
afterAll(() => harness.close());

const nothing = z.strictObject({});
const quickBackoff = { baseSeconds: 1, maxSeconds: 1 };

describe('a job in the transaction of its tenant', () => {
  const clean = defineJob({
    name: 'shop.clean',
    input: z.strictObject({ room: z.string() }),
    scope: 'tenant',
    async run(ctx, { room }) {
      const seen = await row<{ tenant: string; role: string }>(
        ctx.tx,
        sql`select app.tenant_id() as tenant, current_user as role`,
      );
      await recordEffect(ctx, room);
      await recordEffect(ctx, room);
      return { ...seen, actor: ctx.actor, attempt: ctx.job.attempt };
    },
  });

  test('JOB-22, JOB-09, JOB-11, JOB-16: runs as its service for its tenant and keeps its result', async () => {
    const workers = await harness.work({ jobs: [clean] });
    const tenant = newTenantId();
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, clean, { room: '12' }));
    workers.wake();
    const done = await harness.untilStatus(id, 'completed');
    expect(done.result).toEqual({ tenant, role: 'svc_shop', actor: testActor, attempt: 1 });
    expect(done).toMatchObject({ worker_id: workers.id, retry_count: 0, error_message: null });
    expect(done.started_at).toBeInstanceOf(Date);
    expect(done.completed_at).toBeInstanceOf(Date);
    expect(await harness.effects(id)).toEqual([
      { tenant_id: tenant, job_id: id, attempt: 1, note: '12' },
      { tenant_id: tenant, job_id: id, attempt: 1, note: '12' },
    ]);
  });

  test('JOB-30: every run reports duration, rows touched and outcome', async () => {
    const [line] = harness.lines.filter(one => one.msg === 'job run ended' && one.jobType === 'shop.clean');
    expect(line).toMatchObject({
      outcome: 'completed',
      rows: 2,
      service: 'shop',
      queue: 'default',
      attempt: 1,
    });
    expect(line?.durationMs).toEqual(expect.any(Number));
  });
});

test('JOB-06, JOB-24: the most urgent job first, and no queue waits for another', async () => {
  const order: string[] = [];
  const started = signal();
  const held = signal();
  const step = defineJob({
    name: 'shop.step',
    input: z.strictObject({ name: z.string() }),
    scope: 'tenant',
    async run(_ctx, { name }) {
      order.push(name);
      if (name !== 'first') return;
      started.fire();
      await held.promise;
    },
  });
  const pay = defineJob({
    name: 'shop.pay',
    queue: 'critical',
    input: nothing,
    scope: 'tenant',
    run: async () => {},
  });
  const tenant = newTenantId();
  await harness.inShop(tenant, ctx => enqueue(ctx, step, { name: 'first' }));
  await harness.work({ jobs: [step, pay], concurrency: { default: 1 } });
  await started.promise;
  const ids = await harness.inShop(tenant, ctx =>
    enqueueMany(ctx, step, [
      { input: { name: 'p1' }, priority: 1 },
      { input: { name: 'p10' }, priority: 10 },
      { input: { name: 'p5' } },
    ]),
  );
  const paid = await harness.inShop(tenant, ctx => enqueue(ctx, pay, {}));
  await harness.untilStatus(paid, 'completed');
  held.fire();
  for (const id of ids) await harness.untilStatus(id, 'completed');
  expect(order).toEqual(['first', 'p10', 'p5', 'p1']);
});

test('a noisy tenant leaves a place to the others', async () => {
  const held = signal();
  const running: TenantId[] = [];
  const slow = defineJob({
    name: 'shop.slow',
    queue: 'bulk',
    input: nothing,
    scope: 'tenant',
    async run(ctx) {
      running.push(ctx.tenantId);
      await held.promise;
    },
  });
  const [noisy, quiet] = [newTenantId(), newTenantId()];
  const flood = Array.from({ length: 20 }, () => ({ input: {} }));
  await harness.inShop(noisy, ctx => enqueueMany(ctx, slow, flood.slice(0, 2)));
  const workers = await harness.work({ jobs: [slow], concurrency: { bulk: 3 } });
  await waitUntil('two of the noisy run', () => running.length === 2);
  await harness.inShop(noisy, ctx => enqueueMany(ctx, slow, flood));
  const id = await harness.inShop(quiet, ctx => enqueue(ctx, slow, {}));
  workers.wake();
  await waitUntil('the quiet one runs', () => running.includes(quiet));
  expect(running).toEqual([noisy, noisy, quiet]);
  held.fire();
  await harness.untilStatus(id, 'completed');
});

describe('a job that fails', () => {
  test('X-149, JOB-12, JOB-14, JOB-17, JOB-20: is run four times, then it is a dead letter, without effect', async () => {
    const bad = defineJob({
      name: 'shop.bad',
      input: nothing,
      scope: 'tenant',
      backoff: quickBackoff,
      async run(ctx) {
        await recordEffect(ctx, 'must not stay');
        throw new Error(`run ${ctx.job.attempt} failed for guest@example.com`);
      },
    });
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, bad, {}));
    await harness.work({ jobs: [bad], deadLetterThreshold: 1 });
    const waiting = await harness.untilStatus(id, 'failed');
    expect(waiting.next_retry_at).toBeInstanceOf(Date);
    const dead = await harness.untilStatus(id, 'dead_letter');
    expect(dead).toMatchObject({ retry_count: 4, max_retries: 3, result: null, next_retry_at: null });
    expect(dead.error_message).toMatch(/^run 4 failed for /);
    expect(dead.error_message).not.toContain('guest@example.com');
    expect(await harness.effects(id)).toEqual([]);
    const ends = harness.lines.filter(one => one.msg === 'job run ended' && one.jobType === 'shop.bad');
    expect(ends.map(one => one.outcome)).toEqual(['retry', 'retry', 'retry', 'dead_letter']);
    await waitUntil('OBS-33: the threshold was noticed', () =>
      harness.lines.some(one => one.deadLetters === 1 && one.queue === 'default'),
    );
  });

  test('JOB-26: a dead letter retried by hand gets one more run', async () => {
    let broken = true;
    const flaky = defineJob({
      name: 'shop.flaky',
      input: nothing,
      scope: 'tenant',
      maxRetries: 0,
      async run(ctx) {
        if (broken) throw new Error('still broken');
        await recordEffect(ctx, 'mended');
      },
    });
    const tenant = newTenantId();
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, flaky, {}));
    const workers = await harness.work({ jobs: [flaky] });
    await harness.untilStatus(id, 'dead_letter');
    broken = false;
    // Another tenant cannot, and does not learn that the job exists.
    expect(await harness.inShop(newTenantId(), ctx => retryJob(ctx, id))).toBe(false);
    expect(await harness.inShop(tenant, ctx => retryJob(ctx, id))).toBe(true);
    workers.wake();
    const done = await harness.untilStatus(id, 'completed');
    expect(done.retry_count).toBe(1);
    expect(await harness.effects(id)).toHaveLength(1);
    expect(await harness.inShop(tenant, ctx => retryJob(ctx, id))).toBe(false);
  });

  test('JOB-26: a job that waits for its next retry can be made to wait no longer', async () => {
    const later = defineJob({
      name: 'shop.later',
      input: nothing,
      scope: 'tenant',
      async run(ctx) {
        if (ctx.job.attempt === 1) throw new RetryLater(3_600_000, 'the vendor is closed');
        return 'done';
      },
    });
    const tenant = newTenantId();
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, later, {}));
    const workers = await harness.work({ jobs: [later] });
    const waiting = await harness.untilStatus(id, 'failed');
    expect(waiting.error_message).toBe('the vendor is closed');
    expect(Number(waiting.next_retry_at) - Number(waiting.started_at)).toBeGreaterThan(3_500_000);
    expect(await harness.inShop(tenant, ctx => retryJob(ctx, id))).toBe(true);
    workers.wake();
    expect((await harness.untilStatus(id, 'completed')).result).toBe('done');
  });

  test('gives up at once when it knows that no retry helps', async () => {
    const hopeless = defineJob({
      name: 'shop.hopeless',
      input: nothing,
      scope: 'tenant',
      async run() {
        throw new GiveUp('the property was deleted');
      },
    });
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, hopeless, {}));
    await harness.work({ jobs: [hopeless] });
    const dead = await harness.untilStatus(id, 'dead_letter');
    expect(dead).toMatchObject({ retry_count: 1, error_message: 'the property was deleted' });
  });

  test.each([
    ['half of a character', new GiveUp('it said \ud83d'), 'dead_letter', 'it said \ufffd'],
    [
      'a character on its edge',
      new GiveUp(`${'-'.repeat(1_999)}\u{1f642}`),
      'dead_letter',
      /^-{1999}\ufffd$/,
    ],
    ['no text at all', Object.create(null), 'failed', 'something was thrown that has no text'],
  ] as const)(
    'a reason with %s is kept, and the run ends as it asked for',
    async (_what, thrown, status, reason) => {
      const job = defineJob({
        name: 'shop.odd-reason',
        input: nothing,
        scope: 'tenant',
        async run() {
          throw thrown;
        },
      });
      const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, job, {}));
      await harness.work({ jobs: [job] });
      expect((await harness.untilStatus(id, status)).error_message).toMatch(reason);
      expect(harness.lines).toContainEqual(expect.objectContaining({ jobId: id, msg: 'job run ended' }));
    },
  );

  test('a job of another release, unknown or with another input, fails and says so', async () => {
    const name = 'shop.renamed';
    const older = defineJob({
      name,
      input: z.strictObject({ a: z.int() }),
      scope: 'tenant',
      run: async () => {},
    });
    const gone = defineJob({ name: 'shop.gone', input: nothing, scope: 'tenant', run: async () => {} });
    const newer = defineJob({
      name,
      input: z.strictObject({ b: z.int() }),
      scope: 'tenant',
      run: async () => {},
    });
    const tenant = newTenantId();
    const [misfit, unknown] = await harness.inShop(tenant, async ctx => [
      await enqueue(ctx, older, { a: 1 }),
      await enqueue(ctx, gone, {}),
    ]);
    await harness.work({ jobs: [newer] });
    expect((await harness.untilStatus(misfit as never, 'failed')).error_message).toContain('does not fit');
    expect((await harness.untilStatus(unknown as never, 'failed')).error_message).toContain(
      'no job is called',
    );
  });
});

test('X-150, JOB-21: a run that takes too long has failed; its signal tells it, and what it does later is not saved', async () => {
  const ended: Signal<string> = signal();
  const slow = defineJob({
    name: 'shop.too-slow',
    input: nothing,
    scope: 'tenant',
    timeoutSeconds: 1,
    maxRetries: 0,
    async run(ctx) {
      ctx.job.signal.addEventListener('abort', () => ended.fire('was told')); // a slow write may outlast the second
      await recordEffect(ctx, 'too late');
      await ended.promise;
    },
  });
  const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, slow, {}));
  await harness.work({ jobs: [slow] });
  expect(await ended.promise).toBe('was told');
  const dead = await harness.untilStatus(id, 'dead_letter');
  expect(dead).toMatchObject({
    retry_count: 1,
    error_message: expect.stringMatching(/exceeded 1s|timed out/),
  });
  expect(await harness.effects(id)).toEqual([]);
});

describe('JOB-26, X-150: cancel by hand', () => {
  const held: Signal<void>[] = [];
  const reached: Signal<void>[] = [];
  const long = defineJob({
    name: 'shop.long',
    input: z.strictObject({ n: z.int() }),
    scope: 'tenant',
    async run(ctx, { n }) {
      reached[n]?.fire();
      await recordEffect(ctx, 'canceled meanwhile');
      await held[n]?.promise;
    },
  });

  test('a job that waits never runs', async () => {
    const tenant = newTenantId();
    const runAt = new Date(Date.now() + 60_000);
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, long, { n: 9 }, { runAt }));
    expect(await harness.inShop(newTenantId(), ctx => cancelJob(ctx, id))).toBe(false);
    expect(await harness.inShop(tenant, ctx => cancelJob(ctx, id))).toBe(true);
    expect((await harness.job(id)).status).toBe('canceled');
    expect(await harness.inShop(tenant, ctx => cancelJob(ctx, id))).toBe(false);
  });

  test('a job that runs saves nothing; taken up again, it runs anew', async () => {
    held[0] = signal();
    reached[0] = signal();
    const tenant = newTenantId();
    const id = await harness.inShop(tenant, ctx => enqueue(ctx, long, { n: 0 }));
    const workers = await harness.work({ jobs: [long] });
    await reached[0].promise;
    expect((await harness.job(id)).status).toBe('running');
    expect(await harness.inShop(tenant, ctx => cancelJob(ctx, id))).toBe(true);
    held[0].fire();
    await waitUntil('the run has ended', () =>
      harness.lines.some(one => one.jobType === 'shop.long' && one.outcome === 'canceled'),
    );
    expect((await harness.job(id)).status).toBe('canceled');
    expect(await harness.effects(id)).toEqual([]);
    expect(await harness.inShop(tenant, ctx => retryJob(ctx, id))).toBe(true);
    workers.wake();
    await harness.untilStatus(id, 'completed');
    expect(await harness.effects(id)).toHaveLength(1);
  });
});

describe("transaction: 'none'", () => {
  test('a job opens its own transactions, each for its tenant, and ends with its result', async () => {
    const call = defineJob({
      name: 'shop.call-vendor',
      input: nothing,
      scope: 'tenant',
      transaction: 'none',
      async run(ctx) {
        expect('tx' in ctx).toBe(false);
        await ctx.transaction(inner => recordEffect(inner, 'intent'));
        await ctx.transaction(inner => recordEffect(inner, 'outcome'));
        const foreign = ctx.transaction(async () => {}, { tenantId: newTenantId() });
        await expect(foreign).rejects.toMatchObject({ code: 'WRONG_SCOPE' });
        return 'called';
      },
    });
    const id = await harness.inShop(newTenantId(), ctx => enqueue(ctx, call, {}));
    await harness.work({ jobs: [call] });
    expect((await harness.untilStatus(id, 'completed')).result).toBe('called');
    expect((await harness.effects(id)).map(effect => effect.note)).toEqual(['intent', 'outcome']);
    expect(harness.lines.find(one => one.jobType === call.name)).toMatchObject({
      rows: 2,
      outcome: 'completed',
    });
  });

  test('a job of the platform may work for one tenant after the other, and stays fenced', async () => {
    const tenants = [newTenantId(), newTenantId()];
    const round = defineJob({
      name: 'shop.round',
      queue: 'scheduled',
      input: nothing,
      scope: 'system',
      transaction: 'none',
      async run(ctx) {
        for (const tenantId of tenants)
          await ctx.transaction(inner => recordEffect(inner, 'visited'), { tenantId });
      },
    });
    const id = await harness.inShop(PLATFORM_TENANT_ID, ctx => enqueue(ctx, round, {}));
    await harness.work({ jobs: [round] });
    await harness.untilStatus(id, 'completed');
    expect((await harness.effects(id)).map(effect => effect.tenant_id).sort()).toEqual([...tenants].sort());
  });
});

test('X-093: a job that runs as maintenance sees the rows of all tenants', async () => {
  const tally = defineJob({
    name: 'shop.tally',
    queue: 'scheduled',
    input: nothing,
    scope: 'system',
    runAs: 'maintenance',
    async run(ctx) {
      const found = await row<{ tenants: bigint; role: string }>(
        ctx.tx,
        sql`select count(distinct tenant_id) as tenants, current_user as role from shop.effects`,
      );
      return { several: Number(found?.tenants) > 1, role: found?.role };
    },
  });
  const id = await harness.inShop(PLATFORM_TENANT_ID, ctx => enqueue(ctx, tally, {}));
  await harness.work({ jobs: [tally] });
  const done = await harness.untilStatus(id, 'completed');
  expect(done.result).toEqual({ several: true, role: 'maintenance' });
});

test('a key is free once its job has started: what is asked for during the run is not lost', async () => {
  const reached = signal();
  const held = signal();
  const seen: number[] = [];
  const reindex = defineJob({
    name: 'shop.reindex',
    input: z.strictObject({ version: z.int() }),
    scope: 'tenant',
    async run(_ctx, { version }) {
      seen.push(version);
      if (version > 1) return;
      reached.fire();
      await held.promise;
    },
  });
  const tenant = newTenantId();
  const ask = (version: number) =>
    harness.inShop(tenant, ctx => enqueue(ctx, reindex, { version }, { key: 'property-1' }));
  const first = await ask(1);
  await harness.work({ jobs: [reindex], concurrency: { default: 1 } });
  await reached.promise;
  const second = await ask(2);
  expect(await ask(3)).toBe(second);
  expect(second).not.toBe(first);
  held.fire();
  await harness.untilStatus(second, 'completed');
  expect(seen).toEqual([1, 3]);
});

test('twenty callers with one key against a busy worker: each finds its change done by a run that began after it', async () => {
  const bump = defineJob({
    name: 'shop.bump',
    input: z.strictObject({}),
    scope: 'tenant',
    async run(ctx) {
      const found = await row<{ most: number }>(
        ctx.tx,
        sql`select coalesce(max(attempt), 0) as most from shop.effects where job_id = 'counter'`,
      );
      await recordEffect(ctx, `saw ${found?.most}`);
    },
  });
  const tenant = newTenantId();
  const workers = await harness.work({ jobs: [bump], concurrency: { default: 2 } });
  const calls = Array.from({ length: 20 }, (_, n) =>
    harness.inShop(tenant, async ctx => {
      await execute(
        ctx.tx,
        sql`insert into shop.effects (tenant_id, job_id, attempt, note) values (${tenant}, 'counter', ${n + 1}, 'call')`,
      );
      workers.wake();
      return enqueue(ctx, bump, {}, { key: 'one' });
    }),
  );
  for (const id of new Set(await Promise.all(calls))) await harness.untilStatus(id, 'completed');
  const notes = await harness.database.admin<{ note: string }>(
    'select note from shop.effects where tenant_id = $1',
    [tenant],
  );
  // The last caller's change was seen, whichever run saw it.
  expect(notes.map(one => one.note)).toContain('saw 20');
});
