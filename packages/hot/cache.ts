import { type CacheCore, type CoreOptions, cacheCore } from './cache-core.ts';
import { CacheCounters, FLUSH_EVERY_MS, type FlushUses } from './cache-counters.ts';
import { decodeValue } from './cache-entry.ts';
import { invalidate, listen } from './cache-invalidation.ts';
import type { CacheKey } from './cache-key.ts';
import { type CacheRead, cacheReader } from './cache-reader.ts';
import { hotErrors } from './errors.ts';

export type { CacheUse, FlushUses } from './cache-counters.ts';
export type { CacheRead } from './cache-reader.ts';

/** `flush` gets the counts of hits and misses per key every 60 s and at close; without it nobody counts keys. */
export type CacheOptions = CoreOptions & { flush?: FlushUses | undefined };

/**
 * A cache of JSON values. Invalidate after the transaction that changed the truth has committed; when an invalidation
 * throws, repeat it. A value is never older than its `ttlMs` (plus `graceMs` while loads fail), plus the difference of
 * the clocks of the machines that share it.
 */
export type Cache = {
  getOrLoad<T>(key: CacheKey, read: CacheRead<T>): Promise<T>;
  /** The same as JSON text, for those who pass it on unread; empty for `undefined`. */
  getOrLoadText(key: CacheKey, read: CacheRead<unknown>): Promise<string>;
  invalidateKey(key: CacheKey): Promise<void>;
  invalidateTags(tags: readonly string[]): Promise<void>;
  /** Everything under a `cachePrefix`; walks the store's keys, so it is for administration. */
  invalidatePrefix(prefix: CacheKey): Promise<void>;
  invalidateAll(): Promise<void>;
  /** Hands over the counts so far; also done every 60 s. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Opens a cache over the cache tier and starts to listen for other processes' invalidations. */
export async function openCache(options: CacheOptions): Promise<Cache> {
  const core = cacheCore(options);
  const stopListening = await listen(core);
  const stopRegistering = await registerVersion(core).catch(async error => {
    await stopListening().catch(() => {}); // whoever opens again and again would leave a listener behind each time
    throw error;
  });
  const counters =
    options.flush === undefined ? undefined : new CacheCounters({ flush: options.flush, log: options.log });
  const labels = { service: core.service, cache: core.name };
  const count = (result: 'hit' | 'miss', by?: number) =>
    core.metrics?.inc(
      result === 'hit' ? 'melmastoon_cache_hits_total' : 'melmastoon_cache_misses_total',
      labels,
      by,
    );
  // From 0 on: the alert divides misses by both, and without a series of hits there is nothing to divide by.
  count('hit', 0);
  count('miss', 0);
  const getOrLoadText = cacheReader(core, (key, result, { ttlMs, tags = [] }) => {
    counters?.count(key, result, { at: core.clock(), ttlMs, tags });
    count(result);
  });
  const stopWatching = watchMemory(core, labels);
  return {
    getOrLoadText,
    getOrLoad: async <T>(key: CacheKey, read: CacheRead<T>) => decodeValue<T>(await getOrLoadText(key, read)),
    invalidateKey: key => invalidate(core, { by: 'key', key }),
    async invalidateTags(tags) {
      if (tags.length > 0) await invalidate(core, { by: 'tag', tags });
    },
    invalidatePrefix: prefix => invalidate(core, { by: 'prefix', prefix }),
    invalidateAll: () => invalidate(core, { by: 'all' }),
    async flush() {
      await counters?.flush();
    },
    async close() {
      stopWatching();
      stopRegistering();
      await stopListening().catch(() => {}); // the line may be down already
      await counters?.close();
    },
  };
}

/** So that processes of other versions remove our values as well; repeated, since a cache may forget anything. */
async function registerVersion({ store, places, version, clock }: CacheCore): Promise<() => void> {
  const register = () => store.index.add(places.versions, String(version), clock());
  const ticker = setInterval(() => void register().catch(() => {}), FLUSH_EVERY_MS).unref();
  await register().catch(error => {
    if (hotErrors.STORE_FULL.is(error)) return; // the next tick tries again
    clearInterval(ticker);
    throw error;
  });
  return () => clearInterval(ticker);
}

function watchMemory({ metrics, memory }: CacheCore, labels: { service: string; cache: string }): () => void {
  if (metrics === undefined) return () => {};
  const stops = [
    metrics.watch('melmastoon_cache_memory_bytes', () => [{ labels, value: memory.usage.usedBytes }]),
    metrics.watch('melmastoon_cache_evictions_total', () => [{ labels, value: memory.usage.evicted }]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
