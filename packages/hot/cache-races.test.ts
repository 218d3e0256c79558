import { type Signal, signal } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { type Cache, openCache } from './cache.ts';
import { cacheKey } from './cache-key.ts';
import type { HotStore } from './port.ts';

const HOUR = 3_600_000;
const key = cacheKey({ tenantId: 'global', parts: ['a'] });

// Two sockets have no common order: an answer may come in after a message that the store sent later. Here the store's
// answer is held back at will, so that each of these orders can be played exactly.
let held: { method: string; reached: Signal<void>; goOn: Signal<void> } | undefined;
let store: HotStore;
let slow: Cache;
let other: Cache;
let current: string;
const read = { ttlMs: HOUR, tags: ['tag'], load: async () => current };

beforeEach(async () => {
  current = 'old';
  held = undefined;
  store = memoryHotStore({ tier: 'cache' });
  const options = { name: 'm', version: 1, service: 'test', memoryTtlMs: HOUR };
  slow = await openCache({ ...options, store: withHeldAnswers(store) });
  other = await openCache({ ...options, store });
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all([slow.close(), other.close()]);
});

function withHeldAnswers(real: HotStore): HotStore {
  const after =
    <A extends unknown[], R>(method: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const answer = await call(...args);
      if (held?.method === method) {
        const { reached, goOn } = held;
        held = undefined;
        reached.fire();
        await goOn.promise;
      }
      return answer;
    };
  return {
    ...real,
    get: after('get', real.get),
    getMany: after('getMany', real.getMany),
    setIfAbsent: after('setIfAbsent', real.setIfAbsent),
    lease: { ...real.lease, commit: after('commit', real.lease.commit) },
  };
}

/** Reads in the slow process, changes the truth while the named answer is held back, and says what is read after it. */
async function changeWhileHeld(method: string, invalidate: () => Promise<void>): Promise<unknown> {
  const [reached, goOn] = [signal(), signal()];
  held = { method, reached, goOn };
  const early = slow.getOrLoad(key, read);
  await reached.promise;
  current = 'new';
  await invalidate();
  goOn.fire();
  await early;
  const answers = [
    await slow.getOrLoad(key, read),
    await slow.getOrLoad(key, read),
    await other.getOrLoad(key, read),
  ];
  expect(new Set(answers).size).toBe(1);
  return answers[0];
}

for (const by of ['key', 'tag', 'all'] as const) {
  const invalidate = () =>
    by === 'key'
      ? other.invalidateKey(key)
      : by === 'tag'
        ? other.invalidateTags(['tag'])
        : other.invalidateAll();

  test(`a value read from the store just before an invalidation by ${by} does not stay in memory`, async () => {
    await other.getOrLoad(key, read);
    expect(await changeWhileHeld('get', invalidate)).toBe('new');
  });

  test(`marks read from the store just before an invalidation by ${by} are not remembered`, async () => {
    await other.getOrLoad(key, read);
    expect(await changeWhileHeld('getMany', invalidate)).toBe('new');
  });

  test(`a mark made just before an invalidation by ${by} is not remembered`, async () => {
    expect(await changeWhileHeld('setIfAbsent', invalidate)).toBe('new');
  });

  test(`a value written to the store just before an invalidation by ${by} does not stay in memory`, async () => {
    expect(await changeWhileHeld('commit', invalidate)).toBe('new');
  });
}

test('the time a load took counts as age, with grace too', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const cache = await openCache({
    store: memoryHotStore({ tier: 'cache' }),
    name: 'm',
    version: 1,
    service: 'test',
  });
  const start = Date.now();
  let loads = 0;
  const dear = {
    ttlMs: 1_000,
    graceMs: HOUR,
    load: async () => {
      vi.setSystemTime(Date.now() + (loads === 0 ? 400 : 0));
      return ++loads;
    },
  };
  expect(await cache.getOrLoad(key, dear)).toBe(1);
  vi.setSystemTime(start + 999);
  expect(await cache.getOrLoad(key, dear)).toBe(1);
  vi.setSystemTime(start + 1_000);
  expect(await cache.getOrLoad(key, dear)).toBe(2);
  await cache.close();
});

test('a load that takes longer than the time to live answers its reader and is not kept', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const cache = await openCache({
    store: memoryHotStore({ tier: 'cache' }),
    name: 'm',
    version: 1,
    service: 'test',
  });
  let loads = 0;
  const dear = {
    ttlMs: 1_000,
    load: async () => {
      vi.setSystemTime(Date.now() + 1_000);
      return ++loads;
    },
  };
  expect([await cache.getOrLoad(key, dear), await cache.getOrLoad(key, dear)]).toEqual([1, 2]);
  await cache.close();
});

test('a message on the bus that is no invalidation makes the process forget its memory, and nothing worse', async () => {
  let loads = 0;
  const counted = { ttlMs: HOUR, load: async () => ++loads };
  expect(await other.getOrLoad(key, counted)).toBe(1);
  for (const text of [
    '',
    'null',
    '{}',
    '[]',
    '{"by":"tag","tags":[1],"from":"x"}',
    '{"by":"key","key":"k"}',
  ]) {
    await store.publish('cache:m', text);
    expect(await other.getOrLoad(key, counted)).toBe(1); // the store still has it
  }
});

test('M11: grace ends when it ends, however often the stale value was served meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const start = Date.now();
  const store = memoryHotStore({ tier: 'cache' });
  const cache = await openCache({ store, name: 'm', version: 1, service: 'test', memoryTtlMs: HOUR });
  const away = { ttlMs: 1_000, graceMs: 2_000, load: () => Promise.reject(new Error('database away')) };
  await cache.getOrLoad(key, { ...away, load: async () => 'last' });
  for (let afterMs = 0; afterMs < 3_000; afterMs += 100) {
    vi.setSystemTime(start + afterMs);
    expect(await cache.getOrLoad(key, away)).toBe('last');
  }
  vi.setSystemTime(start + 3_000);
  await expect(cache.getOrLoad(key, away)).rejects.toThrow('database away');
  await cache.close();
});
