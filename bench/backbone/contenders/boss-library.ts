import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type Contender, groupsOf, type Place } from '../contender.ts';
import { bookingTransaction, createGround, effects, openPool, PRODUCERS } from '../ground.ts';
import { loadPeer } from '../peer.ts';

type Job = { data: { id: string } };
type Executor = { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
type Boss = {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  subscribe(event: string, queue: string): Promise<void>;
  send(queue: string, data: object, options: { db: Executor }): Promise<unknown>;
  publish(event: string, data: object, options: { db: Executor }): Promise<void>;
  insert(queue: string, jobs: Array<{ data: object }>): Promise<unknown>;
  work(queue: string, options: object, handler: (jobs: Job[]) => Promise<unknown>): Promise<string>;
};

const BATCH = 500;
const TOPIC = 'booking-confirmed';

/** pg-boss: `send` (one consumer) or `publish` (five) in the caller's transaction, woken by NOTIFY or by polling. */
export function bossLibrary(notify: boolean, title: string, wakeUp: string): Contender {
  return {
    title,
    packages: ['pg-boss'],
    peer: true,
    needsRedis: false,
    oneTransaction: true,
    notes: [
      `${wakeUp}; send()/publish() with the caller's transaction as \`db\`, prepared there; a partition per queue, batchSize ${BATCH}, burstWhenBatchFull`,
      'a batch handler writes its effects in one statement; exactly once by a unique key',
    ],
    async prepare(place) {
      await createGround(place.url, { unique: true });
      const boss = await open(place, 2);
      for (const group of groupsOf(place)) {
        await boss.createQueue(queueOf(group), { notify, partition: true });
        await boss.subscribe(TOPIC, queueOf(group));
      }
      await boss.stop({ graceful: false });
    },
    async writer(place) {
      const pool = openPool(place, PRODUCERS);
      const boss = await open(place, 4);
      return {
        write: event =>
          bookingTransaction(pool, event, client => {
            const db = preparedOn(client);
            return place.groups === 1
              ? boss.send(queueOf(1), event.body, { db })
              : boss.publish(TOPIC, event.body, { db });
          }),
        async fill(events) {
          const jobs = events.map(({ body }) => ({ data: body }));
          for (const group of groupsOf(place)) await boss.insert(queueOf(group), jobs);
        },
        stop: () => Promise.all([boss.stop({ graceful: false }), pool.end()]),
      };
    },
    async consumers(place) {
      const pool = openPool(place, place.groups);
      const boss = await open(place, 10, notify);
      for (const group of groupsOf(place)) {
        const options = { batchSize: BATCH, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
        await boss.work(queueOf(group), options, async jobs => {
          const ids = jobs.map(job => job.data.id);
          await pool.query(effects(group, ids, true));
        });
      }
      return { stop: () => Promise.all([boss.stop({ graceful: false }), pool.end()]) };
    },
  };
}

/** The caller's connection as pg-boss wants it. Its statements are long: prepared, they cost the server half. */
function preparedOn(client: pg.PoolClient): Executor {
  return {
    executeSql(text, values = []) {
      const name = createHash('md5').update(text).digest('hex');
      return client.query({ name, text, values });
    },
  };
}

async function open(place: Place, max: number, useListenNotify = false): Promise<Boss> {
  const { PgBoss } = await loadPeer<{ PgBoss: new (options: object) => Boss }>('pg-boss');
  const boss = new PgBoss({ connectionString: place.url, max, schedule: false, useListenNotify });
  boss.on('error', error => console.error(error.message));
  await boss.start();
  return boss;
}

function queueOf(group: number): string {
  return `consumer-${group}`;
}
