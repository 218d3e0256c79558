import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hotErrors } from './errors.ts';
import type { HotStore } from './port.ts';

/** How long a leader that died keeps others waiting, and how long a follower waits at most (CACHE-26). */
export const LEADER_TTL_MS = 5_000;

/** A leader that still loads after this gives up its lead: a load that hangs must not be alone for ever. */
const MAX_LEAD_MS = 60_000;

/**
 * Whose turn it is to load. `lead`: ours, and nobody else's while the lease lives. `found`: somebody else has done it.
 * `alone`: the store is down or the leader too slow; load, but keep the result to yourself.
 */
export type Turn<T> = { kind: 'lead'; token: string } | { kind: 'found'; value: T } | { kind: 'alone' };

/** Becomes the leader for `leaseKey`, or waits for the leader's result, which `find` looks up. */
export async function takeTurn<T>(
  store: HotStore,
  leaseKey: string,
  find: () => Promise<T | undefined>,
  waitMs: number = LEADER_TTL_MS,
): Promise<Turn<T>> {
  const token = randomUUID();
  const deadline = performance.now() + waitMs;
  try {
    for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
      const leads = (await store.lease.acquire(leaseKey, token, LEADER_TTL_MS)) !== undefined;
      // Also as leader: the one before us may have finished between our miss and our turn.
      const value = await find();
      if (value !== undefined) {
        if (leads) await store.lease.release(leaseKey, token);
        return { kind: 'found', value };
      }
      if (leads) return { kind: 'lead', token };
      if (performance.now() >= deadline) return { kind: 'alone' };
      await delay(pauseMs * (0.5 + Math.random()));
    }
  } catch (error) {
    if (hotErrors.STORE_UNAVAILABLE.is(error) || hotErrors.STORE_FULL.is(error)) return { kind: 'alone' };
    throw error;
  }
}

/** Keeps the lead while `work` runs; an invalidation breaks the lease, and then it is not taken back. */
export async function whileLeading<T>(
  store: HotStore,
  lead: { leaseKey: string; token: string },
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + MAX_LEAD_MS;
  const ticker = setInterval(() => {
    if (performance.now() > until) clearInterval(ticker);
    else store.lease.renew(lead.leaseKey, lead.token, LEADER_TTL_MS).catch(() => false);
  }, LEADER_TTL_MS / 3).unref();
  try {
    return await work();
  } catch (error) {
    await store.lease.release(lead.leaseKey, lead.token).catch(() => false);
    throw error;
  } finally {
    clearInterval(ticker);
  }
}
