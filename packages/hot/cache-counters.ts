import type { CacheKey } from './cache-key.ts';
import type { HotLog } from './observe.ts';

/** Use of one key since the last batch: what `cache_metadata` keeps (CACHE-01 to CACHE-10), times as milliseconds. */
export type CacheUse = {
  key: CacheKey;
  hits: number;
  misses: number;
  lastAccessedAt: number;
  ttlMs: number;
  tags: readonly string[];
};

/** Writes one batch; called at most once at a time. What it could not write comes again with the next batch. */
export type FlushUses = (uses: CacheUse[]) => Promise<void>;

/** How often batches are written. */
export const FLUSH_EVERY_MS = 60_000;

/** Keys counted between two batches; others are left out of the batch, never out of the metrics. */
const MAX_KEYS = 10_000;

/** Counts hits in memory and hands them over in batches: a write per hit would cost more than the cache saves. */
export class CacheCounters {
  readonly #flush: FlushUses;
  readonly #log: HotLog | undefined;
  readonly #ticker: NodeJS.Timeout;
  #uses = new Map<CacheKey, CacheUse>();
  #flushing: Promise<void> | undefined;

  constructor({ flush, log }: { flush: FlushUses; log?: HotLog | undefined }) {
    this.#flush = flush;
    this.#log = log;
    this.#ticker = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  count(
    key: CacheKey,
    result: 'hit' | 'miss',
    facts: { at: number; ttlMs: number; tags: readonly string[] },
  ): void {
    const known = this.#uses.get(key) ?? { key, hits: 0, misses: 0, lastAccessedAt: 0, ttlMs: 0, tags: [] };
    if (known.lastAccessedAt === 0 && this.#uses.size >= MAX_KEYS) return;
    this.#uses.set(key, {
      key,
      hits: known.hits + (result === 'hit' ? 1 : 0),
      misses: known.misses + (result === 'miss' ? 1 : 0),
      lastAccessedAt: facts.at,
      ttlMs: facts.ttlMs,
      tags: facts.tags,
    });
  }

  /** Hands over what was counted so far; waits for a batch that is under way instead of starting a second. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    await this.flush();
  }

  async #flushOnce(): Promise<void> {
    const batch = this.#uses;
    if (batch.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#flush([...batch.values()]);
    } catch (error) {
      this.#log?.warn(
        { err: error, keys: batch.size },
        'could not write cache counters; they come with the next batch',
      );
      this.#takeBack(batch);
    }
  }

  #takeBack(batch: Map<CacheKey, CacheUse>): void {
    for (const [key, old] of batch) {
      const since = this.#uses.get(key);
      if (since !== undefined) {
        this.#uses.set(key, { ...since, hits: since.hits + old.hits, misses: since.misses + old.misses });
      } else if (this.#uses.size < MAX_KEYS) {
        this.#uses.set(key, old);
      }
    }
  }
}
