import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, defaultRetry, namedBackoffMs, type RetryPolicy } from './broker.ts';

const policies: fc.Arbitrary<RetryPolicy> = fc
  .record({
    minBackoffMs: fc.integer({ min: 1, max: 60_000 }),
    span: fc.integer({ min: 1, max: 1_000 }),
    maxAttempts: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ minBackoffMs, span, maxAttempts }) => ({
    minBackoffMs,
    maxBackoffMs: minBackoffMs * span,
    maxAttempts,
  }));

test('DLQ-01, DLQ-02, DLQ-07: 10 s doubling to 600 s, seven attempts', () => {
  expect(defaultRetry).toEqual({ minBackoffMs: 10_000, maxBackoffMs: 600_000, maxAttempts: 7 });
  const full = [1, 2, 3, 4, 5, 6, 7, 8].map(attempts => backoffMs(attempts, defaultRetry, () => 0));
  expect(full).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]);
});

test('X-066: the six waits between seven attempts last between ten and a half and just over thirteen minutes', () => {
  const waits = (chance: number) =>
    [1, 2, 3, 4, 5, 6].reduce((sum, attempts) => sum + backoffMs(attempts, defaultRetry, () => chance), 0);
  expect(waits(0)).toBe(630_000);
  expect(waits(1)).toBe(787_500);
});

test('DLQ-01, DLQ-02: chance adds a quarter at most; no wait is shorter than the shortest or longer than the longest', () => {
  fc.assert(
    fc.property(
      policies,
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (policy, n, chance) => {
        const wait = backoffMs(n, policy, () => chance);
        const least = Math.min(policy.maxBackoffMs, policy.minBackoffMs * 2 ** (n - 1));
        expect(wait).toBeGreaterThanOrEqual(least);
        expect(wait).toBeGreaterThanOrEqual(policy.minBackoffMs);
        expect(wait).toBeLessThanOrEqual(Math.min(policy.maxBackoffMs, Math.ceil(least * 1.25)));
      },
    ),
  );
});

test('waits never get shorter with the attempts', () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 200 }), (policy, n) => {
      expect(backoffMs(n + 1, policy, () => 0.5)).toBeGreaterThanOrEqual(backoffMs(n, policy, () => 0.5));
    }),
  );
});

test('X-088: a handler that waits 2 s for an earlier event has two minutes before it gives up', () => {
  const waits = [1, 2, 3, 4, 5, 6].map(attempts => namedBackoffMs(attempts, 2_000, defaultRetry));
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000]);
  expect(namedBackoffMs(3, 3_600_000, defaultRetry)).toBe(3_600_000); // never sooner than it asked for
});
