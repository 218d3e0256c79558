import { randomUUID } from 'node:crypto';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { describeWithRedis } from '@ghasi/testing/redis';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { tcpProxy } from '@ghasi/testing/tcp-proxy';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { openRedisHotStore } from './adapters/redis.ts';
import { hotErrors } from './errors.ts';
import { onRedis } from './harness.conformance.ts';
import { hotStoreConformance } from './hot-store.conformance.ts';
import { openHotStore } from './hot-store.ts';
import { withLock } from './lock.ts';
import { describeWithOwnRedis, ownRedis } from './own-redis.conformance.ts';

const cleanUps: Array<() => unknown> = [];
const later = <T>(thing: T, cleanUp: (thing: T) => unknown): T => {
  cleanUps.push(() => cleanUp(thing));
  return thing;
};
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const startOwn = async (...args: string[]) => later(await ownRedis(...args), redis => redis.stop());
const openState = async (url: string, namespace = `test-${randomUUID()}`) =>
  later(await openRedisHotStore({ url, tier: 'state', namespace, commandTimeoutMs: 500 }), store =>
    store.close(),
  );

describeWithRedis('the hot store on Redis', url => {
  describe('conformance', () => hotStoreConformance(onRedis(url)));

  test('a subscription survives a cut line: it listens again and is told about the gap', async () => {
    const { hostname, port } = new URL(url);
    const proxy = later(await tcpProxy({ target: { host: hostname, port: Number(port) } }), it => it.close());
    const namespace = `test-${randomUUID()}`;
    const listener = await openState(proxy.through(url), namespace);
    const speaker = await openState(url, namespace);
    const heard: string[] = [];
    const gap = signal();
    await listener.subscribe('cache:x', message => heard.push(message), { onGap: gap.fire });
    await speaker.publish('cache:x', 'before');
    await waitUntil('the first message came', () => heard.includes('before'));
    proxy.cutAll();
    await gap.promise;
    await speaker.publish('cache:x', 'after');
    await waitUntil('a message after the cut came', () => heard.includes('after'));
    await waitUntil('commands work again', () =>
      listener.set('k', 'v').then(
        () => true,
        () => false,
      ),
    );
  });

  test('a command whose answer was lost fails and is never sent again', async () => {
    const { hostname, port } = new URL(url);
    const sent: string[] = [];
    const proxy = later(
      await tcpProxy({
        target: { host: hostname, port: Number(port) },
        judge: chunk => {
          if (!chunk.includes('balance')) return 'pass';
          sent.push('increment');
          return 'cut-after';
        },
      }),
      it => it.close(),
    );
    const namespace = `test-${randomUUID()}`;
    const [behindProxy, direct] = [
      await openState(proxy.through(url), namespace),
      await openState(url, namespace),
    ];
    await expect(behindProxy.increment('balance')).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
    await waitUntil('the line is back', () =>
      behindProxy.get('other').then(
        () => true,
        () => false,
      ),
    );
    expect(sent).toHaveLength(1);
    expect(await direct.get('balance')).toBe('1');
  });

  test('metrics count operations by result and show memory', async () => {
    const metrics = later(createMetrics(), it => it.close());
    const tiers = later(
      await openHotStore({ redisUrl: url, namespace: `test-${randomUUID()}`, metrics }),
      it => it.close(),
    );
    await tiers.state.set('a', '1');
    await tiers.cache.get('a');
    const text = await metrics.render();
    expect(text).toContain(
      'melmastoon_hot_store_operations_total{tier="state",operation="set",result="ok"} 1',
    );
    expect(text).toContain(
      'melmastoon_hot_store_operations_total{tier="cache",operation="get",result="ok"} 1',
    );
    expect(text).toMatch(/melmastoon_hot_store_memory_bytes\{tier="state"\} [1-9]/);
  });

  test('the two tiers on one Redis do not share keys', async () => {
    const tiers = later(await openHotStore({ redisUrl: url, namespace: `test-${randomUUID()}` }), it =>
      it.close(),
    );
    await tiers.state.set('same', 'state');
    await tiers.cache.set('same', 'cache');
    await tiers.cache.deletePrefix('s');
    expect(await tiers.state.get('same')).toBe('state');
  });

  describeWithOwnRedis('with a server of its own', () => {
    test('LOCK-06, X-140: the state tier refuses a Redis that may evict, and says which policy it has', async () => {
      const redis = await startOwn('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
      await expect(openRedisHotStore({ url: redis.url, tier: 'state' })).rejects.toThrow(
        'maxmemory-policy is allkeys-lru, it must be noeviction',
      );
      later(await openRedisHotStore({ url: redis.url, tier: 'cache' }), store => store.close());
    });

    test('TEN-23: a full state tier refuses writes, also inside scripts, and keeps everything it took', async () => {
      const redis = await startOwn('--maxmemory', '4mb', '--maxmemory-policy', 'noeviction');
      const state = await openState(redis.url);
      const kept: string[] = [];
      const untilRefused = async (write: (at: number) => Promise<unknown>) => {
        for (let at = 0; at < 100_000; at++) await write(at);
      };
      // Ever smaller writes: after a large one was refused there is still room for some small ones.
      for (const size of [20_000, 100]) {
        const filling = untilRefused(async at => {
          await state.set(`session:${size}:${at}`, 'x'.repeat(size));
          kept.push(`session:${size}:${at}`);
        });
        await expect(filling).rejects.toSatisfy(hotErrors.STORE_FULL.is);
      }
      const counting = untilRefused(at => state.increment(`counter:${at}`));
      await expect(counting).rejects.toSatisfy(hotErrors.STORE_FULL.is);
      const locking = untilRefused(at => state.lease.acquire(`lock:${at}`, 'token', 1_000));
      await expect(locking).rejects.toSatisfy(hotErrors.STORE_FULL.is);
      expect(kept.length).toBeGreaterThan(20);
      expect((await state.getMany(kept)).every(value => value !== undefined)).toBe(true);
      expect(await state.usage()).toMatchObject({ limitBytes: 4 * 1024 * 1024, evicted: 0 });
      await state.deletePrefix('session:20000:');
      await state.set('session:new', 'x');
    });

    test('no Redis there: opening says where and why, in one line', async () => {
      await expect(openHotStore({ redisUrl: 'redis://user:secret@127.0.0.1:1' })).rejects.toSatisfy(
        error =>
          hotErrors.STORE_UNAVAILABLE.is(error) &&
          /127\.0\.0\.1:1 .*ECONNREFUSED/.test(error.message) &&
          !error.message.includes('secret'),
      );
    });

    test('scripts come back by themselves after SCRIPT FLUSH and after a restart', async () => {
      const redis = await startOwn();
      const state = await openState(redis.url);
      await redis.admin.script('FLUSH');
      expect(await state.increment('n')).toBe(1);
      await redis.kill();
      await expect(state.increment('n')).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
      await redis.start();
      await waitUntil('the store answers', () =>
        state.get('n').then(
          () => true,
          () => false,
        ),
      );
      expect(await state.increment('n')).toBe(1); // nothing persisted: the restart began a new life
    });

    test('whether a tier is connected is shown, and seen when it is not any more', async () => {
      const redis = await startOwn();
      const metrics = later(createMetrics(), it => it.close());
      later(await openRedisHotStore({ url: redis.url, tier: 'state', metrics }), it => it.close());
      const connected = async () =>
        /^melmastoon_hot_store_connected_count\{tier="state"\} (\d)$/m.exec(await metrics.render())?.[1];
      expect(await connected()).toBe('1');
      await redis.kill();
      await waitUntil('it is seen to be gone', async () => (await connected()) === '0');
      await redis.start();
      await waitUntil('it is connected again', async () => (await connected()) === '1');
    });

    test('a Redis that hangs makes callers wait once, not each in turn', async () => {
      const redis = await startOwn();
      const state = await openState(redis.url);
      redis.freeze();
      await expect(state.get('a')).rejects.toThrow('Command timed out');
      await expect(state.get('b')).rejects.toThrow('it timed out a moment ago');
      redis.thaw();
      await waitUntil('the store answers', () =>
        state.set('c', 'd').then(
          () => true,
          () => false,
        ),
      );
    });

    test('a listener notices a server that went silent, and is told about the gap when it is back', async () => {
      const redis = await startOwn();
      const metrics = later(createMetrics(), it => it.close());
      const options = {
        url: redis.url,
        tier: 'state',
        metrics,
        commandTimeoutMs: 1_000,
        heartbeatMs: 50,
      } as const;
      const store = later(await openRedisHotStore(options), it => it.close());
      const gap = signal();
      const heard = signal<string>();
      await store.subscribe('bus', heard.fire, { onGap: gap.fire });
      redis.freeze();
      await expect(store.get('a')).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
      await waitUntil('a heartbeat was missed', async () =>
        (await metrics.render()).includes('operation="ping",result="error"'),
      );
      redis.thaw();
      await gap.promise;
      await waitUntil('the store answers', () =>
        store.publish('bus', 'hello').then(
          () => true,
          () => false,
        ),
      );
      expect(await heard.promise).toBe('hello');
    });

    test('safety-30: a Redis user without FLUSHALL, KEYS, CONFIG and EVAL is enough for everything', async () => {
      const redis = await startOwn();
      const allowed = '+@all -@admin -@dangerous -eval -eval_ro -function +info +scan +evalsha +script|load';
      await redis.admin.call(
        'ACL',
        'SETUSER',
        'melm',
        'reset',
        'on',
        '>secret',
        '~melm:*',
        '&melm:*',
        ...allowed.split(' '),
      );
      const url = redis.url.replace('redis://', 'redis://melm:secret@');
      const raw = later(new Redis(url, { lazyConnect: true }), it => it.disconnect());
      await raw.connect();
      const forbidden = [
        ['FLUSHALL'],
        ['FLUSHDB'],
        ['KEYS', '*'],
        ['CONFIG', 'GET', '*'],
        ['EVAL', 'return 1', '0'],
        ['SET', 'other', 'x'],
      ];
      for (const [command = '', ...args] of forbidden) {
        await expect(raw.call(command, ...args)).rejects.toThrow('NOPERM');
      }
      const tiers = later(await openHotStore({ redisUrl: url }), it => it.close());
      const heard = signal<string>();
      await tiers.state.subscribe('bus', heard.fire);
      await tiers.state.publish('bus', 'hello');
      expect(await heard.promise).toBe('hello');
      expect(await tiers.state.increment('n', { ttlMs: 1_000 })).toBe(1);
      expect(await tiers.state.deletePrefix('n')).toBe(1);
      expect((await withLock(tiers.state, 'l', { ttlMs: 5_000 }, async () => 1)).kind).toBe('done');
      expect((await tiers.state.spend('b', { intervalUs: 1_000_000, burst: 1, cost: 1 })).allowed).toBe(true);
    });

    test('safety-30: after FLUSHALL the store knows that it lost its memory, and since when', async () => {
      const redis = await startOwn();
      const namespace = `test-${randomUUID()}`;
      const before = await openState(redis.url, namespace);
      const first = await before.life();
      expect(first.afterLoss).toBe(false);
      await redis.admin.flushall();
      const newcomer = await openState(redis.url, namespace); // cannot know; the older process does
      const second = await before.life();
      expect(second).toMatchObject({ afterLoss: true });
      expect(second.id).not.toBe(first.id);
      expect(second.bornAt).toBeGreaterThanOrEqual(first.bornAt);
      expect(await newcomer.life()).toEqual(second);
    });
  });
});
