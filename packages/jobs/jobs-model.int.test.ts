import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BOSS_SCHEMA } from './construction.ts';
import { type Effect, type Harness, type JobRow, openHarness } from './fixtures/harness.ts';
import { jobCommands, type RealJobs } from './fixtures/job-commands.ts';
import { type JobModel, metNothing, statusOf } from './fixtures/job-model.ts';
import { freezeJobClock, type TestClock } from './fixtures/test-clock.ts';

// CI runs 200 sequences; the nightly run asks for 20000.
const numRuns = Number(process.env.MELM_MODEL_RUNS ?? 200);

let harness: Harness;
let clock: TestClock;
let boss: PgBoss;
beforeAll(async () => {
  harness = await openHarness();
  clock = await freezeJobClock(harness.database);
  const connectionString = harness.database.roleUrl('jobs_worker');
  const quiet = {
    migrate: false,
    supervise: false,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
  } as const;
  boss = new PgBoss({ connectionString, schema: BOSS_SCHEMA, monitorIntervalSeconds: 1, ...quiet });
  boss.on('error', () => {});
  await boss.start();
});
afterAll(async () => {
  await boss.stop({ graceful: false });
  await harness.close();
});

test('M7: jobs in PostgreSQL behave as a multiset with a lease clock, whatever workers, tenants and the clock do', async () => {
  const met = metNothing();
  const sequences = fc.commands(jobCommands(), { maxCommands: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(sequences, async commands => {
      await harness.database.admin('delete from jobs.job');
      const model: JobModel = { now: 0, jobs: [], claims: [], met };
      const real: RealJobs = {
        harness,
        boss,
        clock,
        tenants: [newTenantId(), newTenantId()],
        start: await clock.now(),
      };
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await expectSame(model, real);
    }),
    { numRuns },
  );
  for (const [what, times] of Object.entries(met)) expect(times, `${what} was met`).toBeGreaterThan(0);
}, 600_000);

/** Every job as the model says, in the view and in what its runs have saved. */
async function expectSame(model: JobModel, real: RealJobs): Promise<void> {
  const found = await harness.database.admin<JobRow>('select * from jobs.jobs');
  const shown = new Map(found.map(job => [job.id, job]));
  expect(found).toHaveLength(model.jobs.length);
  const effects = await harness.database.admin<Effect>(
    'select * from shop.effects where tenant_id = any ($1)',
    [real.tenants],
  );
  for (const job of model.jobs) {
    expect(shown.get(idToUuid(job.id as Id<'job'>))).toMatchObject({
      status: statusOf(model, job),
      org_id: real.tenants[job.tenant],
      payload: { n: job.payload },
      priority: job.priority,
      retry_count: job.failedRuns,
      max_retries: job.limit,
    });
    const saved = effects.filter(effect => effect.job_id === job.id).map(effect => effect.attempt);
    expect(saved).toEqual(job.effectOf === undefined ? [] : [job.effectOf + 1]);
  }
}
