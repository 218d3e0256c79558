import { fakeClock } from '@ghasi/testing/fake-clock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { hotErrors } from './errors.ts';
import { inMemory } from './harness.conformance.ts';
import { lockConformance } from './lock.conformance.ts';
import { withLock } from './lock.ts';

describe('locks in memory', () => lockConformance(inMemory));

describe('with fake timers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('LOCK-05: long work keeps its lock by renewing it', async () => {
    const store = memoryHotStore({ tier: 'state' });
    const outcome = await withLock(store, 'long', { ttlMs: 1_000 }, async lease => {
      await vi.advanceTimersByTimeAsync(60_000);
      expect(lease.lost.aborted).toBe(false);
      expect((await withLock(store, 'long', { ttlMs: 1_000 }, async () => 1)).kind).toBe('busy');
      return 'kept';
    });
    expect(outcome).toEqual({ kind: 'done', value: 'kept' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('LOCK-04: with manual renewal the lock ends unless the holder renews', async () => {
    const store = memoryHotStore({ tier: 'state' });
    const outcome = withLock(store, 'manual', { ttlMs: 1_000, renewal: 'manual' }, async lease => {
      for (let at = 0; at < 5; at++) {
        await vi.advanceTimersByTimeAsync(800);
        await lease.renew();
      }
      await vi.advanceTimersByTimeAsync(1_000);
      expect(lease.lost.aborted).toBe(true);
      await lease.renew();
    });
    await expect(outcome).rejects.toSatisfy(hotErrors.LOCK_LOST.is);
  });

  test('without an answer from the store the holder gives up before the lock can be somebody else’s', async () => {
    const store = memoryHotStore({ tier: 'state' });
    const deaf = { ...store, lease: { ...store.lease, renew: () => Promise.reject(new Error('no line')) } };
    const outcome = withLock(deaf, 'x', { ttlMs: 1_000 }, async lease => {
      await vi.advanceTimersByTimeAsync(899);
      expect(lease.lost.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(lease.lost.aborted).toBe(true);
      expect(await store.get('lock:x')).toBe(lease.token); // still ours for another tenth
    });
    await expect(outcome).rejects.toSatisfy(hotErrors.LOCK_LOST.is);
  });
});

test('X-108: fence numbers continue above those of a process that ended, and when the clock goes back', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const open = () => memoryHotStore({ tier: 'state', clock: () => clock.now().getTime() });
  const fenceOf = async (store = open()) => {
    const fence = await store.lease.acquire('l', 't', 1_000);
    await store.lease.release('l', 't');
    return fence ?? Number.NaN;
  };
  const first = open();
  const numbers = [await fenceOf(first), await fenceOf(first)];
  clock.advance(-60_000);
  numbers.push(await fenceOf(first));
  clock.advance(60_001);
  numbers.push(await fenceOf(open()));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});
