import { expect, test } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

/** A breaker that opens at three keys, and a clock. */
function openBreaker() {
  let now = 0;
  const breaker = new CircuitBreaker({ failingKeys: 3, firstPauseMs: 100, longestPauseMs: 300 }, () => now);
  return { breaker, pass: (ms: number) => (now += ms) };
}

test('X-066: failures count until too many keys fail in a row; then nothing is tried for a while', () => {
  const { breaker, pass } = openBreaker();
  expect([breaker.failed('a'), breaker.failed('b'), breaker.failed('b')]).toEqual([true, true, true]);
  expect(breaker.restMs).toBe(0);
  expect(breaker.failed('c')).toBe(false);
  expect(breaker.restMs).toBe(100);
  pass(40);
  expect(breaker.restMs).toBe(60);
});

test('X-066: after each pause one failure counts, however many are tried at once, and the pauses grow', () => {
  const { breaker, pass } = openBreaker();
  for (const key of ['a', 'b', 'c']) breaker.failed(key);
  const pauses = [];
  for (const wait of [100, 200, 300]) {
    pass(wait);
    expect([breaker.failed('c'), breaker.failed('a'), breaker.failed('d')]).toEqual([true, false, false]);
    pauses.push(breaker.restMs);
  }
  expect(pauses).toEqual([200, 300, 300]);
});

test('a success closes it: failures count again, from the first key', () => {
  const { breaker } = openBreaker();
  for (const key of ['a', 'b', 'c']) breaker.failed(key);
  breaker.succeeded();
  expect([breaker.isTesting, breaker.restMs]).toEqual([false, 0]);
  expect([breaker.failed('a'), breaker.failed('b'), breaker.failed('c')]).toEqual([true, true, false]);
});
