import { expect, onTestFinished, test, vi } from 'vitest';
import { Pauses } from './pauses.ts';

test('X-066: a pause is of one tenant or of all, becomes longer and never shorter, and is forgotten at its end', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ended = vi.fn();
  const pauses = new Pauses(ended);
  pauses.begin({ forMs: 100, tenantId: 'a' });
  expect([pauses.hold('a'), pauses.hold('b'), pauses.ofAll, pauses.tenants]).toEqual([
    true,
    false,
    false,
    ['a'],
  ]);
  pauses.begin({ forMs: 200, tenantId: 'a' });
  pauses.begin({ forMs: 50, tenantId: 'a' });
  pauses.begin({ forMs: 120 });
  expect([pauses.hold('b'), pauses.of('b'), pauses.ofAll, pauses.tenants]).toEqual([
    true,
    false,
    true,
    ['a'],
  ]);
  vi.advanceTimersByTime(121);
  expect([pauses.hold('a'), pauses.hold('b'), pauses.ofAll]).toEqual([true, false, false]);
  vi.advanceTimersByTime(80);
  expect([pauses.hold('a'), pauses.tenants]).toEqual([false, []]);
  expect(ended).toHaveBeenCalledTimes(2);
});
