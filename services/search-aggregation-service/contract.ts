import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, count, currency, isOncePer, localisedText } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate, price } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Why a house is found no more. */
export const evictionReasons = [
  'unpublished',
  'tenant_suspended',
  'tenant_closed',
  'no_sellable_rooms',
  'incomplete',
] as const;

/** One night of a room type: how many are left and from which price; sold out exactly when there is none. */
const listedNight = z
  .strictObject({ date: localDate, free: count, from: price.nullable() })
  .refine(({ free, from }) => (free === 0) === (from === null), 'has a price exactly when a room is free');

/** One room type with the nights that are on sale, in order. */
const listedRoomType = z
  .strictObject({
    roomTypeId: idText('rty'),
    name: localisedText(120),
    maxGuests: z.int().min(1).max(30),
    nights: z.array(listedNight).min(1).max(400),
  })
  .refine(({ nights }) => isAscending(nights), 'its nights are not in order');

/**
 * All that a search across houses shows of one of them: what is public anyway, and nothing of guests or payments
 * (XT-05). Replaces whatever was known of the property before.
 */
export const ListingIndexed = defineEvent({
  subject: 'melmastoon.search_aggregation.listing.indexed.v1',
  summary: 'a property with its free rooms was indexed anew',
  retention: 'hot',
  crossTenant: true,
  payload: z
    .strictObject({
      propertyId: idText('pro'),
      /** Of the tenant's booking site, where a guest goes on. */
      tenantSlug: z.string().regex(/^[a-z0-9](?:-?[a-z0-9]){2,39}$/),
      name: localisedText(120),
      /** ISO 3166-1 alpha-2. */
      country: z.string().regex(/^[A-Z]{2}$/),
      city: localisedText(120),
      /** In degrees; null until somebody has put it on the map. */
      position: z
        .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
        .nullable(),
      amenities: z.array(code).refine(isOncePer(String), 'names an amenity twice'),
      coverPhotoId: idText('fil').nullable(),
      currency,
      roomTypes: z
        .array(listedRoomType)
        .min(1)
        .refine(
          isOncePer((type: { roomTypeId: string }) => type.roomTypeId),
          'lists a room type twice',
        ),
    })
    .refine(hasOneCurrency, 'has a price in another currency'),
  aggregateId: p => p.propertyId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.propertyId}:indexed:${aggregateVersion}`,
});

/** A house is found no more: caches forget it. */
export const ListingEvicted = defineEvent({
  subject: 'melmastoon.search_aggregation.listing.evicted.v1',
  summary: 'a listing left the index',
  retention: 'hot',
  crossTenant: true,
  payload: z.strictObject({ propertyId: idText('pro'), reason: z.enum(evictionReasons) }),
  aggregateId: p => p.propertyId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.propertyId}:evicted:${aggregateVersion}`,
});

/** All events of search-aggregation-service. */
export const events = [ListingIndexed, ListingEvicted];

type Listed = { currency: string; roomTypes: readonly z.output<typeof listedRoomType>[] };

function hasOneCurrency({ currency, roomTypes }: Listed): boolean {
  return roomTypes.every(({ nights }) =>
    nights.every(({ from }) => from === null || from.currency === currency),
  );
}

function isAscending(nights: readonly { date: string }[]): boolean {
  return nights.slice(1).every(({ date }, index) => (nights[index]?.date ?? '') < date);
}
