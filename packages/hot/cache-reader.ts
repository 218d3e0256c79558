import { errors as bentoErrors } from 'bentocache';
import type { CacheCore } from './cache-core.ts';
import { type Entry, encodeValue, packItem, unpackItem } from './cache-entry.ts';
import type { Passage } from './cache-inflight.ts';
import { generationsOf } from './cache-invalidation.ts';
import type { CacheKey } from './cache-key.ts';
import { hotErrors } from './errors.ts';
import { takeTurn, whileLeading } from './single-flight.ts';

/** How to read one key; all callers of a key say the same. */
export type CacheRead<T> = {
  /** How old a value may get, counted from the start of its load: 1 ms to 30 days. */
  ttlMs: number;
  /** How much longer the last value is served when `load` fails; default 0. Never for values that were invalidated. */
  graceMs?: number | undefined;
  /** What invalidates it in bulk, at most 32; say the tenant in them, as in the key. */
  tags?: readonly string[] | undefined;
  /** Reads the truth. Must return JSON: hits and misses give the same shape, and every caller its own copy. */
  load: () => Promise<T>;
};

type Outcome = { text: string; loaded: boolean };
type Flight = { passage: Passage; outcome: Promise<Outcome> };

const MAX_AGE_MS = 30 * 86_400_000;

/** The reading side: one load per key at a time in this process, and through a lease one over all processes. */
export function cacheReader(
  core: CacheCore,
  count: (key: CacheKey, result: 'hit' | 'miss', read: CacheRead<unknown>) => void,
) {
  const flights = new Map<string, Flight>();

  return async function textOf(key: CacheKey, read: CacheRead<unknown>): Promise<string> {
    assertRead(read);
    const running = flights.get(key);
    // Who comes after an invalidation must not get what was being read before it.
    if (running !== undefined && !running.passage.overtaken) {
      const { text } = await running.outcome;
      count(key, 'hit', read);
      return text;
    }
    const passage = core.inflight.begin(key, read.tags);
    const flight = { passage, outcome: readThrough(core, key, read, passage) };
    flights.set(key, flight);
    try {
      const { text, loaded } = await flight.outcome;
      count(key, loaded ? 'miss' : 'hit', read);
      return text;
    } finally {
      core.inflight.end(passage);
      if (flights.get(key) === flight) flights.delete(key);
    }
  };
}

/** Memory, then store, then load; bentocache does the order, the grace and the copying between layers. */
async function readThrough(
  core: CacheCore,
  key: CacheKey,
  read: CacheRead<unknown>,
  passage: Passage,
): Promise<Outcome> {
  const { ttlMs, graceMs = 0 } = read;
  let own: Outcome | undefined;
  try {
    const kept = await core.bento.getOrSet<Entry | undefined>({
      key,
      ttl: ttlMs,
      grace: graceMs > 0 ? ttlMs + graceMs : false, // bentocache counts grace from the write, not from the expiry
      timeout: null, // wait for the load; stale values are for loads that fail
      onFactoryError: error => {
        if (graceMs > 0)
          core.log?.warn(
            { err: error.cause, cache: core.name },
            'a cache load failed; stale values may be served',
          );
      },
      factory: async context => {
        const { entry, ...outcome } = await obtain(core, key, read);
        own = outcome;
        const leftMs = entry === undefined ? 0 : entry.freshUntil - core.clock();
        if (leftMs < 1 || passage.overtaken) return context.skip();
        // The store has it already; this puts it into memory, for the time it has left and not for a full one.
        context.setOptions({ ttl: leftMs, skipL2Write: true, skipBusNotify: true });
        return entry;
      },
    });
    if (own !== undefined) return own;
    if (kept !== undefined) return { text: kept.text, loaded: false };
  } catch (error) {
    throw error instanceof bentoErrors.E_FACTORY_ERROR ? error.cause : error;
  }
  throw new Error('bentocache gave neither a value nor an error');
}

/** A value by our own load or by somebody else's; `entry` only if it may stay in memory. */
async function obtain(
  core: CacheCore,
  key: CacheKey,
  read: CacheRead<unknown>,
): Promise<Outcome & { entry?: Entry | undefined }> {
  const leaseKey = core.places.lease(key);
  const turn = await takeTurn(core.store, leaseKey, () => findFresh(core, key));
  if (turn.kind === 'found') return { text: turn.value.text, loaded: false, entry: turn.value };
  if (turn.kind === 'alone') return { text: await load(core, read), loaded: true };
  const lead = { leaseKey, token: turn.token };
  return whileLeading(core.store, lead, async () => {
    // Marks first, then the load: whatever is invalidated from here on kills the entry, even before it is written.
    const generations = await core.generations.present(generationsOf(read.tags ?? [])).catch(unlessDown);
    const loadedAt = core.clock();
    const text = await load(core, read);
    if (generations === undefined) return { text, loaded: true };
    const freshUntil = loadedAt + read.ttlMs;
    const entry = {
      schema: core.version,
      generations,
      loadedAt,
      freshUntil,
      deadAt: freshUntil + (read.graceMs ?? 0),
      text,
    };
    return { text, loaded: true, entry: (await keep(core, key, lead, entry)) ? entry : undefined };
  });
}

async function findFresh(core: CacheCore, key: CacheKey): Promise<Entry | undefined> {
  const packed = await core.shared.get(key);
  const item = packed === undefined ? undefined : unpackItem(packed);
  return item !== undefined && core.clock() < item.logicalExpiration ? item.value : undefined;
}

async function load(core: CacheCore, read: CacheRead<unknown>): Promise<string> {
  const startedAt = performance.now();
  try {
    return encodeValue(await read.load());
  } finally {
    const seconds = (performance.now() - startedAt) / 1000;
    core.metrics?.observe(
      'melmastoon_cache_load_duration_seconds',
      { service: core.service, cache: core.name },
      seconds,
    );
  }
}

/** Writes the entry while we still lead; false when it must not stay anywhere. */
async function keep(
  core: CacheCore,
  key: CacheKey,
  lead: { leaseKey: string; token: string },
  entry: Entry,
): Promise<boolean> {
  const ttlMs = Math.floor(entry.deadAt - core.clock());
  const value = packItem({ value: entry, logicalExpiration: entry.freshUntil, createdAt: entry.loadedAt });
  try {
    if (ttlMs >= 1)
      return await core.store.lease.commit(lead.leaseKey, lead.token, {
        key: core.places.value(key),
        value,
        ttlMs,
      });
  } catch (error) {
    if (hotErrors.STORE_UNAVAILABLE.is(error)) return false;
    if (!hotErrors.STORE_FULL.is(error) && !hotErrors.VALUE_TOO_LARGE.is(error)) throw error;
    core.log?.warn({ err: error, cache: core.name }, 'the cache tier did not take a value');
  }
  // Not in the store, but ours to keep: if nobody broke the lease, nobody invalidated it.
  return core.store.lease.release(lead.leaseKey, lead.token).catch(() => false);
}

function unlessDown(error: unknown): undefined {
  if (!hotErrors.STORE_UNAVAILABLE.is(error) && !hotErrors.STORE_FULL.is(error)) throw error;
}

function assertRead({ ttlMs, graceMs = 0, tags = [] }: CacheRead<unknown>): void {
  const reason =
    !Number.isInteger(ttlMs) || ttlMs < 1
      ? `ttlMs is ${ttlMs}`
      : !Number.isInteger(graceMs) || graceMs < 0
        ? `graceMs is ${graceMs}`
        : ttlMs + graceMs > MAX_AGE_MS
          ? `${ttlMs + graceMs} ms is more than 30 days`
          : tags.length > 32
            ? `${tags.length} tags are more than 32`
            : undefined;
  if (reason !== undefined) throw hotErrors.MALFORMED_CACHE_USE({ reason });
}
