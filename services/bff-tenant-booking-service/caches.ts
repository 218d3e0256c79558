import { hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { type Cache, openCache } from '@ghasi/hot/cache';
import type { HotStore } from '@ghasi/hot/hot-store';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';

/** The hot tiers of the process, and who watches them. */
export type BookingHot = { state: HotStore; cache: HotStore; log?: Logger; metrics?: Metrics };

/** TB-08..TB-12: how old an answer may get, by family of keys. */
export const ttlMs = {
  'tenant-bootstrap': minutes(5),
  slug: hours(1),
  availability: seconds(30),
  cheapest: seconds(60),
  confirmation: minutes(5),
} as const;

export type Family = keyof typeof ttlMs;

/** One cache per family; the family is the first part of its keys (TEN-29). */
export type Caches = Readonly<Record<Family, Cache>>;

/** CACHE-22, X-142: the shape of cached values; raise it with every change of a view. */
const CACHE_VERSION = 1;

/** While a load fails an old answer is served so much longer: a list of rooms is better late than not at all. */
export const GRACE_MS = minutes(2);

/** Opens all families over the cache tier; stampedes meet one load per key (TB-14, CACHE-26). */
export async function openCaches({ cache: store, log, metrics }: BookingHot): Promise<Caches> {
  const service = 'bff-tenant-booking-service';
  const opened: Partial<Record<Family, Cache>> = {};
  try {
    for (const name of Object.keys(ttlMs) as Family[])
      opened[name] = await openCache({ store, name, version: CACHE_VERSION, service, log, metrics });
  } catch (error) {
    await closeCaches(opened); // they are opened again, all of them
    throw error;
  }
  return opened as Caches;
}

/** Closes all. */
export async function closeCaches(caches: Partial<Caches>): Promise<void> {
  await Promise.all(Object.values(caches).map(cache => cache.close()));
}

/** What invalidates answers in bulk; each names its tenant. */
export const tags = {
  site: (tenantId: TenantId) => `site:${tenantId}`,
  slug: (tenantId: TenantId) => `slug:${tenantId}`,
  house: (tenantId: TenantId, propertyId: Id<'pro'>) => `house:${tenantId}:${propertyId}`,
  booking: (tenantId: TenantId, reservationId: Id<'rsv'>) => `booking:${tenantId}:${reservationId}`,
};
