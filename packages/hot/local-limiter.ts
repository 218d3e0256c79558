import { type Bucket, type Spent, spendFrom } from './gcra.ts';

/** Keys counted at the same time; 10,000 buckets are about 2 MB. */
const MAX_KEYS = 10_000;

const SWEEP_EVERY_US = 100_000;

/**
 * What a process can do alone while the store is down. It is bounded in both directions: each key gets at most its own
 * rate from this process, and when the table is full of buckets in use, unknown keys are refused instead of making
 * room, so that nobody gains by inventing keys.
 */
export function localLimiter(clock: () => number, maxKeys: number = MAX_KEYS) {
  const fullAt = new Map<string, number>();
  let sweptAtUs = 0;

  function makeRoom(atUs: number): boolean {
    if (Math.abs(atUs - sweptAtUs) < SWEEP_EVERY_US) return false; // a flood must not buy a walk per request
    sweptAtUs = atUs;
    for (const [key, at] of fullAt) if (at <= atUs) fullAt.delete(key); // a full bucket is like an unknown one
    return fullAt.size < maxKeys;
  }

  return {
    spend(key: string, bucket: Bucket): Spent {
      const atUs = Math.round(clock() * 1000);
      const known = fullAt.get(key);
      if (known === undefined && fullAt.size >= maxKeys && !makeRoom(atUs)) {
        const waitUs = bucket.intervalUs * bucket.cost;
        return { allowed: false, remaining: 0, retryAfterUs: waitUs, resetAfterUs: waitUs, atUs };
      }
      const { spent, fullAtUs } = spendFrom(known, bucket, atUs);
      if (spent.allowed) fullAt.set(key, fullAtUs);
      return spent;
    },
  };
}
