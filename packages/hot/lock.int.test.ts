import { randomUUID } from 'node:crypto';
import { describeWithRedis } from '@ghasi/testing/redis';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisHotStore } from './adapters/redis.ts';
import { hotErrors } from './errors.ts';
import { onRedis } from './harness.conformance.ts';
import { lockConformance } from './lock.conformance.ts';
import { withLock } from './lock.ts';
import { describeWithOwnRedis, type OwnRedis, ownRedis } from './own-redis.conformance.ts';
import type { HotStore } from './port.ts';

describeWithRedis('locks on Redis', url => {
  describe('conformance', () => lockConformance(onRedis(url)));

  describeWithOwnRedis('when the Redis loses its memory', () => {
    let redis: OwnRedis;
    const stores: HotStore[] = [];
    const namespace = `test-${randomUUID()}`;
    const open = async () => {
      const store = await openRedisHotStore({ url: redis.url, tier: 'state', namespace });
      stores.push(store);
      return store;
    };
    beforeAll(async () => {
      redis = await ownRedis();
    });
    afterAll(async () => {
      await Promise.all(stores.map(store => store.close()));
      await redis.stop();
    });

    const losses = {
      FLUSHALL: () => redis.admin.flushall(),
      'a restart without persistence': async () => {
        await redis.kill();
        await redis.start();
      },
    };
    for (const [name, lose] of Object.entries(losses)) {
      test(`LOCK-05, safety-30: after ${name} the holder is told, and the next fence is higher`, async () => {
        const [holder, newcomer] = [await open(), await open()];
        const held = signal<number>();
        const work = withLock(holder, 'payout', { ttlMs: 1_500 }, async lease => {
          held.fire(lease.fence);
          await new Promise(resolve => lease.lost.addEventListener('abort', resolve));
        });
        const lost = expect(work).rejects.toSatisfy(hotErrors.LOCK_LOST.is);
        const before = await held.promise;
        await lose();
        const fresh = await openRedisHotStore({ url: redis.url, tier: 'state', namespace }); // knows no old number
        stores.push(fresh);
        const next = await waitUntil('somebody else gets the lock', () =>
          withLock(fresh, 'payout', { ttlMs: 1_500 }, async ({ fence }) => fence).catch(() => undefined),
        );
        expect(next).toMatchObject({ kind: 'done' });
        expect(next.kind === 'done' && next.value > before).toBe(true);
        await lost;
        const later = await waitUntil('an old connection works too', () =>
          newcomer.lease.acquire('payout-2', 'token', 1_000).catch(() => undefined),
        );
        expect(later).toBeGreaterThan(before);
      });
    }

    test('X-108: even if counter and clock were lost, a process never gets a number below one it has seen', async () => {
      const store = await open();
      const future = 4_000_000_000_000_000; // the year 2096: as if the clock of the old primary had been ahead
      await redis.admin.set(`${namespace}:state:fence`, String(future));
      expect(await store.lease.acquire('a', 'token', 1_000)).toBe(future + 1);
      await redis.admin.flushall();
      expect(await store.lease.acquire('a', 'token', 1_000)).toBe(future + 2);
    });

    test('a lock that cannot be asked for throws: nobody works without it', async () => {
      const store = await open();
      await redis.kill();
      let ran = false;
      const outcome = withLock(store, 'x', { ttlMs: 1_000 }, async () => {
        ran = true;
      });
      await expect(outcome).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
      expect(ran).toBe(false);
      await redis.start();
    });
  });
});
