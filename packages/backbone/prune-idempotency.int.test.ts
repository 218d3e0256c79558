import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { startWorkers } from '@ghasi/jobs/workers';
import { createLogger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneIdempotency } from './prune-idempotency.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('IDEM-10, X-106: the hourly job removes the keys of all tenants whose 24 hours are over, and no other', async () => {
  const [a, b] = [newTenantId(), newTenantId()];
  for (const [tenant, key, age] of [
    [a, 'old', '25 hours'],
    [b, 'old', '25 hours'],
    [a, 'young', '23 hours'],
  ] as const) {
    await database.admin(
      `insert into tenant.idempotency (tenant_id, principal, operation, key, request_hash, state, created_at, expires_at)
       values ($1, 'operator:x', 'POST /x', $2, repeat('0', 64), 'FAILED', now() - $3::interval, now() - $3::interval + interval '24 hours')`,
      [tenant, key, age],
    );
  }
  const { job, recurrence } = pruneIdempotency('tenant');
  expect(recurrence).toMatchObject({ kind: 'cron', expression: expect.stringMatching(/^\d+ \* \* \* \*$/) });
  const tenant = database.open('tenant');
  const workers = await startWorkers({
    jobs: [job],
    databases: { tenant, 'role:maintenance': database.openAs('maintenance') },
    workerUrl: database.roleUrl('jobs_worker'),
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  try {
    await tenantTransaction(tenant, { tenantId: PLATFORM_TENANT_ID, actor: testActor }, ctx =>
      enqueue(ctx, job, {}),
    );
    workers.wake();
    const left = () =>
      database.admin<{ tenant_id: string; key: string }>('select tenant_id, key from tenant.idempotency');
    await waitUntil('the old keys are gone', async () => (await left()).length === 1);
    expect(await left()).toEqual([{ tenant_id: a, key: 'young' }]);
  } finally {
    await workers.stop();
  }
});
