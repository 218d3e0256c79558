import { signal } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cache, openCache } from './cache.ts';
import { type CacheKey, cacheKey, cachePrefix } from './cache-key.ts';
import { cachePlaces } from './cache-places.ts';
import { hotErrors } from './errors.ts';
import type { Harness, Shared } from './harness.conformance.ts';

const HOUR = 3_600_000;

/** What the cache must do over every adapter; `here` and `there` are two processes. */
export function cacheConformance(harness: Harness): void {
  let shared: Shared;
  let here: Cache;
  let there: Cache;
  const tenantId = newTenantId();
  const keyOf = (...parts: string[]) => cacheKey({ tenantId, parts });
  const open = (store: Shared['one'], version = 1) =>
    openCache({ store, name: 'views', version, service: 'test' });

  beforeEach(async () => {
    shared = await harness('cache');
    [here, there] = await Promise.all([open(shared.one), open(shared.two)]);
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
    await shared.close();
  });

  /** The truth behind the cache: what a load reads, and how often. */
  function truth(value: unknown) {
    const state = { value, loads: 0 };
    const load = async () => {
      state.loads++;
      return state.value;
    };
    return { state, read: { ttlMs: HOUR, tags: ['rates'], load } };
  }

  test('CACHE-23: a miss loads and fills; then both processes answer without loading', async () => {
    const { state, read } = truth({ rooms: 12, note: 'سلام' });
    for (const cache of [here, here, there, there]) {
      expect(await cache.getOrLoad(keyOf('a'), read)).toEqual({ rooms: 12, note: 'سلام' });
    }
    expect(state.loads).toBe(1);
    expect(await here.getOrLoad(cacheKey({ tenantId: newTenantId(), parts: ['a'] }), read)).toEqual(
      state.value,
    );
    expect(state.loads).toBe(2); // another tenant is another key (TEN-11)
  });

  test('hits and misses give the same JSON, and nobody can change another caller’s copy', async () => {
    const { read } = truth({ at: new Date(0), list: [1] });
    const answers = await Promise.all([0, 1, 2].map(() => here.getOrLoad(keyOf('a'), read)));
    answers.push(await here.getOrLoad(keyOf('a'), read), await there.getOrLoad(keyOf('a'), read));
    for (const answer of answers as Array<{ at: string; list: number[] }>) {
      expect(answer).toEqual({ at: '1970-01-01T00:00:00.000Z', list: [1] });
      answer.list.push(99);
    }
  });

  test('empty answers are answers: undefined, null, 0 and "" are not loaded twice', async () => {
    for (const [at, value] of [undefined, null, 0, '', false].entries()) {
      const { state, read } = truth(value);
      for (const cache of [here, here, there])
        expect(await cache.getOrLoad(keyOf('empty', String(at)), read)).toBe(value);
      expect(state.loads).toBe(1);
    }
  });

  test('what JSON cannot carry is an error, not a wrong answer', async () => {
    await expect(here.getOrLoad(keyOf('f'), truth(() => 1).read)).rejects.toThrow(
      'A function cannot be cached',
    );
    await expect(here.getOrLoad(keyOf('b'), truth(1n).read)).rejects.toThrow('BigInt');
  });

  test('M11, CACHE-26: a stampede of 100 readers in two processes makes one load', async () => {
    const [reached, goOn] = [signal(), signal()];
    let loads = 0;
    const load = async () => {
      loads++;
      reached.fire();
      await goOn.promise;
      return 'dear';
    };
    const readers = Array.from({ length: 100 }, (_, at) =>
      (at % 2 ? here : there).getOrLoad(keyOf('hot'), { ttlMs: HOUR, load }),
    );
    await reached.promise;
    readers.push(...Array.from({ length: 20 }, () => there.getOrLoad(keyOf('hot'), { ttlMs: HOUR, load })));
    goOn.fire();
    expect(new Set(await Promise.all(readers))).toEqual(new Set(['dear']));
    expect(loads).toBe(1);
  });

  test('a load that fails fails its readers, keeps nothing and blocks nobody', async () => {
    let attempt = 0;
    const load = async () => {
      if (attempt++ === 0) throw new Error('database away');
      return 'there';
    };
    const readers = [0, 1, 2].map(() => here.getOrLoad(keyOf('a'), { ttlMs: HOUR, load }));
    for (const reader of readers) await expect(reader).rejects.toThrow('database away');
    expect(await there.getOrLoad(keyOf('a'), { ttlMs: HOUR, load })).toBe('there');
    expect(await here.getOrLoad(keyOf('a'), { ttlMs: HOUR, load })).toBe('there');
    expect(attempt).toBe(2);
  });

  test('CACHE-26: a leader that died is waited for no longer than its lease', async () => {
    const { read } = truth('old');
    await shared.two.lease.acquire(cachePlaces('views', 1).lease(keyOf('a')), 'dead', 60);
    let done = false;
    const reading = here.getOrLoad(keyOf('a'), read).finally(() => {
      done = true;
    });
    await shared.eventually('the reader took over', async () => done);
    expect(await reading).toBe('old');
  });

  test('CACHE-21: a value is loaded again after its time to live', async () => {
    const { state, read } = truth('old');
    await here.getOrLoad(keyOf('a'), { ...read, ttlMs: 50 });
    state.value = 'new';
    await shared.eventually('both processes see the new value', async () => {
      const seen = await Promise.all(
        [here, there].map(cache => cache.getOrLoad(keyOf('a'), { ...read, ttlMs: 50 })),
      );
      return seen.every(value => value === 'new');
    });
  });

  const ways: Record<string, (cache: Cache, key: CacheKey) => Promise<void>> = {
    key: (cache, key) => cache.invalidateKey(key),
    tag: cache => cache.invalidateTags(['other', 'rates']),
    prefix: cache => cache.invalidatePrefix(cachePrefix({ tenantId, parts: ['space', '456'] })),
    tenant: cache => cache.invalidatePrefix(cachePrefix({ tenantId, parts: [] })),
    all: cache => cache.invalidateAll(),
  };
  for (const [name, invalidate] of Object.entries(ways)) {
    const key = keyOf('space', '456', 'pricing');
    const neighbour = cacheKey({ tenantId: newTenantId(), parts: ['space', '4567'] });

    test(`CACHE-21, CACHE-29: invalidating by ${name} reaches this process at once and the other’s memory by message`, async () => {
      const [{ state, read }, other] = [truth('old'), truth('neighbour')];
      const readOther = { ...other.read, tags: ['unrelated'] };
      for (const cache of [here, there]) {
        await cache.getOrLoad(key, read);
        await cache.getOrLoad(neighbour, readOther);
      }
      state.value = 'new';
      await invalidate(here, key);
      expect(await here.getOrLoad(key, read)).toBe('new');
      await shared.eventually(
        'the other process sees it',
        async () => (await there.getOrLoad(key, read)) === 'new',
      );
      expect(state.loads).toBe(2);
      for (const cache of [here, there]) await cache.getOrLoad(neighbour, readOther);
      expect(other.state.loads).toBe(name === 'all' ? 2 : 1);
    });

    test(`what is invalidated by ${name} while it is being loaded is not kept, in either process`, async () => {
      const [reached, goOn] = [signal(), signal()];
      let current = 'old';
      const slow = async () => {
        const seen = current;
        reached.fire();
        await goOn.promise;
        return seen;
      };
      const quick = async () => current;
      const early = here.getOrLoad(key, { ttlMs: HOUR, tags: ['rates'], load: slow });
      await reached.promise;
      current = 'new';
      await invalidate(there, key);
      goOn.fire();
      expect(await early).toBe('old'); // it asked before the change
      await shared.eventually(
        'here it is new',
        async () => (await here.getOrLoad(key, { ttlMs: HOUR, tags: ['rates'], load: quick })) === 'new',
      );
      expect(await there.getOrLoad(key, { ttlMs: HOUR, tags: ['rates'], load: quick })).toBe('new');
    });
  }

  test('who asks after an invalidation does not get what was being loaded before it', async () => {
    const [reached, goOn] = [signal(), signal()];
    const early = here.getOrLoad(keyOf('a'), {
      ttlMs: HOUR,
      load: async () => {
        reached.fire();
        await goOn.promise;
        return 'old';
      },
    });
    await reached.promise;
    await here.invalidateKey(keyOf('a'));
    const late = here.getOrLoad(keyOf('a'), { ttlMs: HOUR, load: async () => 'new' });
    goOn.fire();
    expect(await early).toBe('old');
    expect(await late).toBe('new');
    expect(await there.getOrLoad(keyOf('a'), { ttlMs: HOUR, load: async () => 'newer' })).toBe('new');
  });

  test('CACHE-22, CACHE-27, X-142: another schema version is a miss, and so is anything unreadable', async () => {
    const [old, next] = [truth({ shape: 1 }), truth({ shape: 2 })];
    const newer = await open(shared.two, 2);
    await here.getOrLoad(keyOf('a'), old.read);
    expect(await newer.getOrLoad(keyOf('a'), next.read)).toEqual({ shape: 2 });
    expect(await there.getOrLoad(keyOf('a'), old.read)).toEqual({ shape: 1 }); // a roll-out does not fight over the key
    const [mine, theirs] = [cachePlaces('views', 1), cachePlaces('views', 2)];
    const foreign = (await shared.one.get(theirs.value(keyOf('a')))) ?? '';
    for (const bad of [foreign, '', 'no head', '{}\n1', 'null\n1', '{"schema":1}\n"x"', '[1]\n']) {
      await shared.one.set(mine.value(keyOf('b')), bad);
      const fresh = await open(shared.one);
      expect(await fresh.getOrLoad(keyOf('b'), truth('loaded').read)).toBe('loaded');
      await fresh.invalidateKey(keyOf('b'));
      await fresh.close();
    }
    await newer.close();
  });

  test('during a roll-out a key invalidated by the new version is gone for the old one too', async () => {
    const newer = await open(shared.two, 2);
    const { state, read } = truth('old');
    await here.getOrLoad(keyOf('a'), read);
    state.value = 'new';
    await newer.invalidateKey(keyOf('a'));
    await newer.close();
    await shared.eventually(
      'the old version sees it',
      async () => (await here.getOrLoad(keyOf('a'), read)) === 'new',
    );
    const fresh = await open(shared.one); // nothing in memory: reads the store
    expect(await fresh.getOrLoad(keyOf('a'), read)).toBe('new');
    await fresh.close();
  });

  test('CACHE-24: with grace the last value is served while loads fail, but never one that was invalidated', async () => {
    const { state, read } = truth('old');
    const failing = async () => {
      state.loads++;
      throw new Error('database away');
    };
    const brief = { ...read, ttlMs: 30, graceMs: HOUR };
    await here.getOrLoad(keyOf('a'), brief);
    await shared.eventually('the value is stale and a load was tried', async () => {
      expect(await here.getOrLoad(keyOf('a'), { ...brief, load: failing })).toBe('old');
      return state.loads > 1;
    });
    expect(await there.getOrLoad(keyOf('a'), { ...brief, load: failing })).toBe('old');
    await there.invalidateTags(['rates']);
    await shared.eventually('here the stale value is refused', () =>
      here.getOrLoad(keyOf('a'), { ...brief, load: failing }).then(
        () => false,
        () => true,
      ),
    );
    await expect(there.getOrLoad(keyOf('a'), { ...brief, load: failing })).rejects.toThrow('database away');
  });

  test('a value too large for the store is given to its reader and not kept there', async () => {
    const { read } = truth('x'.repeat(1024 * 1024));
    expect(((await here.getOrLoad(keyOf('a'), read)) as string).length).toBe(1024 * 1024);
    expect(await shared.one.get(cachePlaces('views', 1).value(keyOf('a')))).toBeUndefined();
    expect(((await there.getOrLoad(keyOf('a'), read)) as string).length).toBe(1024 * 1024);
  });

  test('a read that makes no sense is refused before anything is loaded', async () => {
    const { state, read } = truth('old');
    for (const wrong of [
      { ttlMs: 0 },
      { ttlMs: Number.NaN },
      { ttlMs: 31 * 24 * HOUR },
      { graceMs: -1 },
      { tags: Array(33).fill('t') },
    ]) {
      await expect(here.getOrLoad(keyOf('a'), { ...read, ...wrong })).rejects.toSatisfy(
        hotErrors.MALFORMED_CACHE_USE.is,
      );
    }
    expect(state.loads).toBe(0);
    await expect(
      openCache({ store: shared.one, name: 'a:b', version: 1, service: 'test' }),
    ).rejects.toSatisfy(hotErrors.MALFORMED_CACHE_USE.is);
    await expect(
      openCache({ store: shared.one, name: 'a', version: 0.5, service: 'test' }),
    ).rejects.toSatisfy(hotErrors.MALFORMED_CACHE_USE.is);
  });
}
