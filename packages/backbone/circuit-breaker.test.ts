import { expect, test } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

/** A breaker that opens at three keys, and a clock. A key is `<tenant>:<aggregate>`, as everywhere. */
function openBreaker() {
  let now = 0;
  const breaker = new CircuitBreaker({ failingKeys: 3, firstPauseMs: 100, longestPauseMs: 300 }, () => now);
  return {
    breaker,
    pass: (ms: number) => (now += ms),
    /** Whether each of these failures counts. */
    fail: (...keys: string[]) =>
      keys.map(orderingKey => breaker.failed({ tenantId: orderingKey.split(':')[0] ?? '', orderingKey })),
  };
}

test('X-066: failures count until too many keys of a tenant fail in a row; then nothing of it is tried for a while', () => {
  const { breaker, pass, fail } = openBreaker();
  expect(fail('a:1', 'a:2', 'a:2')).toEqual([true, true, true]);
  expect(breaker.restOf('a')).toBeUndefined();
  expect(fail('a:3')).toEqual([false]);
  expect(breaker.restOf('a')).toEqual({ forMs: 100, tenantId: 'a' });
  pass(40);
  expect(breaker.restOf('a')).toEqual({ forMs: 60, tenantId: 'a' });
});

test('X-066: after each pause one failure counts, however many are tried at once, and the pauses grow', () => {
  const { breaker, pass, fail } = openBreaker();
  fail('a:1', 'a:2', 'a:3');
  const pauses = [];
  for (const wait of [100, 200, 300]) {
    pass(wait);
    expect(breaker.isTesting('a')).toBe(true);
    expect(fail('a:3', 'a:1', 'a:4')).toEqual([true, false, false]);
    pauses.push(breaker.restOf('a')?.forMs);
  }
  expect(pauses).toEqual([200, 300, 300]);
});

test('a success closes it: failures count again, from the first key', () => {
  const { breaker, fail } = openBreaker();
  fail('a:1', 'a:2', 'a:3');
  breaker.succeeded('a');
  expect([breaker.isTesting('a'), breaker.restOf('a')]).toEqual([false, undefined]);
  expect(fail('a:1', 'a:2', 'a:3')).toEqual([true, true, false]);
});

test('ORD-04: a tenant that pauses is no matter of the others, and their successes do not end its pause', () => {
  const { breaker, pass, fail } = openBreaker();
  fail('a:1', 'a:2', 'a:3');
  expect([breaker.isTesting('b'), breaker.restOf('b')]).toEqual([false, undefined]);
  breaker.succeeded('b');
  expect(breaker.restOf('a')).toEqual({ forMs: 100, tenantId: 'a' });
  expect(fail('b:1', 'b:2', 'a:4', 'b:3')).toEqual([true, true, false, false]); // and several may pause, each for itself
  expect(breaker.restOf('b')).toEqual({ forMs: 100, tenantId: 'b' });
  expect(breaker.restOf('c')).toBeUndefined();
  pass(100);
  breaker.succeeded('c');
  expect(fail('a:1')).toEqual([true]);
  expect(breaker.restOf('a')).toEqual({ forMs: 200, tenantId: 'a' });
  expect(breaker.restOf('c')).toBeUndefined();
});

test('X-066: where nothing works for several tenants, the subscription pauses, and one attempt of all counts', () => {
  const { breaker, pass, fail } = openBreaker();
  expect(fail('a:1', 'b:1', 'c:1', 'd:1')).toEqual([true, true, false, false]);
  expect([breaker.restOf('a'), breaker.restOf('e')]).toEqual([{ forMs: 100 }, { forMs: 100 }]);
  pass(100);
  expect(breaker.isTesting('e')).toBe(true);
  expect(fail('e:1', 'a:1', 'c:1')).toEqual([true, false, false]);
  expect(breaker.restOf('a')).toEqual({ forMs: 200 });
  breaker.succeeded('c');
  expect([breaker.restOf('a'), breaker.isTesting('a')]).toEqual([undefined, false]);
});

test('X-066: a second tenant that fails while the first one pauses, with no success in between, pauses the subscription', () => {
  const { breaker, pass, fail } = openBreaker();
  fail('a:1', 'a:2', 'a:3');
  pass(40);
  expect(fail('b:1')).toEqual([false]);
  expect([breaker.restOf('a'), breaker.restOf('c')]).toEqual([{ forMs: 100 }, { forMs: 100 }]);
  pass(100);
  expect(fail('a:1')).toEqual([true]); // the test of both
  expect(breaker.restOf('b')).toEqual({ forMs: 200 });
  breaker.succeeded('b'); // it had begun before
  expect([breaker.restOf('a'), breaker.restOf('b')]).toEqual([{ forMs: 200, tenantId: 'a' }, undefined]);
});

test('it remembers a thousand failing tenants and no more', () => {
  const { breaker, fail } = openBreaker();
  const others = Array.from({ length: 1_000 }, (_, n) => `t${n}`);
  fail('a:1', 'a:2', 'a:3');
  for (const tenantId of others) {
    breaker.succeeded('quiet'); // or all would pause
    fail(`${tenantId}:1`);
  }
  expect([breaker.isTesting('a'), breaker.isTesting('t999')]).toEqual([false, false]);
  fail('t999:2', 't999:3');
  expect(breaker.restOf('t999')?.tenantId).toBe('t999');
});
