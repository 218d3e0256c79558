import { openDatabase } from '@ghasi/db/database';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { days, hours, minutes } from '@ghasi/domain-primitives/duration';
import { newId } from '@ghasi/domain-primitives/ids';
import type { LooseJobCtx } from '@ghasi/jobs/define-job';
import { createLogger } from '@ghasi/telemetry/logger';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolTotp, pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate } from './fixtures/gate.ts';
import { iamSchedules, purgeSessions, rotateKeysJob } from './jobs.ts';

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const log = createLogger({ name: 'iam-test', level: 'silent' });

/** Runs a job the way a worker does: as the role it asks for, in transactions of its own. */
async function runAs(
  role: 'maintenance' | 'svc_iam',
  { work }: { work: unknown },
  input: object = {},
): Promise<void> {
  const { run } = work as { run(ctx: LooseJobCtx, input: object): Promise<unknown> };
  const db = openDatabase({ url: gate.database.roleUrl(role), service: role });
  const job = { id: newId('job'), attempt: 1, signal: new AbortController().signal };
  const who = { actor: testActor, now: gate.clock.now(), log };
  try {
    await systemTransaction(db, who, async ({ tx: _, ...ctx }) =>
      run(
        {
          ...ctx,
          db,
          job,
          transaction: (work, options) =>
            options?.tenantId === undefined
              ? systemTransaction(db, who, inner => work({ ...inner, job }))
              : tenantTransaction(db, { ...who, tenantId: options.tenantId }, inner =>
                  work({ ...inner, job }),
                ),
        },
        input,
      ),
    );
  } finally {
    await db.close();
  }
}

const count = async (table: string) =>
  (await gate.database.admin<{ n: number }>(`select count(*)::int as n from iam.${table}`))[0]?.n;
const purged = [
  'sessions',
  'refresh_tokens',
  'challenges',
  'attestations',
  'password_links',
  'device_pairings',
  'device_nonces',
  'attempts',
];

test('JOB-35: cleanup.purge_sessions removes what ended a day ago, of all tenants, and nothing younger', async () => {
  for (const password of ['the first hotel of two', 'the second hotel of two']) {
    const owner = await gate.hire({ roles: ['owner'], password });
    const client = gate.client(owner.tenantId);
    const device = await pairDevice(gate, owner);
    await client.enter(owner, { device });
    await client.send(
      'POST',
      '/api/v1/operators',
      { email: 'x@hotel.test', name: 'X' },
      await client.enter(owner),
    );
    const app = await enrolTotp(gate, owner);
    await client.send(
      'POST',
      '/api/v1/auth/step-up',
      { method: 'totp', code: app.code(), action: 'a.b' },
      app.tokens,
    );
    await client.signIn(owner);
    await client.signIn({ ...owner, password: 'wrong' });
  }
  const before = await Promise.all(purged.map(count));
  expect(before.every(n => (n ?? 0) >= 2)).toBe(true);
  const told = await count('outbox');
  gate.clock.advance(hours(12) - minutes(5));
  await runAs('maintenance', purgeSessions);
  expect(await Promise.all(purged.map(count))).toEqual(before);
  gate.clock.advance(days(5));
  await runAs('maintenance', purgeSessions);
  expect(await Promise.all(purged.map(count))).toEqual(purged.map(() => 0));
  expect(await count('operators')).toBe(4);
  expect(await count('security_log')).toBeGreaterThan(10);
  expect(await count('outbox')).toBe(told); // when a session ends by itself was told when it was issued
});

test('the rotation job works with the rights of the service alone', async () => {
  const job = rotateKeysJob(gate.iam);
  await gate.iam.signing.current(gate.db, gate.clock.now());
  const before = await count('signing_keys');
  const run = (distrust: boolean) => runAs('svc_iam', job, { distrust });
  await run(false);
  expect(await count('signing_keys')).toBe(before);
  gate.clock.advance(days(31));
  await run(false);
  expect(await count('signing_keys')).toBe((before ?? 0) + 1);
});

test('both come round by themselves', () => {
  const names = iamSchedules(gate.iam).map(({ job }) => [job.name, job.service, job.runAs]);
  expect(names).toEqual([
    ['cleanup.purge_sessions', 'iam', 'maintenance'],
    ['iam.rotate_keys', 'iam', 'service'],
  ]);
});
