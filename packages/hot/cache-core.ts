import { randomUUID } from 'node:crypto';
import { BentoCache, bentostore } from 'bentocache';
import type { Clock } from './adapters/memory-space.ts';
import { packItem, unpackItem } from './cache-entry.ts';
import { Generations } from './cache-generations.ts';
import { Inflight } from './cache-inflight.ts';
import { MemoryLayer, StoreLayer } from './cache-layers.ts';
import { cachePlaces } from './cache-places.ts';
import type { HotLog, HotMetrics } from './observe.ts';
import type { HotStore } from './port.ts';

/** What a cache is made of, without its counters. */
export type CoreOptions = {
  /** The cache tier. */
  store: HotStore;
  /** Like `tenant-settings`; one name, one meaning, on all processes. */
  name: string;
  /** Raise it when the shape of the cached values changes. */
  version: number;
  /** Label of the metrics. */
  service: string;
  /** Bytes kept in this process; default 32 MiB. */
  memoryBytes?: number | undefined;
  /** Longest time in this process's memory, in case an invalidation never arrives; default 30 s. */
  memoryTtlMs?: number | undefined;
  log?: HotLog | undefined;
  metrics?: HotMetrics | undefined;
  clock?: Clock | undefined;
};

/** The parts of an open cache that reading and invalidating share. */
export type CacheCore = ReturnType<typeof cacheCore>;

/** Builds the layers: bentocache over this process's memory and the shared store. */
export function cacheCore(options: CoreOptions) {
  const {
    store,
    name,
    version,
    memoryBytes = 32 * 1024 * 1024,
    memoryTtlMs = 30_000,
    clock = Date.now,
  } = options;
  const places = cachePlaces(name, version);
  const generations = new Generations(store, places.marks);
  const inflight = new Inflight();
  const parts = { schema: version, generations, clock };
  const memory = new MemoryLayer({ ...parts, maxBytes: memoryBytes, maxTtlMs: memoryTtlMs });
  const shared = new StoreLayer({ ...parts, store, inflight, keyOf: places.value });
  const bento = new BentoCache({
    default: 'layers',
    serializer: { serialize: packItem, deserialize: unpackItem },
    suppressL2Errors: true, // a store that is down is a miss, not an error
    stores: {
      layers: bentostore()
        .useL1Layer({ options: {}, factory: () => memory })
        .useL2Layer({ options: {}, factory: () => shared }),
    },
  });
  return { ...options, id: randomUUID(), clock, places, generations, inflight, memory, shared, bento };
}
