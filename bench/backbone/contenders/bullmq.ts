import { type Contender, groupsOf, type Place } from '../contender.ts';
import { booking, createGround, effect, openPool, PRODUCERS } from '../ground.ts';
import { loadPeer } from '../peer.ts';

type Job = { data: { id: string } };
type Entry = { name: string; data: object; opts: object };
type BullMq = {
  Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: object, options: object): Promise<unknown>;
    addBulk(entries: Entry[]): Promise<unknown>;
    close(): Promise<void>;
  };
  Worker: new (
    name: string,
    handler: (job: Job) => Promise<void>,
    options: object,
  ) => {
    on(event: 'error', listener: (error: Error) => void): void;
    waitUntilReady(): Promise<unknown>;
    close(force: boolean): Promise<void>;
  };
};

const CONCURRENCY = 32;
const once = { removeOnComplete: true, removeOnFail: true };

/** BullMQ on Redis: the job is added after the business transaction committed. */
export const contender: Contender = {
  title: 'BullMQ',
  packages: ['bullmq', 'ioredis'],
  peer: true,
  needsRedis: true,
  oneTransaction: false,
  notes: [
    `add() after the commit: a crash in between loses the event; a queue per consumer, worker concurrency ${CONCURRENCY}, removeOnComplete`,
    'a handler gets one job and writes one effect; exactly once by a unique key',
  ],
  prepare: place => createGround(place.url, { unique: true }),
  async writer(place) {
    const { Queue } = await loadPeer<BullMq>('bullmq');
    const pool = openPool(place, PRODUCERS);
    const queues = groupsOf(place).map(
      group => new Queue(queueOf(group), { connection: connectionTo(place) }),
    );
    return {
      async write(event) {
        await pool.query(booking(event));
        await Promise.all(
          queues.map(queue => queue.add('booking', event.body, { ...once, jobId: event.id })),
        );
      },
      fill: events =>
        Promise.all(
          queues.map(queue =>
            queue.addBulk(
              events.map(event => ({
                name: 'booking',
                data: event.body,
                opts: { ...once, jobId: event.id },
              })),
            ),
          ),
        ),
      stop: () => Promise.all([...queues.map(queue => queue.close()), pool.end()]),
    };
  },
  async consumers(place) {
    const { Worker } = await loadPeer<BullMq>('bullmq');
    const pool = openPool(place, PRODUCERS);
    const workers = groupsOf(place).map(group => {
      const handler = async (job: Job) => {
        await pool.query(effect(group, job.data.id, true));
      };
      const worker = new Worker(queueOf(group), handler, {
        connection: connectionTo(place),
        concurrency: CONCURRENCY,
      });
      worker.on('error', error => console.error(error.message));
      return worker;
    });
    await Promise.all(workers.map(worker => worker.waitUntilReady()));
    return { stop: () => Promise.all([...workers.map(worker => worker.close(true)), pool.end()]) };
  },
};

function queueOf(group: number): string {
  return `consumer-${group}`;
}

function connectionTo(place: Place): object {
  const { hostname, port } = new URL(place.redisUrl ?? '');
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}
