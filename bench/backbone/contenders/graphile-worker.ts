import { type Contender, groupsOf } from '../contender.ts';
import { bookingTransaction, createGround, effect, openPool, PRODUCERS } from '../ground.ts';
import { loadPeer } from '../peer.ts';

type Pool = ReturnType<typeof openPool>;
type Task = (payload: { id: string }) => Promise<void>;
type Options = {
  pgPool: Pool;
  noHandleSignals: true;
  taskList: Record<string, Task>;
  preset: object;
  logger: object;
};
type GraphileWorker = {
  run(options: Options): Promise<{ stop(): Promise<void> }>;
  runMigrations(options: { connectionString: string; logger: object }): Promise<void>;
  Logger: new (factory: () => () => void) => object;
};

const CONCURRENCY = 24;
const addOne = {
  name: 'add-job',
  text: "select graphile_worker.add_job('consumer-1', $1::json)",
};
const addMany = {
  name: 'add-jobs',
  text: `select graphile_worker.add_jobs(array(
           select row('consumer-' || consumer, event, null, null, null, null, null, null)::graphile_worker.job_spec
           from json_array_elements($1::json) as event, generate_series(1, $2::int) as consumer))`,
};

/** graphile-worker: `add_job` (one consumer) or `add_jobs` (one task per consumer) in the caller's transaction. */
export const contender: Contender = {
  title: 'graphile-worker',
  packages: ['graphile-worker'],
  peer: true,
  needsRedis: false,
  oneTransaction: true,
  notes: [
    `add_job/add_jobs in the caller's transaction; its documented fast settings: concurrentJobs ${CONCURRENCY}, localQueue 500, completeJobBatchDelay 0`,
    'a handler gets one job and writes one effect; exactly once by a unique key (a job is deleted after its handler)',
  ],
  async prepare(place) {
    await createGround(place.url, { unique: true });
    const { runMigrations, Logger } = await loadPeer<GraphileWorker>('graphile-worker');
    await runMigrations({ connectionString: place.url, logger: new Logger(() => () => {}) });
  },
  async writer(place) {
    const pool = openPool(place, PRODUCERS);
    return {
      write: event =>
        bookingTransaction(pool, event, client =>
          place.groups === 1
            ? client.query({ ...addOne, values: [JSON.stringify(event.body)] })
            : client.query({ ...addMany, values: [JSON.stringify([event.body]), place.groups] }),
        ),
      fill: events =>
        pool.query({ ...addMany, values: [JSON.stringify(events.map(event => event.body)), place.groups] }),
      stop: () => pool.end(),
    };
  },
  async consumers(place) {
    const { run, Logger } = await loadPeer<GraphileWorker>('graphile-worker');
    const pool = openPool(place, CONCURRENCY + 6);
    const tasks = groupsOf(place).map((group): [string, Task] => [
      `consumer-${group}`,
      async ({ id }) => {
        await pool.query(effect(group, id, true));
      },
    ]);
    const runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      taskList: Object.fromEntries(tasks),
      logger: new Logger(() => () => {}),
      preset: {
        worker: {
          concurrentJobs: CONCURRENCY,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    return {
      async stop() {
        await runner.stop();
        await pool.end();
      },
    };
  },
};
