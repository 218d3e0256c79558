import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { localDateIn } from '@ghasi/domain-primitives/zone';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { ListingEvicted, ListingIndexed } from '../contract.ts';
import {
  decideListing,
  type EvictionReason,
  type ListedType,
  TOLD_NIGHTS,
  toldNights,
  uncounted,
} from '../model.ts';
import { findHouse, findTenant } from '../queries/heard.ts';
import { type KnownListing, lockListing, saveGone, saveListed } from '../queries/listings.ts';
import { readTypes } from '../queries/projections.ts';
import { folded } from '../search-text.ts';

/** What became of a listing. `uncounted`: it has rooms that inventory-service has not counted yet. */
export type Published = { status: 'listed' | 'gone' | 'unknown'; uncounted: boolean };

type KnownHouse = NonNullable<Awaited<ReturnType<typeof findHouse>>>;

/** Puts a house into the index as it is known now, or takes it out, and tells it if that says something new. */
export async function publishListing(ctx: Ctx, propertyId: Id<'pro'>): Promise<Accepted<Published>> {
  const house = await findHouse(ctx.tx, propertyId);
  if (house === undefined) return accepted({ status: 'unknown', uncounted: false }, []);
  const before = await lockListing(ctx.tx, propertyId);
  const today = localDateIn(house.zone, ctx.now);
  const window = { from: today, until: addDays(today, TOLD_NIGHTS) };
  const types = await readTypes(ctx, propertyId, window);
  const tenant = await findTenant(ctx.tx);
  const decision = decideListing({ tenant, wanted: house.wanted, roomTypes: types });
  if (decision.kind === 'gone') {
    const events = await evict(ctx, propertyId, before, decision.reason);
    return accepted({ status: 'gone', uncounted: uncounted(types) }, events);
  }
  const events = await index(ctx, house, before, decision);
  return accepted({ status: 'listed', uncounted: uncounted(types) }, events);
}

/** Takes a house out of the index, if it is in it. */
export async function evict(
  ctx: Ctx,
  propertyId: Id<'pro'>,
  before: KnownListing | undefined,
  reason: EvictionReason,
): Promise<readonly PendingEvent[]> {
  if (before?.status !== 'listed') return [];
  const version = before.version + 1;
  await saveGone(ctx, propertyId, { version, reason });
  return [ListingEvicted.from({ propertyId, reason }, { aggregateVersion: version }) as PendingEvent];
}

async function index(
  ctx: Ctx,
  house: KnownHouse,
  before: KnownListing | undefined,
  { slug, roomTypes }: { slug: string; roomTypes: readonly ListedType[] },
): Promise<readonly PendingEvent[]> {
  const payload = payloadOf(house, slug, roomTypes);
  const contentHash = payloadHash(payload);
  const isSame = before?.status === 'listed' && before.contentHash === contentHash;
  const version = (before?.version ?? 0) + (isSame ? 0 : 1);
  const prices = payload.roomTypes.flatMap(({ nights }) => nights.flatMap(({ from }) => from?.amount ?? []));
  const lowest = prices.map(BigInt).reduce<bigint | null>((a, b) => (a === null || b < a ? b : a), null);
  await saveListed(ctx, house.propertyId, {
    ...{ version, contentHash, slug, name: house.name, country: house.country, city: house.city },
    ...{ latitude: house.position?.latitude ?? null, longitude: house.position?.longitude ?? null },
    amenities: [...house.amenities],
    coverPhotoId: payload.coverPhotoId === null ? null : idToUuid(payload.coverPhotoId),
    currency: house.currency,
    fromMinor: lowest,
    cities: [...new Set(house.city.map(({ text }) => folded(text)))],
    words: [...house.name, ...house.city].map(({ text }) => folded(text)).join(' '),
  });
  return isSame ? [] : [ListingIndexed.from(payload, { aggregateVersion: version }) as PendingEvent];
}

/** What anybody may know of a house: the fields are named one by one, and there are no others (XT-05). */
function payloadOf(house: KnownHouse, tenantSlug: string, types: readonly ListedType[]) {
  const { propertyId, name, country, city, position, amenities, currency } = house;
  const price = (minor: bigint | null) => (minor === null ? null : { amount: minor.toString(), currency });
  return {
    ...{ propertyId, tenantSlug, country, position, currency },
    name: [...name],
    city: [...city],
    amenities: [...amenities],
    coverPhotoId: types.find(({ coverPhotoId }) => coverPhotoId !== null)?.coverPhotoId ?? null,
    roomTypes: types.map(({ roomTypeId, name: typeName, maxGuests, nights }) => ({
      ...{ roomTypeId, name: [...typeName], maxGuests },
      nights: toldNights(nights, types.length).map(({ date, free, from }) => ({
        date,
        free,
        from: price(from),
      })),
    })),
  };
}
