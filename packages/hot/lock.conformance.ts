import { signal } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hotErrors } from './errors.ts';
import type { Harness, Shared } from './harness.conformance.ts';
import { withLock } from './lock.ts';

const MINUTE = 60_000;

/** What a lock must do on every adapter. */
export function lockConformance(harness: Harness): void {
  let shared: Shared;
  beforeEach(async () => {
    shared = await harness('state');
  });
  afterEach(async () => {
    await shared.close();
  });

  test('LOCK-03: while one process works the others find it busy, and afterwards it is free', async () => {
    const [started, finish] = [signal(), signal()];
    const first = withLock(shared.one, 'night-audit', { ttlMs: MINUTE }, async () => {
      started.fire();
      await finish.promise;
      return 'first';
    });
    await started.promise;
    const others = await Promise.all(
      Array.from({ length: 20 }, () =>
        withLock(shared.two, 'night-audit', { ttlMs: MINUTE }, async () => 'second'),
      ),
    );
    expect(others).toEqual(Array(20).fill({ kind: 'busy' }));
    expect((await withLock(shared.two, 'another', { ttlMs: MINUTE }, async () => 1)).kind).toBe('done');
    finish.fire();
    expect(await first).toEqual({ kind: 'done', value: 'first' });
    expect(await withLock(shared.two, 'night-audit', { ttlMs: MINUTE }, async () => 'next')).toEqual({
      kind: 'done',
      value: 'next',
    });
  });

  test('the work of 30 callers that wait never overlaps, and fence numbers rise in the order of holding', async () => {
    const fences: number[] = [];
    let inside = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        withLock(
          at % 2 ? shared.one : shared.two,
          'room-12',
          { ttlMs: MINUTE, waitMs: MINUTE },
          async ({ fence }) => {
            inside++;
            expect(inside).toBe(1);
            await shared.one.get('something'); // gives others a chance to come in
            fences.push(fence);
            inside--;
          },
        ),
      ),
    );
    expect(outcomes.every(({ kind }) => kind === 'done')).toBe(true);
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    expect(fences.every(Number.isSafeInteger)).toBe(true);
  });

  test('work that throws releases the lock', async () => {
    const failing = withLock(shared.one, 'import', { ttlMs: MINUTE }, async () => {
      throw new Error('bad file');
    });
    await expect(failing).rejects.toThrow('bad file');
    expect((await withLock(shared.two, 'import', { ttlMs: MINUTE }, async () => 1)).kind).toBe('done');
  });

  test('LOCK-04: a worker that died holds the lock no longer than its time to live', async () => {
    expect(await shared.one.lease.acquire('lock:export', 'of a dead worker', 800)).toBeDefined();
    expect((await withLock(shared.two, 'export', { ttlMs: MINUTE }, async () => 1)).kind).toBe('busy');
    await shared.eventually(
      'the lock of the dead worker ended',
      async () => (await withLock(shared.two, 'export', { ttlMs: MINUTE }, async () => 1)).kind === 'done',
    );
  });

  test('LOCK-05, X-108: who lost the lock learns of it, does not release the next holder, and has the lower fence', async () => {
    const [taken, goOn] = [signal<number>(), signal()];
    const old = withLock(shared.one, 'rates', { ttlMs: 300, renewal: 'manual' }, async lease => {
      await shared.one.delete('lock:rates'); // as if it had expired
      await withLock(shared.two, 'rates', { ttlMs: MINUTE }, async next => {
        taken.fire(next.fence);
        expect(next.fence).toBeGreaterThan(lease.fence);
        await expect(lease.renew()).rejects.toSatisfy(hotErrors.LOCK_LOST.is);
        expect(lease.lost.aborted).toBe(true);
        goOn.fire();
      });
      await goOn.promise;
      const again = await withLock(shared.two, 'rates', { ttlMs: MINUTE }, async third => {
        expect(third.fence).toBeGreaterThan(await taken.promise);
        expect(await shared.one.lease.release('lock:rates', lease.token)).toBe(false);
        expect(await shared.two.get('lock:rates')).toBe(third.token);
      });
      expect(again.kind).toBe('done');
    });
    await expect(old).rejects.toSatisfy(hotErrors.LOCK_LOST.is);
  });

  test('LOCK-06: a lock on the cache tier is refused', async () => {
    const cache = await harness('cache');
    await expect(withLock(cache.one, 'x', { ttlMs: MINUTE }, async () => 1)).rejects.toSatisfy(
      hotErrors.WRONG_TIER.is,
    );
    await cache.close();
  });
}
