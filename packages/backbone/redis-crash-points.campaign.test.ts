import { randomUUID } from 'node:crypto';
import { openRedisStreamsBroker } from '@ghasi/brokers/redis-streams-broker';
import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { crashPoints, failpointsIn } from './fixtures/chaos/crash-points.ts';
import { flawless, judge } from './fixtures/chaos/judge.ts';
import { marketMigrations } from './fixtures/chaos/market.ts';
import { spawnWorker } from './fixtures/chaos/spawn-worker.ts';
import type { WorkerTask } from './fixtures/chaos/worker-task.ts';

const EVENTS = 60;
const consumers = ['stock-service', 'mail-service'];

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

const cases = Object.entries(crashPoints)
  .filter(([name]) => name.startsWith('broker.'))
  .flatMap(([name, { hits, task }], place) =>
    hits.map(hit => ({ name, hit, task, producer: 100 * place + hit })),
  );

test('every failpoint of the broker on Redis Streams is crashed below', () => {
  const here = failpointsIn(['packages/brokers/adapters/redis-streams']);
  expect(here).not.toEqual([]);
  expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(here));
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

describeWithRedis('on Redis Streams', url => {
  test.each(cases)(
    'OUTBOX-39, INBOX-02: a process killed at $name (pass $hit) leaves nothing lost, doubled or out of order',
    async ({ name, hit, task, producer }) => {
      const redis = { url, namespace: `test-${randomUUID()}` };
      const streams = await openRedisStreamsBroker({ ...redis, db: database.openAs('relay') });
      onTestFinished(() => streams.close());
      const taskFor = (events: number): WorkerTask => ({
        ...{ place: database, redis, seed: producer, leaseMs: 1_000, roles: ['relay', 'consumer'], ...task },
        production: { producer, events, tenants: [newTenantId()], keys: 3, writers: 2 },
      });
      const doomed = spawn(`${name}=crash@${hit}`);
      const next = spawn();
      doomed.begin(taskFor(EVENTS)).catch(() => {}); // it may die while it starts
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });

      const { fails: _, ...rest } = taskFor(EVENTS - (await committedBy(producer)));
      await next.begin(rest);
      // What the killed relay had taken is anybody's after 30 s; that has its own test.
      for (const schema of ['orders', 'stock'])
        await admin.query(`update ${schema}.outbox set lease_until = now() where lease_until > now()`);
      await waitUntil('the next one has done the rest', async () => (await committedBy(producer)) >= EVENTS);
      await waitUntil('everything has settled', async () => {
        const { verdict } = await judge(admin);
        const unread = [...(await streams.backlog(consumers)).values()];
        return verdict.unsent + verdict.parked === 0 && unread.every(count => count === 0);
      });
      const { verdict, examples } = await judge(admin);
      expect(verdict, examples.join('\n')).toEqual(flawless);
    },
  );
});
