import type { CacheCore } from './cache-core.ts';
import type { CacheKey } from './cache-key.ts';
import { placesOfAllVersions, removeKey, removePrefix } from './cache-places.ts';

/** What is no longer true. */
export type Invalidation =
  | { by: 'key'; key: CacheKey }
  | { by: 'tag'; tags: readonly string[] }
  | { by: 'prefix'; prefix: CacheKey }
  | { by: 'all' };

/** The generation that every entry has. Tags have a mark of their own, so none can be called this. */
const ALL = '*';

/** The generations an entry with these tags depends on. */
export function generationsOf(tags: readonly string[]): string[] {
  return [ALL, ...tags.map(tag => `#${tag}`)];
}

/**
 * Invalidates in this process, in the store and, by a message, in all other processes. Throws when the store does not
 * answer: this process has then forgotten the value already, the others follow when the caller repeats the call.
 */
export async function invalidate(core: CacheCore, invalidation: Invalidation): Promise<void> {
  forgetHere(core, invalidation);
  await removeFromStore(core, invalidation);
  forgetHere(core, invalidation); // what another reader fetched from the store in between
  await core.store.publish(core.places.channel, JSON.stringify({ from: core.id, ...invalidation }));
  const by = invalidation.by === 'all' ? 'prefix' : invalidation.by; // all is the empty prefix
  core.metrics?.inc('melmastoon_cache_invalidations_total', { service: core.service, cache: core.name, by });
}

/** Listens to the other processes. After a gap in the line everything in memory is suspect. */
export function listen(core: CacheCore): Promise<() => Promise<void>> {
  const suspectAll = () => forgetHere(core, { by: 'all' });
  return core.store.subscribe(
    core.places.channel,
    text => {
      const message = parse(text);
      if (message === undefined) {
        core.log?.warn(
          { cache: core.name },
          'an invalidation could not be read; forgetting everything in memory',
        );
        suspectAll();
      } else if (message.from !== core.id) forgetHere(core, message);
    },
    { onGap: suspectAll },
  );
}

function forgetHere({ inflight, memory, generations }: CacheCore, invalidation: Invalidation): void {
  if (invalidation.by === 'key') {
    inflight.overtakeKey(invalidation.key);
    memory.delete(invalidation.key);
  } else if (invalidation.by === 'tag') {
    inflight.overtakeTags(invalidation.tags);
    generations.forget(generationsOf(invalidation.tags).slice(1));
  } else if (invalidation.by === 'prefix') {
    inflight.overtakePrefix(invalidation.prefix);
    memory.deletePrefix(invalidation.prefix);
  } else {
    inflight.overtakeAll();
    generations.forgetAll();
    memory.clear();
  }
}

async function removeFromStore(core: CacheCore, invalidation: Invalidation): Promise<void> {
  const { store, generations, name, version } = core;
  if (invalidation.by === 'tag') return generations.renew(generationsOf(invalidation.tags).slice(1));
  if (invalidation.by === 'all') return generations.renew([ALL]);
  const places = await placesOfAllVersions(store, name, version);
  if (invalidation.by === 'key') return removeKey(store, places, invalidation.key);
  return removePrefix(store, places, invalidation.prefix);
}

function parse(text: string): (Invalidation & { from: string }) | undefined {
  try {
    const message = JSON.parse(text) as Record<string, unknown>;
    const { by, key, tags, prefix, from } = message;
    const whole =
      (by === 'key' && typeof key === 'string') ||
      (by === 'tag' && Array.isArray(tags) && tags.every(tag => typeof tag === 'string')) ||
      (by === 'prefix' && typeof prefix === 'string') ||
      by === 'all';
    return whole && typeof from === 'string' ? (message as Invalidation & { from: string }) : undefined;
  } catch {
    return undefined;
  }
}
