/** A bucket in whole microseconds, so that a burst of n is exactly n: fractions of a millisecond would add up. */
export type Bucket = {
  /** Time that one unit takes to come back. */
  intervalUs: number;
  /** Units available after a rest. */
  burst: number;
  /** Units this call wants, at most `burst`. */
  cost: number;
};

/** What a bucket said; `atUs` is the store's clock at that moment. */
export type Spent = {
  allowed: boolean;
  remaining: number;
  retryAfterUs: number;
  resetAfterUs: number;
  atUs: number;
};

/**
 * One step of the generic cell rate algorithm. State is a single number, the time at which the bucket would be full
 * again (`fullAtUs`, undefined = full). adapters/redis-scripts.ts is the same in Lua; rate-limit.test.ts compares both
 * with a plain model.
 */
export function spendFrom(
  fullAtUs: number | undefined,
  { intervalUs, burst, cost }: Bucket,
  atUs: number,
): { spent: Spent; fullAtUs: number } {
  const capacityUs = burst * intervalUs;
  // More than an empty bucket cannot be: the clock went back or the limit was lowered.
  const before = Math.min(Math.max(fullAtUs ?? atUs, atUs), atUs + capacityUs);
  const after = before + cost * intervalUs;
  const allowed = after - atUs <= capacityUs;
  const level = allowed ? after : before;
  return {
    fullAtUs: level,
    spent: {
      allowed,
      remaining: Math.floor((capacityUs - (level - atUs)) / intervalUs),
      retryAfterUs: allowed ? 0 : after - atUs - capacityUs,
      resetAfterUs: level - atUs,
      atUs,
    },
  };
}
