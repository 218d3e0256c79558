import { memoryHotStore } from '@ghasi/hot/adapters/memory';
import { fakeClock } from '@ghasi/testing/fake-clock';
import { expect, test } from 'vitest';
import { defaultFlags, FLAGS_KEY, FlagsPoll, setFlags } from './flags.ts';

test('TB-13, CACHE-28: flags are seen 30 s after they were set, and nonsense changes nothing', async () => {
  const clock = fakeClock('2026-03-21T08:00:00Z');
  const store = memoryHotStore({ tier: 'state' });
  const poll = new FlagsPoll(store, defaultFlags, () => clock.now().getTime());
  expect(await poll.read()).toEqual(defaultFlags);
  await setFlags(store, { flashSale: true });
  clock.advance(29_000);
  expect((await poll.read()).flashSale).toBe(false);
  clock.advance(1_000);
  expect(await poll.read()).toEqual({ ...defaultFlags, flashSale: true });
  await store.set(FLAGS_KEY, 'no json');
  clock.advance(30_000);
  expect(await poll.read()).toEqual(defaultFlags);
});
