import { fakeClock } from '@ghasi/testing/fake-clock';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { SortedMembers } from './adapters/sorted-members.ts';
import { hotErrors } from './errors.ts';
import { inMemory } from './harness.conformance.ts';
import { hotStoreConformance } from './hot-store.conformance.ts';

describe('the hot store in memory', () => hotStoreConformance(inMemory));

test('TEN-23, X-140: a full state tier refuses with a clear error and keeps everything it took', async () => {
  const state = memoryHotStore({ tier: 'state', maxBytes: 10_000 });
  const kept: string[] = [];
  const fill = async () => {
    for (let at = 0; ; at++) {
      await state.set(`session:${at}`, 'x'.repeat(500));
      kept.push(`session:${at}`);
    }
  };
  await expect(fill()).rejects.toThrow(
    'The state tier is full (10000 bytes): it refuses writes and never evicts',
  );
  expect(kept.length).toBeGreaterThan(10);
  expect((await state.getMany(kept)).every(value => value !== undefined)).toBe(true);
  await expect(state.index.add('index', 'm'.repeat(900), 1)).rejects.toSatisfy(hotErrors.STORE_FULL.is);
  expect(await state.index.dueBefore('index', 9, 9)).toEqual([]);
  await state.set('session:0', 'y'.repeat(400)); // replacing needs no new room
  await state.delete('session:1');
  await state.set('session:new', 'x'.repeat(500));
  expect((await state.usage()).evicted).toBe(0);
});

test('a full state tier makes room for new values by dropping expired ones, nothing else', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const state = memoryHotStore({ tier: 'state', maxBytes: 3_000, clock: () => clock.now().getTime() });
  await state.set('expiring', 'x'.repeat(1_200), { ttlMs: 1_000 });
  await state.set('staying', 'y'.repeat(1_200));
  await expect(state.set('third', 'z'.repeat(1_200))).rejects.toSatisfy(hotErrors.STORE_FULL.is);
  clock.advance(1_000);
  await state.set('third', 'z'.repeat(1_200));
  expect((await state.get('staying'))?.length).toBe(1_200);
});

test('TEN-24, X-140: a full cache tier forgets what was used longest ago', async () => {
  const cache = memoryHotStore({ tier: 'cache', maxBytes: 10_000 });
  await cache.set('old but used', 'x'.repeat(500));
  await cache.set('old and unused', 'x'.repeat(500));
  for (let at = 0; at < 100; at++) {
    await cache.set(`filler:${at}`, 'x'.repeat(500));
    expect(await cache.get('old but used')).toBeDefined();
  }
  expect(await cache.get('old and unused')).toBeUndefined();
  expect(await cache.get('filler:99')).toBeDefined();
  const { usedBytes, evicted } = await cache.usage();
  expect(usedBytes).toBeLessThanOrEqual(10_000);
  expect(evicted).toBeGreaterThan(50);
});

test('bytes are counted right: after everything is deleted nothing is used', async () => {
  const operation = fc.record({
    kind: fc.constantFrom('set', 'delete', 'add', 'remove', 'spend', 'time'),
    key: fc.constantFrom('a', 'b', 'c'),
    text: fc.string({ unit: 'grapheme', maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('state' as const, 'cache' as const),
      fc.array(operation),
      async (tier, operations) => {
        const clock = fakeClock('2026-03-01T00:00:00Z');
        const store = memoryHotStore({ tier, maxBytes: 900, clock: () => clock.now().getTime() });
        for (const { kind, key, text } of operations) {
          const done =
            kind === 'set'
              ? store.set(key, text, { ttlMs: 1_000 })
              : kind === 'delete'
                ? store.delete(key)
                : kind === 'add'
                  ? store.index.add(key, `m${text}`, text.length)
                  : kind === 'remove'
                    ? store.index.remove(key, `m${text}`)
                    : kind === 'spend'
                      ? store.spend(key, { intervalUs: 1_000, burst: 5, cost: 1 })
                      : Promise.resolve(clock.advance(300));
          await done.catch(error => expect(hotErrors.STORE_FULL.is(error)).toBe(true));
          expect((await store.usage()).usedBytes).toBeLessThanOrEqual(900);
        }
        clock.advance(10_000);
        for (const key of ['a', 'b', 'c']) {
          await store.delete(key);
          for (const { member } of await store.index.dueBefore(key, 1_000, 1_000))
            await store.index.remove(key, member);
          await store.spend(key, { intervalUs: 1, burst: 1, cost: 1 }).catch(() => {});
        }
        clock.advance(60_000);
        await store.set('last', 'x');
        await store.delete('last');
        expect((await store.usage()).usedBytes).toBe(0);
      },
    ),
  );
});

test('the sorted members agree with sorting a plain list', () => {
  const step = fc.record({
    add: fc.boolean(),
    member: fc.constantFrom(...'abcdefgh'),
    score: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: -1, max: 6 }), fc.nat(5), (steps, bound, limit) => {
      const members = new SortedMembers();
      const model = new Map<string, number>();
      for (const { add, member, score } of steps) {
        if (add) members.add(member, score);
        else expect(members.remove(member)).toBe(model.has(member));
        if (add) model.set(member, score);
        else model.delete(member);
      }
      const expected = [...model]
        .map(([member, score]) => ({ member, score }))
        .filter(({ score }) => score <= bound)
        .sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1));
      expect(members.upTo(bound, limit)).toEqual(expected.slice(0, limit));
      expect(members.isEmpty).toBe(model.size === 0);
      if (members.isEmpty) expect(members.bytes).toBe(0);
    }),
  );
});
