import { memoryHotStore } from './adapters/memory.ts';
import { openRedisHotStore } from './adapters/redis.ts';
import type { HotLog, HotMetrics } from './observe.ts';
import type { HotStore } from './port.ts';

export type { Due, HotIndex, HotLease, HotStore, Life, Tier, Ttl, Unsubscribe, Usage } from './port.ts';

/**
 * Without `redisUrl` both tiers live in this process (state 64 MiB, cache 128 MiB unless told otherwise). With it they
 * are on Redis; `cacheRedisUrl` gives the cache its own instance, since eviction is per instance.
 */
export type HotStoreOptions = {
  redisUrl?: string | undefined;
  cacheRedisUrl?: string | undefined;
  namespace?: string | undefined;
  stateBytes?: number | undefined;
  cacheBytes?: number | undefined;
  log?: HotLog | undefined;
  metrics?: HotMetrics | undefined;
};

/** The two tiers of one installation. */
export type HotTiers = { state: HotStore; cache: HotStore; close(): Promise<void> };

/** Opens the hot tier, or throws one clear error: no Redis there, or one that may evict state. */
export async function openHotStore(options: HotStoreOptions = {}): Promise<HotTiers> {
  const tiers = options.redisUrl === undefined ? inMemory(options) : await onRedis(options, options.redisUrl);
  const stopWatching = watchUsage(tiers, options.metrics);
  return {
    ...tiers,
    async close() {
      stopWatching();
      await Promise.all([tiers.state.close(), tiers.cache.close()]);
    },
  };
}

function inMemory({ stateBytes, cacheBytes = 128 * 1024 * 1024, log }: HotStoreOptions) {
  return {
    state: memoryHotStore({ tier: 'state', maxBytes: stateBytes, log }),
    cache: memoryHotStore({ tier: 'cache', maxBytes: cacheBytes, log }),
  };
}

async function onRedis({ cacheRedisUrl, namespace, log, metrics }: HotStoreOptions, redisUrl: string) {
  const shared = { namespace, log, metrics };
  const state = await openRedisHotStore({ ...shared, url: redisUrl, tier: 'state' });
  try {
    return {
      state,
      cache: await openRedisHotStore({ ...shared, url: cacheRedisUrl ?? redisUrl, tier: 'cache' }),
    };
  } catch (error) {
    await state.close();
    throw error;
  }
}

/** OBS-17, OBS-27: memory, its limit and evictions of both tiers, read when the metrics are. */
function watchUsage(
  tiers: { state: HotStore; cache: HotStore },
  metrics: HotMetrics | undefined,
): () => void {
  if (metrics === undefined) return () => {};
  const readings = async (pick: 'usedBytes' | 'limitBytes' | 'evicted') => {
    const usages = await Promise.all(
      [tiers.state, tiers.cache].map(async ({ tier, usage }) => ({ tier, value: (await usage())[pick] })),
    );
    return usages.flatMap(({ tier, value }) => (value === undefined ? [] : [{ labels: { tier }, value }]));
  };
  const stops = [
    metrics.watch('melmastoon_hot_store_memory_bytes', () => readings('usedBytes')),
    metrics.watch('melmastoon_hot_store_memory_limit_bytes', () => readings('limitBytes')),
    metrics.watch('melmastoon_hot_store_evictions_total', () => readings('evicted')),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
