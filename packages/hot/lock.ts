import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hotErrors } from './errors.ts';
import type { HotMetrics } from './observe.ts';
import type { HotStore } from './port.ts';

/**
 * What the holder of a lock knows. `fence` rises from holder to holder: every write made under the lock carries it and
 * is refused by PostgreSQL when a higher one was there before (`… where fence <= $fence`). `lost` fires as soon as the
 * lock may belong to somebody else; pass it on to whatever can be stopped.
 */
export type Lease = {
  readonly token: string;
  readonly fence: number;
  readonly lost: AbortSignal;
  /** Starts the time to live anew; throws LOCK_LOST when somebody else may hold the lock. */
  renew(): Promise<void>;
};

/** `ttlMs`: how long a dead holder blocks others (LOCK-04). */
export type LockOptions = {
  ttlMs: number;
  /** How long to wait for a holder to finish; default 0: ask once. */
  waitMs?: number;
  /** `auto` (default) renews every third of the time to live while the work runs. */
  renewal?: 'auto' | 'manual';
  observe?: { metrics: HotMetrics; service: string; lock: string };
};

/** `busy`: somebody else holds the lock and the work did not run. */
export type LockOutcome<T> = { kind: 'done'; value: T } | { kind: 'busy' };

/**
 * Runs `work` while holding the lock `key`, and releases it only if it is still ours. Throws LOCK_LOST when the lock
 * was lost before the work ended: what the work wrote with an old fence number has then been refused.
 */
export async function withLock<T>(
  store: HotStore,
  key: string,
  options: LockOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<LockOutcome<T>> {
  if (store.tier !== 'state') throw hotErrors.WRONG_TIER({ purpose: `The lock ${key}`, tier: store.tier });
  const lockKey = `lock:${key}`;
  const held = await acquire(store, lockKey, options);
  count(options, held === undefined ? 'busy' : 'taken');
  if (held === undefined) return { kind: 'busy' };
  try {
    const value = await work(held.lease);
    held.lease.lost.throwIfAborted();
    return { kind: 'done', value };
  } catch (error) {
    if (held.lease.lost.aborted) count(options, 'lost');
    throw error;
  } finally {
    held.stop();
    // If the store is down the lock ends by its time to live.
    await store.lease.release(lockKey, held.lease.token).catch(() => false);
  }
}

async function acquire(store: HotStore, key: string, { ttlMs, waitMs = 0, renewal = 'auto' }: LockOptions) {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 250)) {
    const token = randomUUID();
    const askedAt = performance.now();
    const fence = await store.lease.acquire(key, token, ttlMs);
    if (fence !== undefined) return hold(store, key, { token, fence, ttlMs, askedAt, renewal });
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return undefined;
    // Jitter, so that those who wait for the same holder do not ask in step.
    await delay(Math.min(leftMs, pauseMs * (0.5 + Math.random())));
  }
}

type Grant = { token: string; fence: number; ttlMs: number; askedAt: number; renewal: 'auto' | 'manual' };

function hold(store: HotStore, key: string, { token, fence, ttlMs, askedAt, renewal }: Grant) {
  const lost = new AbortController();
  let deadline: NodeJS.Timeout;

  function lose(reason: string): void {
    stop();
    if (!lost.signal.aborted) lost.abort(hotErrors.LOCK_LOST({ key, reason }));
  }
  // The server counts from when it got our call, we from before it: our deadline comes first. The tenth is for
  // clocks that run at different speeds and timers that fire late. Without an answer by then we assume the worst.
  function startDeadline(from: number): void {
    clearTimeout(deadline);
    const leftMs = from + ttlMs * 0.9 - performance.now();
    deadline = setTimeout(() => lose('it could not be renewed in time'), Math.max(leftMs, 0)).unref();
  }
  async function renew(): Promise<void> {
    lost.signal.throwIfAborted();
    const from = performance.now();
    if (await store.lease.renew(key, token, ttlMs)) startDeadline(from);
    else lose('it expired, or the store lost it');
    lost.signal.throwIfAborted();
  }
  // A failed renewal either has fired `lost` or is tried again before the deadline.
  const ticker =
    renewal === 'auto' ? setInterval(() => void renew().catch(() => {}), ttlMs / 3).unref() : undefined;

  function stop(): void {
    clearTimeout(deadline);
    clearInterval(ticker);
  }
  startDeadline(askedAt);
  return { lease: { token, fence, lost: lost.signal, renew } satisfies Lease, stop };
}

function count({ observe }: LockOptions, result: 'taken' | 'busy' | 'lost'): void {
  observe?.metrics.inc('melmastoon_lock_attempts_total', {
    service: observe.service,
    lock: observe.lock,
    result,
  });
}
