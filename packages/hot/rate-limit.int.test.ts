import { randomUUID } from 'node:crypto';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisHotStore } from './adapters/redis.ts';
import { onRedis } from './harness.conformance.ts';
import { describeWithOwnRedis, type OwnRedis, ownRedis } from './own-redis.conformance.ts';
import type { HotStore } from './port.ts';
import { rateLimitConformance } from './rate-limit.conformance.ts';
import { rateLimiter } from './rate-limit.ts';

describeWithRedis('rate limits on Redis', url => {
  describe('conformance', () => rateLimitConformance(onRedis(url)));

  describeWithOwnRedis('with a server of its own', () => {
    let redis: OwnRedis;
    let store: HotStore;
    const rate = { limit: 10, windowMs: 36_000_000 }; // one per hour: nothing comes back during a test
    beforeAll(async () => {
      redis = await ownRedis();
      store = await openRedisHotStore({ url: redis.url, tier: 'state', namespace: `test-${randomUUID()}` });
    });
    afterAll(async () => {
      await store.close();
      await redis.stop();
    });

    test('safety-30: FLUSHALL gives nobody a second burst', async () => {
      const limiter = rateLimiter(store);
      for (let at = 0; at < 10; at++) expect((await limiter.take('login:a', rate)).allowed).toBe(true);
      await redis.admin.flushall();
      const answers = await Promise.all(Array.from({ length: 200 }, () => limiter.take('login:a', rate)));
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(0);
      expect(answers[0]?.unavailable).toBe(false);
      expect((await limiter.take('login:b', rate)).allowed).toBe(false); // it may have used its burst as well
    });

    test('safety-30: after a loss limits recover at their rate, so short ones almost at once', async () => {
      await redis.admin.flushall();
      const limiter = rateLimiter(store);
      const quick = { limit: 100, windowMs: 1_000 };
      await waitUntil(
        'a request is allowed again',
        async () => (await limiter.take('search:a', quick)).allowed,
      );
      await waitUntil(
        'the full burst is back',
        async () => (await limiter.take('search:b', { ...quick, cost: 100 })).allowed,
      );
    });

    test('safety-36: while Redis is down auth rates are closed, others bounded; afterwards Redis counts again', async () => {
      const limiter = rateLimiter(store);
      await redis.kill();
      const closed = await Promise.all(Array.from({ length: 50 }, () => limiter.take('login:c', rate)));
      expect(closed.every(({ allowed, unavailable }) => !allowed && unavailable)).toBe(true);
      const bounded = await Promise.all(
        Array.from({ length: 50 }, () => limiter.take('search:c', { ...rate, whenDown: 'local' })),
      );
      expect(bounded.filter(({ allowed }) => allowed)).toHaveLength(10);
      await redis.start();
      await waitUntil('Redis counts again', async () => !(await limiter.take('search:d', rate)).unavailable);
    });
  });
});
