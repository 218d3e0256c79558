import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { quickLoad } from '@ghasi/testing/quick-load';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deskMigrations } from './fixtures/desk.ts';
import { newKey, sampleBooking } from './fixtures/desk-client.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [deskMigrations] });
});
afterAll(() => database.drop());

const script = fileURLToPath(new URL('./fixtures/crash-server.ts', import.meta.url));

/** Starts a server process; `failpoints` may kill it. */
async function startServer(tenantId: string, failpoints = '') {
  const child = spawn(process.execPath, [script], {
    env: {
      ...process.env,
      ...quickLoad,
      DESK_URL: database.roleUrl('svc_desk'),
      TENANT_ID: tenantId,
      MELM_FAILPOINTS: failpoints,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = once(child, 'exit') as Promise<[number | null, string | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await died;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { address, token } = JSON.parse(line) as { address: string; token: string };
  const book = async (key: string) => {
    const reply = await fetch(`${address}/v1/bookings`, {
      method: 'POST',
      body: JSON.stringify(sampleBooking),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
    });
    return {
      status: reply.status,
      replayed: reply.headers.get('idempotency-replayed') === 'true',
      body: await reply.text(),
    };
  };
  return { book, died };
}

const bookingsOf = async (tenantId: string) =>
  (await database.admin('select 1 from desk.bookings where tenant_id = $1', [tenantId])).length;

test.each(['http.claimed', 'http.before-complete', 'http.completed', 'db.before-commit'])(
  'IDEM-12: a process killed at %s leaves a key that can be retried after its lease, with one effect in the end',
  async place => {
    const tenantId = newTenantId();
    const key = newKey();
    // The claim is the first transaction of the request, its effect the second.
    const failpoint = place.startsWith('db.') ? `${place}=crash@2` : `${place}=crash`;
    const doomed = await startServer(tenantId, failpoint);
    await expect(doomed.book(key)).rejects.toThrow();
    expect(await doomed.died).toEqual([null, 'SIGKILL']);
    expect(await bookingsOf(tenantId)).toBe(0);

    const next = await startServer(tenantId);
    expect((await next.book(key)).status).toBe(409);
    await database.admin(`update desk.idempotency set locked_until = now() where key = $1`, [key]);
    const done = await next.book(key);
    expect([done.status, done.replayed]).toEqual([201, false]);
    expect(await next.book(key)).toEqual({ ...done, replayed: true });
    expect(await bookingsOf(tenantId)).toBe(1);
  },
);

test('IDEM-02: a process killed after its commit has its answer replayed by the next one', async () => {
  const tenantId = newTenantId();
  const key = newKey();
  const doomed = await startServer(tenantId, 'http.committed=crash');
  await expect(doomed.book(key)).rejects.toThrow();
  await doomed.died;
  const next = await startServer(tenantId);
  const replay = await next.book(key);
  expect([replay.status, replay.replayed]).toEqual([201, true]);
  expect(await bookingsOf(tenantId)).toBe(1);
});
