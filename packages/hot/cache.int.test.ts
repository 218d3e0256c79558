import { randomUUID } from 'node:crypto';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { tcpProxy } from '@ghasi/testing/tcp-proxy';
import { newTenantId } from '@ghasi/testing/tenants';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { openRedisHotStore } from './adapters/redis.ts';
import { cacheConformance } from './cache.conformance.ts';
import { openCache } from './cache.ts';
import { cacheKey } from './cache-key.ts';
import { hotErrors } from './errors.ts';
import { onRedis } from './harness.conformance.ts';
import { describeWithOwnRedis, ownRedis } from './own-redis.conformance.ts';

const HOUR = 3_600_000;
const key = cacheKey({ tenantId: newTenantId(), parts: ['settings'] });

const cleanUps: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function openAt(url: string, namespace: string) {
  const store = await openRedisHotStore({ url, tier: 'cache', namespace, commandTimeoutMs: 500 });
  const cache = await openCache({ store, name: 'settings', version: 1, service: 'test', memoryTtlMs: HOUR });
  cleanUps.push(
    () => store.close(),
    () => cache.close(),
  );
  return { store, cache };
}

describeWithRedis('the cache over Redis', url => {
  describe('conformance', () => cacheConformance(onRedis(url)));

  test('an invalidation missed while the line was cut is made up for when it is back', async () => {
    const namespace = `test-${randomUUID()}`;
    const { hostname, port } = new URL(url);
    const proxy = await tcpProxy({ target: { host: hostname, port: Number(port) } });
    cleanUps.push(() => proxy.close());
    const [{ cache: cut }, { cache: other }] = [
      await openAt(proxy.through(url), namespace),
      await openAt(url, namespace),
    ];
    let current = 'old';
    const read = { ttlMs: HOUR, tags: ['settings'], load: async () => current };
    for (let at = 0; at < 3; at++) expect(await cut.getOrLoad(key, read)).toBe('old'); // now surely in its memory
    proxy.cutAll();
    current = 'new';
    await other.invalidateTags(['settings']); // nobody at the other end of the line
    await waitUntil(
      'the cut process sees the change',
      async () => (await cut.getOrLoad(key, read)) === 'new',
    );
  });

  test('a cache that could not be opened leaves no listener behind', async () => {
    const namespace = `test-${randomUUID()}`;
    const { hostname, port } = new URL(url);
    const proxy = await tcpProxy({
      target: { host: hostname, port: Number(port) },
      judge: chunk => (chunk.includes('zadd') ? 'cut-before' : 'pass'), // the last thing that opening does
    });
    const store = await openRedisHotStore({ url: proxy.through(url), tier: 'cache', namespace });
    const admin = new Redis(url);
    cleanUps.push(
      () => proxy.close(),
      () => store.close(),
      () => admin.quit(),
    );
    const opening = openCache({ store, name: 'settings', version: 1, service: 'test' });
    await expect(opening).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
    expect(await admin.pubsub('CHANNELS', `${namespace}:*`)).toEqual([]);
  });

  test('M11: readers and writers at random on two connections: after an invalidation nobody reads older data', async () => {
    const namespace = `test-${randomUUID()}`;
    const processes = [await openAt(url, namespace), await openAt(url, namespace)] as const;
    const truth = new Map<string, number>();
    const load = (name: string) => async () => {
      const seen = truth.get(name) ?? 0;
      await processes[0].store.get('as slow as a database');
      return seen;
    };
    const keyOf = (name: string) => cacheKey({ tenantId: 'global', parts: [name] });
    let reads = 0;
    const worker = async (seed: number) => {
      for (let at = 0; at < 150; at++) {
        const name = `k${(seed * 7 + at * 3) % 4}`;
        const { cache } = processes[(seed + at) % 2 ? 0 : 1];
        if ((seed + at) % 5 === 0) {
          const written = (truth.get(name) ?? 0) + 1;
          truth.set(name, written);
          if (at % 2) await cache.invalidateTags([name]);
          else await cache.invalidateKey(keyOf(name));
          // The process that invalidated must see it at once.
          expect(
            await cache.getOrLoad(keyOf(name), { ttlMs: HOUR, tags: [name], load: load(name) }),
          ).toBeGreaterThanOrEqual(written);
        } else {
          reads++;
          await cache.getOrLoad(keyOf(name), { ttlMs: HOUR, tags: [name], load: load(name) });
        }
      }
    };
    await Promise.all([1, 2, 3, 4, 5, 6].map(worker));
    expect(reads).toBeGreaterThan(500);
    for (const [name, value] of truth) {
      for (const { cache } of processes) {
        // The last messages may still be on their way; what is in the store is final.
        await waitUntil(
          `${name} is current`,
          async () =>
            (await cache.getOrLoad(keyOf(name), { ttlMs: HOUR, tags: [name], load: load(name) })) === value,
        );
      }
    }
  });

  describeWithOwnRedis('with a server of its own', () => {
    test('while Redis is down reads load, one load for all who ask together; invalidating says that it failed', async () => {
      const redis = await ownRedis();
      cleanUps.push(() => redis.stop());
      const { cache } = await openAt(redis.url, 'test');
      let [loads, current] = [0, 'old'];
      const read = {
        ttlMs: HOUR,
        tags: ['settings'],
        load: async () => {
          loads++;
          return current;
        },
      };
      await redis.kill();
      const answers = await Promise.all(Array.from({ length: 100 }, () => cache.getOrLoad(key, read)));
      expect(new Set(answers)).toEqual(new Set(['old']));
      expect(loads).toBe(1);
      current = 'new';
      await expect(cache.invalidateTags(['settings'])).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
      await expect(cache.invalidateKey(key)).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
      expect(await cache.getOrLoad(key, read)).toBe('new');
      await redis.start();
      await waitUntil('it caches again', async () => {
        const before = loads;
        await cache.getOrLoad(key, read);
        return loads === before;
      });
    });

    test('safety-30: after FLUSHALL tags still invalidate what other processes hold in memory', async () => {
      const redis = await ownRedis();
      cleanUps.push(() => redis.stop());
      const [{ cache: one }, { cache: two }] = [
        await openAt(redis.url, 'test'),
        await openAt(redis.url, 'test'),
      ];
      let current = 'old';
      const read = { ttlMs: HOUR, tags: ['settings'], load: async () => current };
      for (const cache of [one, two]) await cache.getOrLoad(key, read);
      await redis.admin.flushall();
      current = 'new';
      await two.invalidateTags(['settings']);
      expect(await two.getOrLoad(key, read)).toBe('new');
      await waitUntil('the other process sees it', async () => (await one.getOrLoad(key, read)) === 'new');
    });

    test('TEN-24: values and marks may be evicted at any moment; the answer is at most a reload, never old data', async () => {
      const redis = await ownRedis('--maxmemory', '3mb', '--maxmemory-policy', 'allkeys-lru');
      cleanUps.push(() => redis.stop());
      const { cache, store } = await openAt(redis.url, 'test');
      const { cache: other } = await openAt(redis.url, 'test');
      const truth = new Map<number, number>();
      for (let at = 0; at < 400; at++) {
        const name = at % 100;
        const read = {
          ttlMs: HOUR,
          tags: [`tag-${name}`],
          load: async () => ({ value: truth.get(name) ?? 0, padding: 'x'.repeat(40_000) }),
        };
        const place = cacheKey({ tenantId: 'global', parts: [String(name)] });
        await other.getOrLoad(place, read);
        truth.set(name, at);
        await cache.invalidateTags([`tag-${name}`]);
        expect((await cache.getOrLoad(place, read)).value).toBe(at);
      }
      expect((await store.usage()).evicted).toBeGreaterThan(0);
    });
  });
});
