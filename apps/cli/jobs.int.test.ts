import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import { type Id, idToUuid, newId } from '@ghasi/domain-primitives/ids';
import { defineJob } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { printing } from './fixtures/printed.ts';

const send = defineJob({
  name: 'billing.send-receipt',
  scope: 'tenant',
  input: z.strictObject({ guest: z.string() }),
  run: async () => {},
});
const reason = ['--reason', 'INC-17 the printer is back', '--actor', 'nadia'];

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

type Given = { id: Id<'job'>; tenant: string };

/** Waiting jobs of a tenant of its own; `givenUp` as a worker leaves those whose runs all failed. */
async function jobs(count: number, options: { givenUp?: boolean } = {}): Promise<Given[]> {
  const tenantId = newTenantId();
  const who = { tenantId, actor: testActor };
  const wanted = (ctx: Ctx) =>
    Promise.all(Array.from({ length: count }, () => enqueue(ctx, send, { guest: 'Amina' })));
  const ids = await tenantTransaction(database.open('billing', { max: 1 }), who, wanted);
  if (options.givenUp)
    await database.admin(
      `update jobs.job set state = 'failed', completed_on = now(), output = '{"message":"no paper"}' where id = any($1)`,
      [ids.map(idToUuid)],
    );
  return ids.map(id => ({ id, tenant: tenantId }));
}

const job = async (options?: { givenUp?: boolean }) => (await jobs(1, options))[0] as Given;
const statusOf = async (id: Id<'job'>) =>
  (await database.admin<{ status: string }>('select status from jobs.jobs where id = $1', [idToUuid(id)]))[0]
    ?.status;
const entries = (action: string) =>
  database.admin('select actor, reason, detail from brokers.operation where action = $1', [action]);

const melm = (args: string[]) =>
  printing({ DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret })(args);
const printed = (args: string[]) => melm(['jobs', ...args]);

test('JOB-26: a job that was given up is listed with its error and without its input, and is run again with a reason', async () => {
  const { id, tenant } = await job({ givenUp: true });
  const listed = await printed(['list', '--tenant', tenant]);
  expect(listed).toContain(id);
  expect(listed).toContain('no paper');
  expect(listed).not.toContain('Amina');
  expect(JSON.parse(await printed(['list', '--tenant', tenant, '--json']))).toMatchObject([
    { id, tenantId: tenant, type: 'billing.send-receipt', queue: 'default', status: 'dead_letter' },
  ]);

  expect(await printed(['retry', id, '--dry-run'])).toContain(
    '1 job would be given another run. Nothing was changed.',
  );
  await expect(printed(['retry', id])).rejects.toThrow(/Say why with --reason/);
  expect(await statusOf(id)).toBe('dead_letter');
  expect(await entries('jobs.retry')).toEqual([]);

  expect(await printed(['retry', id, ...reason])).toBe('1 job given another run.\n');
  expect(await statusOf(id)).toBe('pending');
  expect(await entries('jobs.retry')).toMatchObject([
    { actor: 'nadia', reason: 'INC-17 the printer is back', detail: { jobs: [{ id, tenantId: tenant }] } },
  ]);
  await expect(printed(['retry', id, ...reason])).rejects.toThrow(
    `"melm jobs retry" takes jobs that are dead_letter, canceled, failed. Nothing was changed: ${id} is pending`,
  );
  expect(await entries('jobs.retry')).toHaveLength(1);
});

test('JOB-26: all that were given up of a type and a tenant are run again, and nobody else’s', async () => {
  const [mine, other] = [await job({ givenUp: true }), await job({ givenUp: true })];
  const chosen = ['--all', '--type', 'billing.send-receipt', '--tenant', mine.tenant];
  expect(await printed(['retry', ...chosen, ...reason])).toBe('1 job given another run.\n');
  expect([await statusOf(mine.id), await statusOf(other.id)]).toEqual(['pending', 'dead_letter']);
});

test('JOB-26: more jobs than one piece are all run again; each piece is in the audit trail before it is changed', async () => {
  const [{ tenant } = await job()] = await jobs(1_051, { givenUp: true });
  const list = ['list', '--tenant', tenant];
  expect(await printed(list)).toMatch(/\n… and more than these 50; --limit shows them\n$/);
  expect(await printed([...list, '--limit', '1051'])).not.toContain('… and more');
  expect(JSON.parse(await printed([...list, '--json']))).toHaveLength(1_051);
  const retry = ['retry', '--all', '--tenant', tenant, ...reason];
  const counts = async () =>
    (
      await database.admin<{ count: number }>(
        `select (detail ->> 'count')::int as count from brokers.operation
         where action = 'jobs.retry' and detail -> 'filter' ->> 'tenantId' = $1
         order by at`,
        [tenant],
      )
    ).map(({ count }) => count);

  await database.admin(
    `alter table brokers.operation add constraint full_disk check (detail ->> 'count' <> '51')`,
  );
  await expect(printed(retry)).rejects.toThrow();
  await database.admin('alter table brokers.operation drop constraint full_disk');
  expect(JSON.parse(await printed([...list, '--json']))).toHaveLength(51);
  expect(await counts()).toEqual(Array(10).fill(100));

  expect(await printed(retry)).toBe('51 jobs given another run.\n');
  expect(await counts()).toEqual([...Array(10).fill(100), 51]);
});

test('JOB-26, DLQ-25: what was done to the jobs of one tenant is listed for it, and for no other tenant', async () => {
  const [mine, other] = [await job({ givenUp: true }), await job({ givenUp: true })];
  await printed(['retry', mine.id, '--reason', `INC-20 ${mine.tenant}`]);
  const operations = (tenant: string) => melm(['operations', '--tenant', tenant]);
  expect(await operations(mine.tenant)).toMatch(/ jobs\.retry +billing\.send-receipt +1\n +INC-20/);
  expect(await operations(other.tenant)).not.toContain(mine.tenant);
});

test('JOB-26: a job that waits is canceled; beside an id that has ended or that nobody knows nothing is', async () => {
  const [waiting, ended, unknown] = [await job(), await job({ givenUp: true }), newId('job')];
  await expect(printed(['cancel', waiting.id, ended.id, unknown, ...reason])).rejects.toThrow(
    `Nothing was changed: ${ended.id} is dead_letter; ${unknown} was not found`,
  );
  await expect(printed(['cancel', waiting.id, '--tenant', ended.tenant, ...reason])).rejects.toThrow(
    `${waiting.id} was not found`,
  );
  expect(await statusOf(waiting.id)).toBe('pending');
  expect(await entries('jobs.cancel')).toEqual([]);
  expect(await printed(['cancel', waiting.id, ...reason])).toBe('1 job canceled.\n');
  expect([await statusOf(waiting.id), await statusOf(ended.id)]).toEqual(['canceled', 'dead_letter']);
});

test('JOB-29: a run of a schedule that has another run waiting is left as it was, and melm says so', async () => {
  const [dead, next] = [await job({ givenUp: true }), await job()];
  await database.admin(`update jobs.job set singleton_key = 'nightly' where id = any($1)`, [
    [dead.id, next.id].map(idToUuid),
  ]);
  expect(await printed(['retry', dead.id, ...reason])).toBe(
    '0 jobs given another run. 1 job was left alone: changed meanwhile, or another run of the same schedule has not ended.\n',
  );
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined; // it would be ours
  expect(await statusOf(dead.id)).toBe('dead_letter');
});

test.for([
  [['retry', ...reason], /ids from "melm jobs list", or --all/],
  [['cancel', ...reason], /ids from "melm jobs list --status pending"\.$/],
  [['list', '--status', 'dead'], /No job is "dead"; a job is pending, running/],
  [['retry', 'job_nonsense', ...reason], /job/],
] as const)('melm jobs %j is refused in one line', async ([args, line]) => {
  const refusal = await printed([...args]).catch(error => error);
  expect(refusal).toBeInstanceOf(AppError);
  expect((refusal as AppError).message).toMatch(line);
});
