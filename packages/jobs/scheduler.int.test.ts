import { signal, waitUntil } from '@ghasi/testing/signal';
import { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BOSS_SCHEMA } from './construction.ts';
import { defineJob, every } from './define-job.ts';
import { type Harness, openHarness } from './fixtures/harness.ts';
import { freezeJobClock } from './fixtures/test-clock.ts';
import { sendOccurrence } from './scheduler.ts';

const system = { queue: 'scheduled', input: z.strictObject({}), scope: 'system' } as const;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => harness.rest());
afterAll(() => harness.close());

const rowsOf = (type: string, of: Harness = harness) =>
  of.database.admin<{ status: string; org_id: string | null; queue: string }>(
    'select status, org_id, queue from jobs.jobs where job_type = $1 order by created_at',
    [type],
  );

describe('workers run schedules', () => {
  test('X-151, JOB-28: an interval enqueues a job of the platform, which a worker runs, again and again', async () => {
    let runs = 0;
    const tick = defineJob({ ...system, name: 'shop.tick', run: async () => ++runs });
    await harness.work({ jobs: [every('1s', tick)] });
    await waitUntil('it ran twice', () => runs >= 2);
    expect((await rowsOf('shop.tick'))[0]).toEqual({ status: 'completed', org_id: null, queue: 'scheduled' });
  });

  test('a cron expression is kept by pg-boss and runs', async () => {
    const ran = signal();
    const minutely = defineJob({ ...system, name: 'shop.minutely', run: async () => ran.fire() });
    await harness.work({ jobs: [every('* * * * *', minutely, { zone: 'Asia/Kabul' })] });
    await ran.promise;
    const kept = await harness.database.admin('select name, key, cron, timezone from jobs.schedule');
    expect(kept).toEqual([
      { name: 'shop.scheduled', key: 'shop.minutely', cron: '* * * * *', timezone: 'Asia/Kabul' },
    ]);
  });

  test('a schedule that has left the code leaves the database; those of services hosted elsewhere stay', async () => {
    const mine = defineJob({ ...system, name: 'shop.nightly', run: async () => {} });
    const theirs = defineJob({ ...system, name: 'depot.nightly', run: async () => {} });
    await harness.work({ jobs: [every('0 3 * * *', mine)] });
    await harness.work({ jobs: [every('0 4 * * *', theirs)] });
    await harness.work({ jobs: [mine] });
    const kept = await harness.database.admin<{ key: string }>('select key from jobs.schedule');
    expect(kept.map(schedule => schedule.key)).toEqual(['depot.nightly']);
  });

  test('a cron expression that cannot be read stops the start', async () => {
    const wrong = defineJob({ ...system, name: 'shop.wrong', run: async () => {} });
    await expect(harness.work({ jobs: [every('61 * * * *', wrong)] })).rejects.toThrow();
    await expect(
      harness.work({ jobs: [every('0 3 * * *', wrong, { zone: 'Mars/Olympus' })] }),
    ).rejects.toThrow();
  });
});

describe('JOB-29: a schedule never overlaps itself', () => {
  test('while a run is waiting, running or between retries, none is added; after its end the next slot is free', async () => {
    const own = await openHarness();
    const clock = await freezeJobClock(own.database);
    const boss = await startBoss(own);
    try {
      const sweep = every('10s', defineJob({ ...system, name: 'shop.sweep', run: async () => {} }));
      const tryAll = async () => {
        // As if eight processes came at once.
        const sent = await Promise.all(Array.from({ length: 8 }, () => sendOccurrence(boss, sweep)));
        return sent.filter(Boolean).length;
      };
      const claim = async () => (await boss.fetch('shop.scheduled'))[0];

      expect(await tryAll()).toBe(1);
      await clock.advance(10);
      expect(await tryAll()).toBe(0); // waiting
      const first = await claim();
      await clock.advance(10);
      expect(await tryAll()).toBe(0); // running
      await boss.fail('shop.scheduled', first as never);
      await clock.advance(10);
      expect(await tryAll()).toBe(0); // between retries
      const second = await claim();
      expect(second).toMatchObject({ id: first?.id, retryCount: 1 });
      await boss.complete('shop.scheduled', second as never);
      expect(await tryAll()).toBe(1); // a new slot, and nothing unfinished
      await boss.complete('shop.scheduled', (await claim()) as never);
      expect(await tryAll()).toBe(0); // this slot has had its run
      await clock.advance(10);
      expect(await tryAll()).toBe(1);
      expect((await rowsOf('shop.sweep', own)).map(row => row.status)).toEqual([
        'completed',
        'completed',
        'pending',
      ]);
    } finally {
      await boss.stop({ graceful: false });
      await own.close();
    }
  });

  test('two processes with a slow job: one run at a time', async () => {
    const slotNow = async () => {
      const [found] = await harness.database.admin<{ slot: number }>(
        'select floor(extract(epoch from now()))::int as slot',
      );
      return found?.slot ?? 0;
    };
    let running = 0;
    let most = 0;
    let runs = 0;
    const slow = defineJob({
      ...system,
      name: 'shop.slow-sweep',
      async run() {
        most = Math.max(most, ++running);
        const slot = await slotNow();
        await waitUntil('the next slot has begun', async () => (await slotNow()) > slot);
        running--;
        runs++;
      },
    });
    await harness.work({ jobs: [every('1s', slow)], concurrency: { scheduled: 3 } });
    await harness.work({ jobs: [every('1s', slow)], concurrency: { scheduled: 3 } });
    await waitUntil('three runs are over', () => runs >= 3);
    expect(most).toBe(1);
  });
});

async function startBoss(of: Harness): Promise<PgBoss> {
  const connectionString = of.database.roleUrl('jobs_worker');
  const boss = new PgBoss({
    connectionString,
    schema: BOSS_SCHEMA,
    migrate: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  return boss.start();
}
