import { expect, test } from 'vitest';
import { RetryLater } from './outcome.ts';

const DAY_MS = 86_400_000;

test.each([
  [5_000, 5_000],
  [-1, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 30 * DAY_MS],
  [1e18, 30 * DAY_MS],
])('to be run again after %d ms is a time that a database can add to its own', (asked, afterMs) => {
  expect(new RetryLater(asked).afterMs).toBe(afterMs);
});
