import { seconds } from '@ghasi/domain-primitives/duration';
import { cacheKey } from '@ghasi/hot/cache-key';
import type { ResolveTenant } from '@ghasi/http/principal';
import { resolveTenant } from '@melmastoon/tenant-service/contract';
import { tags, ttlMs } from './caches.ts';
import type { Booking } from './runtime.ts';

/** A host name can change hands; nobody tells us when it does. */
const HOST_TTL_MS = seconds(60);

/** Thrown through the cache by a name that must not be remembered. */
class NotKept extends Error {
  readonly found: { tenantId: string; status: string } | null;

  constructor(found: NotKept['found']) {
    super('not kept');
    this.found = found;
  }
}

/**
 * TB-09: which tenant a slug or a host belongs to. Only open tenants are remembered: an unknown name may be claimed and
 * a suspended tenant may open at any moment, and its suspension invalidates what is remembered.
 */
export function cachedTenants(booking: Booking): ResolveTenant {
  return async ({ host, slug }) => {
    const name = slug === undefined ? { host } : { slug };
    const parts = slug === undefined ? ['host', host] : ['slug', slug];
    const known = parts.join('').length <= 200;
    const load = async () => {
      const found = await booking.ask(resolveTenant, name);
      if (found === null || found.status !== 'active' || !known) throw new NotKept(found);
      return { tenantId: found.tenantId, status: found.status };
    };
    try {
      if (!known) return await load();
      const { slug: cache } = await booking.caches();
      const key = cacheKey({ tenantId: 'global', parts });
      return await cache.getOrLoad(key, {
        ttlMs: slug === undefined ? HOST_TTL_MS : ttlMs.slug,
        tags: [EVERY_SLUG],
        load,
      });
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      return error.found === null ? undefined : (error.found as Awaited<ReturnType<ResolveTenant>>);
    }
  };
}

/** Tags must be known before the load, and whose slug it is only after it: a suspension forgets all slugs. */
const EVERY_SLUG = tags.slug('every' as never);

/** A tenant may not sell any more: nobody may find it by what was remembered. */
export async function forgetSlugs(booking: Booking): Promise<void> {
  await (await booking.caches()).slug.invalidateTags([EVERY_SLUG]);
}
