import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { crashPoints, failpointsIn } from './fixtures/chaos/crash-points.ts';
import { flawless, isSettled, judge } from './fixtures/chaos/judge.ts';
import { marketMigrations } from './fixtures/chaos/market.ts';
import { spawnWorker } from './fixtures/chaos/spawn-worker.ts';
import type { WorkerTask } from './fixtures/chaos/worker-task.ts';

const EVENTS = 60;

let database: TestDatabase;
let admin: Client;
beforeAll(async () => {
  database = await testDatabase({ migrations: marketMigrations });
  admin = await openClient(database.adminUrl, 'judge');
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

test('every failpoint of db, backbone and brokers is crashed below', () => {
  expect(failpointsIn(['packages/db', 'packages/backbone', 'packages/brokers'])).toEqual(
    Object.keys(crashPoints).sort(),
  );
});

const committedBy = async (producer: number): Promise<number> => {
  const { rows } = await admin.query(
    'select count(*)::integer as n from orders.changes where producer = $1',
    [producer],
  );
  return rows[0].n;
};

/** A process that produces, moves and consumes; `failpoints` may kill it. */
function spawn(failpoints?: string) {
  const worker = spawnWorker(failpoints === undefined ? {} : { failpoints });
  onTestFinished(async () => {
    worker.kill();
    await worker.exited;
  });
  return worker;
}

const cases = Object.entries(crashPoints).flatMap(([name, { hits, task }], place) =>
  hits.map(hit => ({ name, hit, task, producer: 100 * place + hit })),
);

test.each(cases)(
  'OUTBOX-04, OUTBOX-39, INBOX-02: a process killed at $name (pass $hit) leaves nothing lost, doubled or out of order',
  async ({ name, hit, task, producer }) => {
    const doomed = spawn(`${name}=crash@${hit}`);
    const next = spawn();
    const taskFor = (events: number): WorkerTask => ({
      place: database,
      seed: producer,
      leaseMs: 1_000,
      roles: ['relay', 'consumer'],
      ...task,
      production: { producer, events, tenants: [newTenantId()], keys: 3, writers: 2 },
    });
    doomed.begin(taskFor(EVENTS)).catch(() => {}); // it may die while it starts
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });

    const { fails: _, ...rest } = taskFor(EVENTS - (await committedBy(producer)));
    await next.begin(rest);
    await waitUntil('the next one has done the rest', async () => (await committedBy(producer)) >= EVENTS);
    await waitUntil('everything has settled', () => isSettled(admin));
    const { verdict, examples } = await judge(admin);
    expect(verdict, examples.join('\n')).toEqual(flawless);
  },
);
