import { randomUUID } from 'node:crypto';
import { fakeClock } from '@ghasi/testing/fake-clock';
import { waitUntil } from '@ghasi/testing/signal';
import { memoryHotStore } from './adapters/memory.ts';
import { openRedisHotStore } from './adapters/redis.ts';
import type { HotStore, Tier } from './port.ts';

/** One store as two processes see it. Used by the conformance suites only. */
export type Shared = {
  one: HotStore;
  two: HotStore;
  /** Waits until `check` holds while the store's time goes on: real time on Redis, the fake clock in memory. */
  eventually(what: string, check: () => Promise<boolean>): Promise<unknown>;
  close(): Promise<void>;
};

/** Makes an empty store of its own. */
export type Harness = (tier: Tier) => Promise<Shared>;

/** In memory there is one process, so both handles are the same. */
export const inMemory: Harness = async tier => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const store = memoryHotStore({ tier, clock: () => clock.now().getTime() });
  return {
    one: store,
    two: store,
    eventually: (what, check) =>
      waitUntil(what, () => {
        clock.advance(100);
        return check();
      }),
    close: () => store.close(),
  };
};

/** Two connections in a namespace of their own on the Redis at `url`. */
export function onRedis(url: string): Harness {
  return async tier => {
    const options = { url, tier, namespace: `test-${randomUUID()}` };
    const [one, two] = await Promise.all([openRedisHotStore(options), openRedisHotStore(options)]);
    return {
      one,
      two,
      eventually: waitUntil,
      async close() {
        await Promise.all([one.close(), two.close()]);
      },
    };
  };
}
