import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hotErrors } from './errors.ts';
import type { Harness, Shared } from './harness.conformance.ts';
import { rateLimiter } from './rate-limit.ts';

/** What a rate limiter must do on every adapter. */
export function rateLimitConformance(harness: Harness): void {
  let shared: Shared;
  beforeEach(async () => {
    shared = await harness('state');
  });
  afterEach(async () => {
    await shared.close();
  });

  test('safety-36: exact under 200 parallel takes from two processes', async () => {
    const limiters = [rateLimiter(shared.one), rateLimiter(shared.two)] as const;
    const rate = { limit: 50, windowMs: 3_600_000 };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => limiters[at % 2 ? 0 : 1].take('login:zmarai', rate)),
    );
    const allowed = answers.filter(answer => answer.allowed);
    expect(allowed).toHaveLength(50);
    expect(allowed.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 50 }, (_, at) => 49 - at),
    );
    for (const { allowed, retryAfterMs, unavailable } of answers) {
      expect(unavailable).toBe(false);
      expect(allowed ? retryAfterMs === 0 : retryAfterMs > 0 && retryAfterMs <= 72_000).toBe(true);
    }
  });

  test('one key does not use up another’s limit', async () => {
    const limiter = rateLimiter(shared.one);
    const rate = { limit: 1, windowMs: 3_600_000 };
    expect((await limiter.take('tenant-a', rate)).allowed).toBe(true);
    expect((await limiter.take('tenant-a', rate)).allowed).toBe(false);
    expect((await limiter.take('tenant-b', rate)).allowed).toBe(true);
  });

  test('a burst smaller than the limit, and costs above one, are honoured; a refusal costs nothing', async () => {
    const limiter = rateLimiter(shared.one);
    const rate = { limit: 100, windowMs: 3_600_000, burst: 10 };
    expect(await limiter.take('export', { ...rate, cost: 7 })).toMatchObject({ allowed: true, remaining: 3 });
    expect(await limiter.take('export', { ...rate, cost: 4 })).toMatchObject({
      allowed: false,
      remaining: 3,
    });
    expect(await limiter.take('export', { ...rate, cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
    await expect(limiter.take('export', { ...rate, cost: 11 })).rejects.toSatisfy(
      hotErrors.MALFORMED_RATE.is,
    );
  });

  test('a limit that was lowered makes nobody wait longer than an empty bucket of the new one', async () => {
    const limiter = rateLimiter(shared.one);
    await limiter.take('k', { limit: 100, windowMs: 3_600_000, cost: 100 });
    const answer = await limiter.take('k', { limit: 10, windowMs: 600_000 });
    expect(answer.allowed).toBe(false);
    expect(answer.retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(answer.resetAfterMs).toBeLessThanOrEqual(600_000);
  });

  test('what was used comes back with time', async () => {
    const limiter = rateLimiter(shared.one);
    const rate = { limit: 2, windowMs: 4_000 }; // two seconds for one, which three takes are done in on a busy machine
    for (const expected of [true, true, false])
      expect((await limiter.take('search', rate)).allowed).toBe(expected);
    await shared.eventually('one is back', async () => (await limiter.take('search', rate)).allowed);
  });

  // The store tells which time it used, so the model can be asked the same question, also on a real clock.
  test('M10: answers of the store equal a plain model of the bucket at the times the store used', async () => {
    const bucket = fc.record({
      intervalUs: fc.integer({ min: 1, max: 3_000 }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        bucket,
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 }),
        async (rate, costs) => {
          const key = `model:${run++}`;
          let usedUs = 0; // how much of the bucket is in use; it drains by one per microsecond
          let seenAt = 0;
          for (const cost of costs.map(wanted => Math.min(wanted, rate.burst))) {
            const spent = await shared.one.spend(key, { ...rate, cost });
            usedUs = Math.max(0, usedUs - Math.max(0, spent.atUs - seenAt));
            seenAt = spent.atUs;
            const fits = usedUs + cost * rate.intervalUs <= rate.burst * rate.intervalUs;
            const missingUs = usedUs + (cost - rate.burst) * rate.intervalUs;
            if (fits) usedUs += cost * rate.intervalUs;
            expect(spent).toMatchObject({
              allowed: fits,
              remaining: Math.floor(rate.burst - usedUs / rate.intervalUs),
              retryAfterUs: fits ? 0 : missingUs,
              resetAfterUs: usedUs,
            });
          }
        },
      ),
      { numRuns: 40 },
    );
  });
}
