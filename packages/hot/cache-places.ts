import type { CacheKey } from './cache-key.ts';
import { hotErrors } from './errors.ts';
import type { HotStore } from './port.ts';

/** Where a cache keeps its things in the store. Only this file knows. */
export type CachePlaces = {
  readonly channel: string;
  readonly marks: string;
  readonly versions: string;
  value(key: string): string;
  lease(key: string): string;
};

/** The places of one schema version; versions never read each other's values, old ones age out (CACHE-27). */
export function cachePlaces(name: string, version: number): CachePlaces {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    throw hotErrors.MALFORMED_CACHE_USE({ reason: `"${name}" is not a name like "tenant-settings"` });
  }
  if (!Number.isSafeInteger(version) || version < 0) {
    throw hotErrors.MALFORMED_CACHE_USE({ reason: `${version} is not a schema version` });
  }
  const base = `cache:${name}`;
  return {
    channel: base,
    marks: `${base}:g`,
    versions: `${base}:versions`,
    value: key => `${base}:v${version}:d:${key}`,
    lease: key => `${base}:v${version}:l:${key}`,
  };
}

/**
 * The places of every version that may still have values. During a roll-out the process that hears of a change and the
 * one that caches the value can be of different versions, so a key is removed in all of them.
 */
export async function placesOfAllVersions(
  store: HotStore,
  name: string,
  own: number,
): Promise<CachePlaces[]> {
  const registered = await store.index.dueBefore(
    cachePlaces(name, own).versions,
    Number.MAX_SAFE_INTEGER,
    100,
  );
  const versions = new Set([own, ...registered.map(({ member }) => Number(member))]);
  return [...versions].map(version => cachePlaces(name, version));
}

/** Deletes a value in the store. First the lease, so that a load under way cannot write what it read before. */
export async function removeKey(
  store: HotStore,
  places: readonly CachePlaces[],
  key: CacheKey,
): Promise<void> {
  for (const { lease, value } of places) {
    await store.delete(lease(key));
    await store.delete(value(key));
  }
}

/** The same for everything under a prefix, which may end only between two parts of a key. */
export async function removePrefix(
  store: HotStore,
  places: readonly CachePlaces[],
  prefix: CacheKey,
): Promise<void> {
  await removeKey(store, places, prefix);
  for (const { lease, value } of places) {
    await store.deletePrefix(`${lease(prefix)}:`);
    await store.deletePrefix(`${value(prefix)}:`);
  }
}
