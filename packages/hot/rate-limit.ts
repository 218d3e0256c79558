import { hotErrors } from './errors.ts';
import type { Bucket, Spent } from './gcra.ts';
import { localLimiter } from './local-limiter.ts';
import type { HotStore } from './port.ts';

/**
 * `limit` per `windowMs`, spread evenly, with up to `burst` (default `limit`) at once. `whenDown` says what happens when
 * the store does not answer: `closed` (default; for sign-in, MFA, reset) refuses, `local` lets this process count alone.
 */
export type RateLimit = {
  limit: number;
  windowMs: number;
  burst?: number | undefined;
  /** Units this call takes; default 1, at most `burst`. */
  cost?: number | undefined;
  whenDown?: 'closed' | 'local' | undefined;
};

/** `unavailable`: the store did not answer, and `allowed` is this process's own decision. */
export type Taken = {
  allowed: boolean;
  remaining: number;
  retryAfterMs: number;
  resetAfterMs: number;
  unavailable: boolean;
};

/** Counts over all processes that share the store. */
export type RateLimiter = { take(key: string, rate: RateLimit): Promise<Taken> };

/** When the store is down and the rate is `closed`, clients are asked to wait this long: reconnecting takes seconds. */
const RETRY_WHEN_DOWN_MS = 5_000;

/**
 * A limiter over the state tier, by the clock of the store. `clock` (milliseconds) is only for the local counting while
 * the store is down. Keys come from `tenantKey`, so that tenants never share a bucket.
 */
export function rateLimiter(store: HotStore, clock: () => number = Date.now): RateLimiter {
  if (store.tier !== 'state') throw hotErrors.WRONG_TIER({ purpose: 'A rate limiter', tier: store.tier });
  const local = localLimiter(clock);
  return {
    async take(key, rate) {
      const bucket = bucketOf(rate);
      try {
        return taken(await store.spend(`rate:${key}`, bucket), false);
      } catch (error) {
        // A full store cannot count either: both mean that nobody can say how much is left.
        if (!hotErrors.STORE_UNAVAILABLE.is(error) && !hotErrors.STORE_FULL.is(error)) throw error;
        if (rate.whenDown === 'local') return taken(local.spend(key, bucket), true);
        return {
          allowed: false,
          remaining: 0,
          retryAfterMs: RETRY_WHEN_DOWN_MS,
          resetAfterMs: RETRY_WHEN_DOWN_MS,
          unavailable: true,
        };
      }
    },
  };
}

/** The interval is rounded up to a microsecond: never more than the limit, and at most that much less. */
function bucketOf({ limit, windowMs, burst = limit, cost = 1 }: RateLimit): Bucket {
  for (const [name, value] of Object.entries({ limit, windowMs, burst, cost })) {
    if (!Number.isInteger(value) || value < 1)
      throw hotErrors.MALFORMED_RATE({ reason: `${name} is ${value}` });
  }
  if (cost > burst)
    throw hotErrors.MALFORMED_RATE({ reason: `cost ${cost} can never fit a burst of ${burst}` });
  const intervalUs = Math.ceil((windowMs * 1000) / limit);
  // 10 years in microseconds: beyond that, sums with the clock would leave the exact integers.
  if (intervalUs * burst > 315_360_000_000_000)
    throw hotErrors.MALFORMED_RATE({ reason: 'a full burst takes over 10 years' });
  return { intervalUs, burst, cost };
}

function taken({ allowed, remaining, retryAfterUs, resetAfterUs }: Spent, unavailable: boolean): Taken {
  return {
    allowed,
    remaining,
    retryAfterMs: Math.ceil(retryAfterUs / 1000),
    resetAfterMs: Math.ceil(resetAfterUs / 1000),
    unavailable,
  };
}
