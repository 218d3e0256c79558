import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { openCache } from './cache.ts';
import { cacheKey } from './cache-key.ts';
import { cacheMetadata } from './cache-metadata.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('CACHE-01..10, X-143: use of cached values is written in batches and adds up; the values stay in the hot tier', async () => {
  const tenantId = newTenantId();
  const store = memoryHotStore({ tier: 'cache' });
  const flush = cacheMetadata(database.openAs('maintenance'), 'rooms');
  const cache = await openCache({ store, name: 'rooms', version: 1, service: 'test', flush });
  const room = cacheKey({ tenantId, parts: ['room', '12'] });
  const amenities = cacheKey({ tenantId: 'global', parts: ['amenities'] });
  const read = (key: typeof room) =>
    cache.getOrLoad(key, {
      ttlMs: 90_000,
      tags: ['room:12'],
      load: async () => ({ secret: 'of the guest' }),
    });

  for (const key of [room, room, room, amenities]) await read(key);
  await cache.flush();
  await read(room);
  await cache.flush();
  await cache.close();

  const rows = await database.admin(
    `select tenant_id, key, value_type, ttl_seconds, hit_count, tags, expires_at > last_accessed_at as later,
            created_at is not null as dated from hot.cache_metadata order by hit_count`,
  );
  expect(rows).toEqual([
    {
      tenant_id: '00000000-0000-7000-8000-000000000001',
      key: `rooms:${amenities}`,
      value_type: 'json',
      ttl_seconds: 90,
      hit_count: 0n,
      tags: ['room:12'],
      later: true,
      dated: true,
    },
    {
      tenant_id: tenantId,
      key: `rooms:${room}`,
      value_type: 'json',
      ttl_seconds: 90,
      hit_count: 3n,
      tags: ['room:12'],
      later: true,
      dated: true,
    },
  ]);
  expect(
    JSON.stringify(await database.admin('select * from hot.cache_metadata', []), (_, v) => String(v)),
  ).not.toContain('guest');
});

test('what a cache takes is written: one row that is refused would keep its whole batch waiting, for ever', async () => {
  const name = `c${'x'.repeat(39)}`;
  const flush = cacheMetadata(database.openAs('maintenance'), name);
  const keyEndingWith = (last: string) =>
    cacheKey({ tenantId: 'global', parts: [...Array<string>(7).fill('k'.repeat(64)), last] });
  expect(() => keyEndingWith('12345678')).toThrow('Not a key of the hot store');
  const key = keyEndingWith('1234567');
  const tags = ['a NUL \0', 'half a pair \ud83d'];
  await flush([{ key, hits: 1, misses: 0, lastAccessedAt: Date.now(), ttlMs: 1_000, tags }]);
  expect(
    await database.admin('select length(key) as long, tags from hot.cache_metadata where hit_count = 1'),
  ).toEqual([{ long: 512, tags: ['a NUL \ufffd', 'half a pair \ufffd'] }]);
});
