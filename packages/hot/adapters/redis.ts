import { randomUUID } from 'node:crypto';
import { hotErrors } from '../errors.ts';
import type { Spent } from '../gcra.ts';
import { assertKey, assertRange, assertScore, assertTtl, assertValue, MAX_VALUE_BYTES } from '../limits.ts';
import type { HotIndex, HotLease, HotStore, Life, Usage } from '../port.ts';
import { RedisBus } from './redis-bus.ts';
import { type ConnectionOptions, RedisConnection } from './redis-connection.ts';
import {
  acquireScript,
  commitScript,
  incrementScript,
  lifeScript,
  releaseScript,
  renewScript,
  spendScript,
} from './redis-scripts.ts';

/** `namespace` (default `melm`) starts every key and channel, so that one Redis can serve several installations. */
export type RedisOptions = ConnectionOptions & {
  namespace?: string | undefined;
  maxValueBytes?: number | undefined;
};

/**
 * The hot store over Redis 7 (one primary, with or without replicas; not Redis Cluster). The state tier refuses to
 * open on a server that may evict.
 */
export async function openRedisHotStore(options: RedisOptions): Promise<HotStore> {
  const line = new RedisConnection(options);
  await line.open();
  try {
    await checkEviction(line, options);
    const bus = new RedisBus(options);
    const life = rememberedLife(line, `${options.namespace ?? 'melm'}:${options.tier}:life`);
    await life.read();
    return redisHotStore(line, bus, life, options);
  } catch (error) {
    line.close();
    throw error;
  }
}

function redisHotStore(
  line: RedisConnection,
  bus: RedisBus,
  life: RememberedLife,
  options: RedisOptions,
): HotStore {
  const { tier, metrics, namespace = 'melm', maxValueBytes = MAX_VALUE_BYTES } = options;
  const unwatch = metrics?.watch('melmastoon_hot_store_connected_count', () => [
    { labels: { tier }, value: line.isReady ? 1 : 0 },
  ]);
  const named = (kind: string) => (key: string) => {
    assertKey(key);
    return `${namespace}:${tier}:${kind}:${key}`; // the tiers may share a server; they never share a key
  };
  const [cell, bucketCell, channelName] = [named('k'), named('b'), named('c')];
  const px = (ttlMs: number | undefined) => {
    assertTtl(ttlMs);
    return ttlMs ?? '';
  };

  return {
    tier,
    index: redisIndex(line, named('i')),
    lease: redisLease(line, cell, { fenceKey: `${namespace}:${tier}:fence`, px, maxValueBytes }),

    async get(key) {
      const name = cell(key);
      return (await line.run('get', redis => redis.get(name))) ?? undefined;
    },
    async getMany(keys) {
      const names = keys.map(cell);
      if (names.length === 0) return [];
      return (await line.run('mget', redis => redis.mget(names))).map(value => value ?? undefined);
    },
    async set(key, value, { ttlMs } = {}) {
      const name = cell(key);
      assertValue(key, value, maxValueBytes);
      const ttl = px(ttlMs);
      await line.run('set', redis =>
        ttl === '' ? redis.set(name, value) : redis.set(name, value, 'PX', ttl),
      );
    },
    async setIfAbsent(key, value, { ttlMs } = {}) {
      const name = cell(key);
      assertValue(key, value, maxValueBytes);
      const ttl = px(ttlMs);
      const answer = await line.run('set_nx', redis =>
        ttl === '' ? redis.set(name, value, 'NX') : redis.set(name, value, 'PX', ttl, 'NX'),
      );
      return answer === 'OK';
    },
    async pull(key) {
      const name = cell(key);
      return (await line.run('getdel', redis => redis.getdel(name))) ?? undefined;
    },
    async delete(key) {
      const name = cell(key);
      return (await line.run('unlink', redis => redis.unlink(name))) === 1;
    },
    async deletePrefix(prefix) {
      return deleteMatching(line, `${cell(prefix).replaceAll(/[\\*?[\]]/g, '\\$&')}*`);
    },
    async increment(key, { by = 1, ttlMs } = {}) {
      const name = cell(key);
      if (!Number.isSafeInteger(by)) throw hotErrors.NOT_A_COUNTER({ key });
      try {
        const sum = Number(await line.runScript(incrementScript, [name], [by, px(ttlMs)]));
        if (Number.isSafeInteger(sum)) return sum;
      } catch (error) {
        if (!/not an integer|overflow/.test(error instanceof Error ? error.message : '')) throw error;
      }
      throw hotErrors.NOT_A_COUNTER({ key });
    },
    async expire(key, ttlMs) {
      const name = cell(key);
      px(ttlMs);
      return (await line.run('pexpire', redis => redis.pexpire(name, ttlMs))) === 1;
    },
    async spend(key, { intervalUs, burst, cost }) {
      const args = [...life.args(), intervalUs, burst, cost];
      const answer = await line.runScript(spendScript, [life.key, bucketCell(key)], args);
      const [allowed, remaining, retryAfterUs, resetAfterUs, atUs, id] = answer as SpendAnswer;
      life.remember(id);
      return { allowed: allowed === 1, remaining, retryAfterUs, resetAfterUs, atUs } satisfies Spent;
    },
    async publish(channel, message) {
      const name = channelName(channel);
      assertValue(channel, message, maxValueBytes);
      await line.run('publish', redis => redis.publish(name, message));
    },
    async subscribe(channel, onMessage, subscribeOptions = {}) {
      return bus.subscribe(channelName(channel), onMessage, subscribeOptions);
    },
    life: () => life.read(),
    usage: () => readUsage(line),
    async close() {
      unwatch?.();
      line.close();
      await bus.close();
    },
  };
}

type SpendAnswer = [number, number, number, number, number, string];

function redisIndex(line: RedisConnection, cell: (name: string) => string): HotIndex {
  return {
    async add(name, member, score) {
      const key = cell(name);
      assertKey(member);
      assertScore(score);
      await line.run('zadd', redis => redis.zadd(key, score, member));
    },
    async dueBefore(name, score, limit) {
      const key = cell(name);
      assertRange(score, limit);
      const flat = await line.run('zrange', redis =>
        redis.zrange(key, '-inf', score, 'BYSCORE', 'LIMIT', 0, limit, 'WITHSCORES'),
      );
      return flat.flatMap((member, at) => (at % 2 === 0 ? [{ member, score: Number(flat[at + 1]) }] : []));
    },
    async remove(name, member) {
      const key = cell(name);
      return (await line.run('zrem', redis => redis.zrem(key, member))) === 1;
    },
  };
}

type LeaseParts = {
  fenceKey: string;
  px: (ttlMs: number | undefined) => number | '';
  maxValueBytes: number;
};

function redisLease(line: RedisConnection, cell: (key: string) => string, parts: LeaseParts): HotLease {
  const { fenceKey, px, maxValueBytes } = parts;
  let highestFence = 0;
  return {
    async acquire(key, token, ttlMs) {
      const fence = await line.runScript(
        acquireScript,
        [cell(key), fenceKey],
        [token, px(ttlMs), highestFence],
      );
      if (typeof fence !== 'number') return undefined;
      highestFence = Math.max(highestFence, fence);
      return fence;
    },
    async renew(key, token, ttlMs) {
      return (await line.runScript(renewScript, [cell(key)], [token, px(ttlMs)])) === 1;
    },
    async release(key, token) {
      return (await line.runScript(releaseScript, [cell(key)], [token])) === 1;
    },
    async commit(key, token, entry) {
      assertValue(entry.key, entry.value, maxValueBytes);
      const args = [token, entry.value, px(entry.ttlMs)];
      return (await line.runScript(commitScript, [cell(key), cell(entry.key)], args)) === 1;
    },
  };
}

type RememberedLife = ReturnType<typeof rememberedLife>;

/** Which life of the Redis this process has seen last, so that it notices when everything was lost. */
function rememberedLife(line: RedisConnection, key: string) {
  let knownId = '';
  return {
    key,
    args: () => [knownId, randomUUID()],
    remember(id: string): void {
      knownId = id;
    },
    async read(): Promise<Life> {
      const text = String(await line.runScript(lifeScript, [key], [knownId, randomUUID()]));
      const [id = '', bornUs, lost] = text.split('|');
      knownId = id;
      return { id, bornAt: Math.floor(Number(bornUs) / 1000), afterLoss: lost === '1' };
    },
  };
}

async function deleteMatching(line: RedisConnection, pattern: string): Promise<number> {
  let deleted = 0;
  let cursor = '0';
  do {
    const [next, keys] = await line.run('scan', redis => redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1000));
    if (keys.length > 0) deleted += await line.run('unlink', redis => redis.unlink(keys));
    cursor = next;
  } while (cursor !== '0');
  return deleted;
}

/** INFO and not CONFIG GET: our Redis user may not read the configuration (safety 30). */
async function checkEviction(line: RedisConnection, { tier, log }: RedisOptions): Promise<void> {
  const policy =
    field(await line.run('info', redis => redis.info('memory')), 'maxmemory_policy') ?? 'unknown';
  if (tier === 'state' && policy !== 'noeviction') throw hotErrors.EVICTION_POLICY({ policy });
  if (tier === 'cache' && policy === 'noeviction') {
    log?.warn(
      { tier, policy },
      'the cache tier runs on a Redis that never evicts: when it is full nothing new is cached',
    );
  }
}

async function readUsage(line: RedisConnection): Promise<Usage> {
  const info = await line.run('info', redis => redis.info());
  const limit = Number(field(info, 'maxmemory') ?? 0);
  return {
    usedBytes: Number(field(info, 'used_memory') ?? 0),
    limitBytes: limit === 0 ? undefined : limit,
    evicted: Number(field(info, 'evicted_keys') ?? 0),
  };
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
