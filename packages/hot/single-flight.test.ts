import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryHotStore } from './adapters/memory.ts';
import { takeTurn, whileLeading } from './single-flight.ts';

const nothing = async () => undefined;

test('CACHE-26: the first leads, others wait and find what it left', async () => {
  const store = memoryHotStore({ tier: 'cache' });
  const first = await takeTurn(store, 'lease', nothing);
  expect(first.kind).toBe('lead');
  const find = async () => ((await store.get('lease')) === undefined ? 'result' : undefined);
  const others = Array.from({ length: 10 }, () => takeTurn(store, 'lease', find));
  if (first.kind === 'lead') await store.lease.release('lease', first.token);
  for (const turn of await Promise.all(others)) expect(turn).toEqual({ kind: 'found', value: 'result' });
});

test('CACHE-26: who becomes leader just after another finished finds its result instead of loading again', async () => {
  const store = memoryHotStore({ tier: 'cache' });
  expect(await takeTurn(store, 'lease', async () => 'already there')).toEqual({
    kind: 'found',
    value: 'already there',
  });
  expect(await store.get('lease')).toBeUndefined();
});

test('a leader that is too slow is not waited for for ever', async () => {
  const store = memoryHotStore({ tier: 'cache' });
  await store.lease.acquire('lease', 'slow', 60_000);
  expect(await takeTurn(store, 'lease', nothing, 30)).toEqual({ kind: 'alone' });
});

test('without a store everyone is alone, and nobody fails', async () => {
  const store = memoryHotStore({ tier: 'cache' });
  await store.close();
  expect(await takeTurn(store, 'lease', nothing)).toEqual({ kind: 'alone' });
});

test('an error that is not the store’s is passed on, and a load that fails gives up the lead', async () => {
  const store = memoryHotStore({ tier: 'cache' });
  const broken = async () => {
    throw new Error('a bug');
  };
  await expect(takeTurn(store, 'other', broken)).rejects.toThrow('a bug');
  const turn = await takeTurn(store, 'lease', nothing);
  const lead = { leaseKey: 'lease', token: turn.kind === 'lead' ? turn.token : '' };
  await expect(whileLeading(store, lead, broken)).rejects.toThrow('a bug');
  expect((await takeTurn(store, 'lease', nothing)).kind).toBe('lead');
});

describe('with fake timers', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a leader that loads for longer than the lease keeps it by renewing, but not for ever', async () => {
    vi.useFakeTimers();
    const store = memoryHotStore({ tier: 'cache' });
    const turn = await takeTurn(store, 'lease', nothing);
    const token = turn.kind === 'lead' ? turn.token : '';
    await whileLeading(store, { leaseKey: 'lease', token }, async () => {
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await store.get('lease')).toBe(token);
      await vi.advanceTimersByTimeAsync(40_000);
      expect(await store.get('lease')).toBeUndefined();
    });
  });

  test('a leader whose lease was broken does not take it back', async () => {
    vi.useFakeTimers();
    const store = memoryHotStore({ tier: 'cache' });
    const turn = await takeTurn(store, 'lease', nothing);
    const token = turn.kind === 'lead' ? turn.token : '';
    await whileLeading(store, { leaseKey: 'lease', token }, async () => {
      await store.delete('lease');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await store.get('lease')).toBeUndefined();
    });
  });
});
