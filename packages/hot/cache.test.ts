import { createMetrics } from '@ghasi/telemetry/metrics';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { cacheConformance } from './cache.conformance.ts';
import { type Cache, type CacheUse, openCache } from './cache.ts';
import { cacheKey, cachePrefix } from './cache-key.ts';
import { inMemory } from './harness.conformance.ts';

describe('the cache over memory', () => cacheConformance(inMemory));

const tenantId = newTenantId();
const keyOf = (...parts: string[]) => cacheKey({ tenantId, parts });
afterEach(() => {
  vi.useRealTimers();
});

describe('M11: a model of the cache with two processes and a fake clock', () => {
  const [TTL, GRACE] = [1_000, 2_000];
  const who = fc.constantFrom(0, 1);
  const name = fc.constantFrom('a', 'b');
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('read' as const),
        who,
        name,
        loadMs: fc.constantFrom(0, 0, 7, 400, 1_500),
        writeDuring: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        ms: fc.constantFrom(1, 100, 999, 1_000, 3_000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), name }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('invalidate' as const),
        who,
        name,
        by: fc.constantFrom('key', 'tag', 'prefix', 'all'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('database' as const), up: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), who }) },
  );

  for (const graceMs of [0, GRACE]) {
    test(`no value is ever older than ${graceMs === 0 ? 'its ttl' : 'its ttl plus grace'}, nor than the last invalidation`, async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(600, 3_600_000),
          fc.array(step, { maxLength: 60 }),
          async (memoryTtlMs, steps) => {
            vi.setSystemTime('2026-03-01T00:00:00Z');
            const store = memoryHotStore({ tier: 'cache' });
            const open = () => openCache({ store, name: 'm', version: 1, service: 'test', memoryTtlMs });
            const processes = [await open(), await open()] as [Cache, Cache];
            // The truth: when each value became current. A value may be served if it was current at the limit or later.
            const versions = new Map<string, number[]>([
              ['a', [Date.now()]],
              ['b', [Date.now()]],
            ]);
            const currentUntil = (of: string, version: number) =>
              versions.get(of)?.[version + 1] ?? Number.POSITIVE_INFINITY;
            const invalidatedAt = new Map<string, number>();
            let databaseUp = true;
            for (const step of steps) {
              if (step.kind === 'wait') vi.setSystemTime(Date.now() + step.ms);
              else if (step.kind === 'write') versions.get(step.name)?.push(Date.now());
              else if (step.kind === 'database') databaseUp = step.up;
              else if (step.kind === 'restart') {
                await processes[step.who]?.close();
                processes[step.who] = await open();
              } else if (step.kind === 'invalidate') {
                const cache = processes[step.who] as Cache;
                if (step.by === 'key') await cache.invalidateKey(keyOf(step.name));
                if (step.by === 'tag') await cache.invalidateTags([step.name]);
                if (step.by === 'prefix') await cache.invalidatePrefix(cachePrefix({ tenantId, parts: [] }));
                if (step.by === 'all') await cache.invalidateAll();
                for (const other of step.by === 'key' || step.by === 'tag' ? [step.name] : ['a', 'b'])
                  invalidatedAt.set(other, Date.now());
              } else {
                let loaded: number | undefined;
                const load = async () => {
                  if (!databaseUp) throw new Error('database away');
                  loaded = (versions.get(step.name)?.length ?? 0) - 1;
                  if (step.writeDuring) versions.get(step.name)?.push(Date.now()); // right after we have read
                  vi.setSystemTime(Date.now() + step.loadMs);
                  return loaded;
                };
                const read = { ttlMs: TTL, graceMs, tags: [step.name], load };
                const answer = await (processes[step.who] as Cache)
                  .getOrLoad(keyOf(step.name), read)
                  .catch(() => undefined);
                if (answer === undefined) expect(databaseUp).toBe(false);
                else if (loaded !== undefined) expect(answer).toBe(loaded);
                else {
                  const until = currentUntil(step.name, answer);
                  expect(until).toBeGreaterThan(Date.now() - TTL - graceMs);
                  expect(until).toBeGreaterThanOrEqual(invalidatedAt.get(step.name) ?? 0);
                }
              }
            }
            await Promise.all(processes.map(cache => cache.close()));
          },
        ),
        { numRuns: 200 },
      );
    });
  }
});

test('a fresh value is not loaded again before its time: the bound is also a promise to the database', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const cache = await openCache({
    store: memoryHotStore({ tier: 'cache' }),
    name: 'm',
    version: 1,
    service: 'test',
  });
  let loads = 0;
  const read = { ttlMs: 10_000, load: async () => ++loads };
  const start = Date.now();
  for (const [afterMs, expected] of [
    [0, 1],
    [5_000, 1],
    [9_999, 1],
    [10_000, 2],
    [19_999, 2],
    [20_000, 3],
  ] as const) {
    vi.setSystemTime(start + afterMs);
    expect(await cache.getOrLoad(keyOf('a'), read)).toBe(expected);
  }
  await cache.close();
});

describe('X-143: hits and misses', () => {
  test('are counted in memory and handed over in one batch, at close too', async () => {
    const batches: CacheUse[][] = [];
    const flush = async (uses: CacheUse[]) => void batches.push(uses);
    const store = memoryHotStore({ tier: 'cache' });
    const cache = await openCache({ store, name: 'm', version: 1, service: 'test', flush });
    const read = { ttlMs: 60_000, tags: ['space:456'], load: async () => 1 };
    for (let at = 0; at < 50; at++) await cache.getOrLoad(keyOf('a'), read);
    await Promise.all(Array.from({ length: 10 }, () => cache.getOrLoad(keyOf('b'), read)));
    expect(batches).toEqual([]); // no write per hit
    await cache.flush();
    expect(batches[0]).toMatchObject([
      { key: keyOf('a'), hits: 49, misses: 1, ttlMs: 60_000, tags: ['space:456'] },
      { key: keyOf('b'), hits: 9, misses: 1 },
    ]);
    await cache.flush();
    expect(batches).toHaveLength(1); // nothing new, no empty batch
    await cache.getOrLoad(keyOf('a'), read);
    await cache.close();
    expect(batches[1]).toMatchObject([{ key: keyOf('a'), hits: 1, misses: 0 }]);
  });

  test('are handed over every 60 seconds, and a batch that failed comes again with the next', async () => {
    vi.useFakeTimers();
    const batches: CacheUse[][] = [];
    const flush = async (uses: CacheUse[]) => {
      batches.push(uses);
      if (batches.length === 1) throw new Error('database away');
    };
    const store = memoryHotStore({ tier: 'cache' });
    const cache = await openCache({ store, name: 'm', version: 1, service: 'test', flush });
    const read = { ttlMs: 3_600_000, load: async () => 1 };
    await cache.getOrLoad(keyOf('a'), read);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(batches).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toHaveLength(1);
    await cache.getOrLoad(keyOf('a'), read);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(batches[1]).toMatchObject([{ key: keyOf('a'), hits: 1, misses: 1 }]);
    await cache.close();
    expect(batches).toHaveLength(2);
  });

  test('OBS-32: are counted from 0 on, so that the rate of misses of a cache that never hits is a number', async () => {
    const metrics = createMetrics();
    const store = memoryHotStore({ tier: 'cache' });
    const cache = await openCache({ store, name: 'm', version: 1, service: 'test', metrics });
    const text = await metrics.render();
    expect(text).toContain('melmastoon_cache_hits_total{service="test",cache="m"} 0');
    expect(text).toContain('melmastoon_cache_misses_total{service="test",cache="m"} 0');
    await cache.close();
    await metrics.close();
  });

  test('OBS-17: are metrics as well, with loads, invalidations and memory, and no tenant in any label', async () => {
    const metrics = createMetrics();
    const store = memoryHotStore({ tier: 'cache' });
    const cache = await openCache({ store, name: 'm', version: 1, service: 'test', metrics });
    for (let at = 0; at < 3; at++) await cache.getOrLoad(keyOf('a'), { ttlMs: 60_000, load: async () => 1 });
    await cache.invalidateKey(keyOf('a'));
    const text = await metrics.render();
    expect(text).toContain('melmastoon_cache_hits_total{service="test",cache="m"} 2');
    expect(text).toContain('melmastoon_cache_misses_total{service="test",cache="m"} 1');
    expect(text).toContain('melmastoon_cache_invalidations_total{service="test",cache="m",by="key"} 1');
    expect(text).toContain('melmastoon_cache_load_duration_seconds_count{service="test",cache="m"} 1');
    expect(text).toMatch(/melmastoon_cache_memory_bytes\{service="test",cache="m"\} \d/);
    expect(text).not.toContain(tenantId);
    await cache.close();
    await metrics.close();
  });
});
