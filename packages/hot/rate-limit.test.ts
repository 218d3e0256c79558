import { fakeClock } from '@ghasi/testing/fake-clock';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { hotErrors } from './errors.ts';
import { inMemory } from './harness.conformance.ts';
import { localLimiter } from './local-limiter.ts';
import { rateLimitConformance } from './rate-limit.conformance.ts';
import { rateLimiter } from './rate-limit.ts';

describe('rate limits in memory', () => rateLimitConformance(inMemory));

const start = new Date('2026-03-01T00:00:00Z');

// The textbook form (ITU-T I.371, virtual scheduling), in exact fractions: times are counted in 1/limit microseconds.
class PlainGcra {
  #theoreticalArrival = 0n;
  take(
    atMs: number,
    { limit, windowMs, burst }: { limit: number; windowMs: number; burst: number },
  ): boolean {
    const at = BigInt(atMs) * 1_000n * BigInt(limit);
    const increment = BigInt(windowMs) * 1_000n;
    const tolerance = increment * BigInt(burst - 1);
    if (at < this.#theoreticalArrival - tolerance) return false;
    if (at > this.#theoreticalArrival) this.#theoreticalArrival = at;
    this.#theoreticalArrival += increment;
    return true;
  }
}

// Limits that divide a second evenly, so that our rounding to microseconds cannot differ from exact fractions.
const evenRate = fc.record({
  limit: fc.constantFrom(1, 2, 4, 5, 8, 10, 50, 100, 1_000),
  windowMs: fc.constantFrom(100, 1_000, 60_000),
  burst: fc.integer({ min: 1, max: 30 }),
});

test('M10: with a fake clock every decision equals a plain GCRA', async () => {
  const waits = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5_000 })),
    {
      maxLength: 200,
    },
  );
  await fc.assert(
    fc.asyncProperty(evenRate, waits, async (rate, steps) => {
      const clock = fakeClock(start);
      const limiter = rateLimiter(memoryHotStore({ tier: 'state', clock: () => clock.now().getTime() }));
      const plain = new PlainGcra();
      for (const waitMs of steps) {
        const at = clock.advance(waitMs).getTime();
        expect((await limiter.take('k', rate)).allowed).toBe(plain.take(at, rate));
      }
    }),
    { numRuns: 200 },
  );
});

test('M10: any rate, any window: never more than burst plus the rate, and retryAfterMs is when it works', async () => {
  const rate = fc.record({
    limit: fc.integer({ min: 1, max: 700 }),
    windowMs: fc.integer({ min: 1, max: 5_000 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(
      rate,
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 100 }),
      async (wanted, waits) => {
        const clock = fakeClock(start);
        const store = memoryHotStore({ tier: 'state', clock: () => clock.now().getTime() });
        const limiter = rateLimiter(store);
        const allowedAt: number[] = [];
        for (const waitMs of waits) {
          const at = clock.advance(waitMs).getTime();
          const answer = await limiter.take('k', wanted);
          if (answer.allowed) allowedAt.push(at);
          else {
            clock.advance(answer.retryAfterMs - 1);
            expect((await limiter.take('k', wanted)).allowed).toBe(false);
            allowedAt.push(clock.advance(1).getTime());
            expect((await limiter.take('k', wanted)).allowed).toBe(true);
          }
        }
        for (const [from, first] of allowedAt.entries()) {
          for (const [to, last] of allowedAt.entries()) {
            if (to < from) continue;
            expect((to - from + 1 - wanted.burst) * wanted.windowMs).toBeLessThanOrEqual(
              (last - first) * wanted.limit,
            );
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('a clock that goes back neither locks anybody out for longer than an empty bucket nor gives more', async () => {
  const clock = fakeClock(start);
  const limiter = rateLimiter(memoryHotStore({ tier: 'state', clock: () => clock.now().getTime() }));
  const rate = { limit: 10, windowMs: 10_000 };
  for (let at = 0; at < 10; at++) await limiter.take('k', rate);
  clock.advance(-86_400_000);
  expect(await limiter.take('k', rate)).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
  clock.advance(1_000);
  expect((await limiter.take('k', rate)).allowed).toBe(false); // the old future is kept until time has caught up
});

test('M10: rounding to microseconds never gives more than the limit, and hardly less', async () => {
  const store = memoryHotStore({ tier: 'state' });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 86_400_000 }),
      async (limit, windowMs) => {
        let intervalUs = 0;
        const spend: typeof store.spend = (key, bucket) => {
          intervalUs = bucket.intervalUs;
          return store.spend(key, bucket);
        };
        await rateLimiter({ ...store, spend }).take('k', { limit, windowMs, burst: 1 });
        expect(intervalUs * limit).toBeGreaterThanOrEqual(windowMs * 1_000);
        expect((intervalUs - 1) * limit).toBeLessThan(windowMs * 1_000);
      },
    ),
  );
});

test('a rate that makes no sense is refused', async () => {
  const limiter = rateLimiter(memoryHotStore({ tier: 'state' }));
  for (const rate of [
    { limit: 0, windowMs: 1_000 },
    { limit: 1, windowMs: Number.NaN },
    { limit: 1.5, windowMs: 1_000 },
    { limit: 1, windowMs: 1_000, burst: 0 },
    { limit: 1, windowMs: 86_400_000 * 365, burst: 1_000 },
  ]) {
    await expect(limiter.take('k', rate)).rejects.toSatisfy(hotErrors.MALFORMED_RATE.is);
  }
  expect(() => rateLimiter(memoryHotStore({ tier: 'cache' }))).toThrow('needs the state tier');
});

describe('safety-36: when the store is down', () => {
  const down = async () => {
    const store = memoryHotStore({ tier: 'state' });
    await store.close();
    return store;
  };

  test('a rate that is closed refuses everyone and says that it could not ask', async () => {
    const limiter = rateLimiter(await down());
    for (const whenDown of [undefined, 'closed'] as const) {
      const answer = await limiter.take('login:a', { limit: 1_000, windowMs: 1_000, whenDown });
      expect(answer).toMatchObject({ allowed: false, remaining: 0, unavailable: true });
      expect(answer.retryAfterMs).toBeGreaterThan(0);
    }
  });

  test('a rate that is local is counted in this process: bounded, not open', async () => {
    const clock = fakeClock(start);
    const limiter = rateLimiter(await down(), () => clock.now().getTime());
    const rate = { limit: 5, windowMs: 1_000, whenDown: 'local' } as const;
    const answers = await Promise.all(Array.from({ length: 200 }, () => limiter.take('search:a', rate)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(answers.every(({ unavailable }) => unavailable)).toBe(true);
    clock.advance(200);
    expect((await limiter.take('search:a', rate)).allowed).toBe(true);
    expect((await limiter.take('search:a', rate)).allowed).toBe(false);
  });

  test('a full store counts as down', async () => {
    const store = memoryHotStore({ tier: 'state', maxBytes: 50 });
    const answer = await rateLimiter(store).take('login:a', { limit: 5, windowMs: 1_000 });
    expect(answer).toMatchObject({ allowed: false, unavailable: true });
  });

  test('inventing keys gains nothing: when the local table is full, unknown keys are refused', () => {
    const clock = fakeClock(start);
    const local = localLimiter(() => clock.now().getTime(), 100);
    const bucket = { intervalUs: 1_000_000, burst: 2, cost: 1 };
    const answers = Array.from({ length: 1_000 }, (_, at) => local.spend(`invented:${at}`, bucket).allowed);
    expect(answers.filter(Boolean)).toHaveLength(100);
    expect(local.spend('invented:0', bucket).allowed).toBe(true); // known keys keep what is theirs
    clock.advance(2_000);
    expect(local.spend('late', bucket).allowed).toBe(true); // idle buckets made room
  });
});
