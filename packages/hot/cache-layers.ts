import type { L1CacheDriver, L2CacheDriver } from 'bentocache/types';
import { type Clock, MemorySpace } from './adapters/memory-space.ts';
import { type EntryHead, readHead } from './cache-entry.ts';
import type { Generations } from './cache-generations.ts';
import type { Inflight } from './cache-inflight.ts';
import { isUnder } from './cache-key.ts';
import type { HotStore } from './port.ts';

/** What both layers need to know to call an entry dead. */
export type LayerParts = { schema: number; generations: Generations; clock: Clock };

/** Another schema version, or past its grace: a miss, before anything else is asked. */
function isUsable(head: EntryHead | undefined, { schema, clock }: LayerParts): head is EntryHead {
  return head !== undefined && head.schema === schema && clock() < head.deadAt;
}

/** bentocache's first layer: this process's own memory, bounded in bytes and in time. */
export class MemoryLayer implements L1CacheDriver {
  readonly type = 'l1';
  readonly #space: MemorySpace<string>;
  readonly #parts: LayerParts;
  readonly #maxTtlMs: number;

  constructor(options: LayerParts & { maxBytes: number; maxTtlMs: number }) {
    this.#parts = options;
    this.#maxTtlMs = options.maxTtlMs;
    this.#space = new MemorySpace({ maxBytes: options.maxBytes, evicts: true, clock: options.clock });
  }

  get usage() {
    return this.#space.usage;
  }

  get(key: string): string | undefined {
    const packed = this.#space.get(key);
    if (packed === undefined) return undefined;
    const head = readHead(packed);
    return isUsable(head, this.#parts) && this.#parts.generations.matchesKnown(head.generations)
      ? packed
      : undefined;
  }

  set(key: string, packed: string, ttlMs?: number): boolean {
    const expiresAt = this.#parts.clock() + Math.min(ttlMs ?? this.#maxTtlMs, this.#maxTtlMs);
    return this.#space.put(key, packed, { sizeBytes: Buffer.byteLength(packed), expiresAt });
  }

  getRemainingTtl(key: string): number | undefined {
    const expiresAt = this.#space.expiresAt(key);
    return expiresAt === undefined ? undefined : expiresAt - this.#parts.clock();
  }

  pull(key: string): string | undefined {
    const packed = this.get(key);
    this.#space.delete(key);
    return packed;
  }

  delete(key: string): boolean {
    return this.#space.delete(key);
  }

  deleteMany(keys: string[]): boolean {
    for (const key of keys) this.#space.delete(key);
    return true;
  }

  deletePrefix(prefix: string): void {
    this.#space.deleteWhere(key => isUnder(key, prefix));
  }

  clear(): void {
    this.#space.clear();
  }

  namespace(): L1CacheDriver {
    return this;
  }

  async disconnect(): Promise<void> {}
}

/** bentocache's second layer: the cache tier, shared by all processes. `keyOf` gives the place of a key in the store. */
export class StoreLayer implements L2CacheDriver {
  readonly type = 'l2';
  readonly #parts: LayerParts & { store: HotStore; inflight: Inflight; keyOf: (key: string) => string };

  constructor(parts: LayerParts & { store: HotStore; inflight: Inflight; keyOf: (key: string) => string }) {
    this.#parts = parts;
  }

  async get(key: string): Promise<string | undefined> {
    const { store, inflight, keyOf, generations } = this.#parts;
    const passage = inflight.begin(key);
    try {
      const packed = await store.get(keyOf(key));
      if (packed === undefined) return undefined;
      const head = readHead(packed);
      const good = isUsable(head, this.#parts) && (await generations.matches(head.generations));
      // Overtaken: the answer left the store before an invalidation and would reach our memory after it.
      return good && !passage.overtaken ? packed : undefined;
    } finally {
      inflight.end(passage);
    }
  }

  async set(key: string, packed: string, ttlMs?: number): Promise<boolean> {
    await this.#parts.store.set(this.#parts.keyOf(key), packed, { ttlMs });
    return true;
  }

  async pull(key: string): Promise<string | undefined> {
    const packed = await this.get(key);
    await this.delete(key);
    return packed;
  }

  async delete(key: string): Promise<boolean> {
    return this.#parts.store.delete(this.#parts.keyOf(key));
  }

  async deleteMany(keys: string[]): Promise<boolean> {
    await Promise.all(keys.map(key => this.delete(key)));
    return true;
  }

  async clear(): Promise<void> {}

  namespace(): L2CacheDriver {
    return this;
  }

  async disconnect(): Promise<void> {}
}
