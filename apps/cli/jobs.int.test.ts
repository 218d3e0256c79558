import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { defineJob } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { program } from './program.ts';

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

/** A waiting job of a tenant of its own; `givenUp` as a worker leaves one whose runs all failed. */
async function job(options: { givenUp?: boolean } = {}): Promise<{ id: Id<'job'>; tenant: string }> {
  const tenantId = newTenantId();
  const who = { tenantId, actor: testActor };
  const wanted = (ctx: Ctx) => enqueue(ctx, send, { guest: 'Amina' });
  const id = await tenantTransaction(database.open('billing', { max: 1 }), who, wanted);
  if (options.givenUp)
    await database.admin(
      `update jobs.job set state = 'failed', completed_on = now(), output = '{"message":"no paper"}' where id = $1`,
      [idToUuid(id)],
    );
  return { id, tenant: tenantId };
}

const statusOf = async (id: Id<'job'>) =>
  (await database.admin<{ status: string }>('select status from jobs.jobs where id = $1', [idToUuid(id)]))[0]
    ?.status;
const entries = (action: string) =>
  database.admin('select actor, reason, detail from brokers.operation where action = $1', [action]);

/** What a command prints, run in this process. */
async function printed(args: string[]): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation(line => void lines.push(`${line}\n`));
  vi.stubEnv('DATABASE_URL', database.adminUrl);
  vi.stubEnv('MELM_SECRET', database.secret);
  try {
    await program().parseAsync(['jobs', ...args], { from: 'user' });
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
  return lines.join('');
}

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
  expect(await printed(['retry', id, ...reason])).toBe('0 jobs given another run.\n');
});

test('JOB-26: all that were given up of a type and a tenant are run again, and nobody else’s', async () => {
  const [mine, other] = [await job({ givenUp: true }), await job({ givenUp: true })];
  const chosen = ['--all', '--type', 'billing.send-receipt', '--tenant', mine.tenant];
  expect(await printed(['retry', ...chosen, ...reason])).toBe('1 job given another run.\n');
  expect([await statusOf(mine.id), await statusOf(other.id)]).toEqual(['pending', 'dead_letter']);
});

test('JOB-26: a job that waits is canceled, one that was given up has ended already', async () => {
  const [waiting, ended] = [await job(), await job({ givenUp: true })];
  expect(await printed(['cancel', waiting.id, ended.id, ...reason])).toBe('1 job canceled.\n');
  expect([await statusOf(waiting.id), await statusOf(ended.id)]).toEqual(['canceled', 'dead_letter']);
});

test.for([
  [['retry', ...reason], /ids from "melm jobs list"/],
  [['list', '--status', 'dead'], /No job is "dead"; a job is pending, running/],
  [['retry', 'job_nonsense', ...reason], /job/],
] as const)('melm jobs %j is refused in one line', async ([args, line]) => {
  const refusal = await printed([...args]).catch(error => error);
  expect(refusal).toBeInstanceOf(AppError);
  expect((refusal as AppError).message).toMatch(line);
});
