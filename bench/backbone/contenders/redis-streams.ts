import { type BenchEvent, type Contender, groupsOf, type Place } from '../contender.ts';
import { booking, createGround, effects, openPool, PRODUCERS } from '../ground.ts';
import { loadPeer } from '../peer.ts';

type Entry = [id: string, fields: string[]];
type Redis = {
  call(command: string, ...args: Array<string | number>): Promise<unknown>;
  pipeline(): { call(command: string, ...args: Array<string | number>): unknown; exec(): Promise<unknown> };
  disconnect(): void;
};

const STREAM = 'bookings';
const BATCH = 500;

/** Redis Streams with consumer groups, by hand on ioredis: XADD after the business transaction committed. */
export const contender: Contender = {
  title: 'Redis Streams',
  packages: ['ioredis'],
  peer: true,
  needsRedis: true,
  oneTransaction: false,
  notes: [
    `XADD after the commit: a crash in between loses the event; a group per consumer, XREADGROUP COUNT ${BATCH}, XACK after the effects committed`,
    'effects of a batch in one statement; exactly once by a unique key',
  ],
  async prepare(place) {
    await createGround(place.url, { unique: true });
    const redis = await connect(place);
    for (const group of groupsOf(place))
      await redis.call('XGROUP', 'CREATE', STREAM, `consumer-${group}`, '0', 'MKSTREAM');
    redis.disconnect();
  },
  async writer(place) {
    const pool = openPool(place, PRODUCERS);
    const redis = await connect(place);
    return {
      async write(event) {
        await pool.query(booking(event));
        await redis.call('XADD', STREAM, '*', ...fieldsOf(event));
      },
      async fill(events) {
        const pipeline = redis.pipeline();
        for (const event of events) pipeline.call('XADD', STREAM, '*', ...fieldsOf(event));
        await pipeline.exec();
      },
      async stop() {
        redis.disconnect();
        await pool.end();
      },
    };
  },
  async consumers(place) {
    const pool = openPool(place, place.groups);
    const connections = await Promise.all(groupsOf(place).map(() => connect(place)));
    let stopped = false;
    const loops = connections.map(async (redis, index) => {
      const consumer = index + 1;
      const group = `consumer-${consumer}`;
      while (!stopped) {
        const entries = await read(redis, group);
        if (entries.length === 0) continue;
        const ids = entries.map(([, fields]) => fields[1] as string);
        await pool.query(effects(consumer, ids, true));
        await redis.call('XACK', STREAM, group, ...entries.map(([id]) => id));
      }
    });
    return {
      async stop() {
        stopped = true;
        await Promise.all(loops);
        for (const redis of connections) redis.disconnect();
        await pool.end();
      },
    };
  },
};

async function read(redis: Redis, group: string): Promise<Entry[]> {
  const reply = (await redis.call(
    'XREADGROUP',
    ...['GROUP', group, 'a', 'COUNT', BATCH, 'BLOCK', 500, 'STREAMS', STREAM, '>'],
  )) as Array<[stream: string, entries: Entry[]]> | null;
  return reply?.[0]?.[1] ?? [];
}

function fieldsOf(event: BenchEvent): string[] {
  return ['id', event.id, 'body', JSON.stringify(event.body)];
}

async function connect(place: Place): Promise<Redis> {
  const { Redis } = await loadPeer<{ Redis: new (url: string, options: object) => Redis }>('ioredis');
  return new Redis(place.redisUrl ?? '', { protocol: 2 }); // one shape of replies, whatever the server's age
}
