import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { cacheKey } from '@ghasi/hot/cache-key';
import { availability as freeRooms } from '@melmastoon/inventory-service/contract/questions';
import { offersOf, type PlanOffer } from '@melmastoon/pricing-service/contract/site-questions';
import type { z } from 'zod';
import { GRACE_MS, tags, ttlMs } from './caches.ts';
import {
  type AvailabilityView,
  type availabilityQuery,
  availabilityView,
  type OfferView,
} from './contract/booking-api.ts';
import { MOST_SHOWN_FREE } from './contract/booking-parts.ts';
import { partiesOf, refusalOf } from './model.ts';
import { tagsOfNights } from './night-tags.ts';
import { pricedView } from './pricing-view.ts';
import type { Booking } from './runtime.ts';
import { houseOf } from './site.ts';

type Asked = z.output<typeof availabilityQuery>;

/** What a house sells for a stay. */
export async function availabilityOf(
  booking: Booking,
  tenantId: TenantId,
  asked: Asked,
): Promise<AvailabilityView> {
  return JSON.parse(await availabilityText(booking, tenantId, asked));
}

/**
 * TB-10: the same as JSON that has passed `availabilityView`. Two questions per key and 30 s, whoever asks; events make
 * it new.
 */
export async function availabilityText(booking: Booking, tenantId: TenantId, asked: Asked): Promise<string> {
  const { availability: cache } = await booking.caches();
  const { flashSale } = await booking.flags();
  const { propertyId, arrival, departure, adults, children, rooms, locale, currency } = asked;
  const hash = payloadHash({ arrival, departure, adults, children, rooms, locale: locale ?? null });
  return cache.getOrLoadText(cacheKey({ tenantId, parts: [propertyId, hash, currency ?? ''] }), {
    ttlMs: flashSale ? ttlMs.availability * 2 : ttlMs.availability,
    graceMs: flashSale ? GRACE_MS : 0,
    tags: tagsOf(tenantId, asked),
    load: async () => availabilityView.parse(await load(booking, tenantId, asked)),
  });
}

/** Changes of the site, of the house, and of what is free on these nights make an answer new. */
function tagsOf(tenantId: TenantId, { propertyId, arrival, departure }: Asked): string[] {
  const nights = tagsOfNights({ tenantId, propertyId }, { from: arrival, to: departure });
  return [tags.house(tenantId, propertyId), tags.site(tenantId), ...nights];
}

async function load(booking: Booking, tenantId: TenantId, asked: Asked): Promise<AvailabilityView> {
  const { ask, holdMs } = booking;
  const now = new Date();
  const { site, house } = await houseOf(booking, tenantId, asked);
  const { propertyId, arrival, departure, adults, children, rooms } = asked;
  const stay = { arrival, departure };
  const [priced, { roomTypes }] = await Promise.all([
    ask(offersOf, { tenantId, propertyId, stay, rooms: partiesOf(asked) }),
    ask(freeRooms, { tenantId, propertyId, stay }),
  ]);
  if (priced === null) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  const left = new Map(roomTypes.map(({ roomTypeId, sellable }) => [String(roomTypeId), sellable]));
  const known = new Set(house.roomTypes.map(({ roomTypeId }) => String(roomTypeId)));
  const shown = priced.offers.filter(({ roomTypeId }) => known.has(roomTypeId));
  const free = (roomTypeId: string) => left.get(roomTypeId) ?? 0;
  const offers = shown
    .filter(({ roomTypeId }) => free(roomTypeId) >= rooms)
    .flatMap(one =>
      offerOf(one, { stay, house, locale: site.locale, holdMs, now, free: free(one.roomTypeId) }),
    )
    .sort((one, other) => compareMinor(one.total.gross.amount, other.total.gross.amount));
  return {
    ...{ propertyId, stay, adults, children, rooms, currency: house.currency, offers },
    refused: refusedOf(shown, { free, rooms }),
    cheapest: cheapestOf(offers),
    asOf: now.toISOString(),
  };
}

type Offering = Parameters<typeof pricedView>[1] & {
  stay: { arrival: string; departure: string };
  free: number;
};

function offerOf({ outcome, ...plan }: PlanOffer, { stay, free, ...how }: Offering): OfferView[] {
  if (outcome.kind === 'refused') return [];
  const { freeUntil: _, ...offer } = outcome.offer;
  const { roomTypeId, ratePlanId, board, refundable } = plan;
  const named = how.house.plans.find(one => one.ratePlanId === ratePlanId);
  return [
    {
      ...{ roomTypeId, ratePlanId, planName: named?.name ?? plan.name[0]?.text ?? '' },
      ...pricedView({ ...offer, board, refundable, stay }, how),
      free: Math.min(free, MOST_SHOWN_FREE),
      many: free > MOST_SHOWN_FREE,
    },
  ];
}

/** Sold out is said once per room type; what a plan forbids, per plan. Of many dates the first says enough. */
function refusedOf(
  offers: readonly PlanOffer[],
  { free, rooms }: { free: (roomTypeId: string) => number; rooms: number },
): AvailabilityView['refused'] {
  const types = [...new Set(offers.map(({ roomTypeId }) => roomTypeId))];
  const soldOut = types.filter(roomTypeId => free(roomTypeId) < rooms);
  const gone = soldOut.map(roomTypeId => ({
    roomTypeId,
    ratePlanId: null,
    reasons: [{ reason: 'sold_out' as const, date: null, limit: free(roomTypeId) }],
  }));
  const restricted = offers.flatMap(({ roomTypeId, ratePlanId, outcome }) => {
    if (outcome.kind === 'priced' || soldOut.includes(roomTypeId)) return [];
    const reasons = new Map(
      outcome.refusals
        .toReversed()
        .map(({ reason, date, limit }) => [refusalOf(reason), { reason: refusalOf(reason), date, limit }]),
    );
    return [{ roomTypeId, ratePlanId, reasons: [...reasons.values()].toReversed() }];
  });
  return [...gone, ...restricted];
}

function cheapestOf(offers: readonly OfferView[]): AvailabilityView['cheapest'] {
  const byType = Map.groupBy(offers, ({ roomTypeId }) => roomTypeId);
  return [...byType].flatMap(([roomTypeId, [first]]) =>
    first === undefined ? [] : [{ roomTypeId, gross: first.total.gross }],
  );
}

/** TB-11: the cheapest rate per room type of a stay, for lists of houses; kept for 60 s. */
export async function cheapestRates(
  booking: Booking,
  tenantId: TenantId,
  asked: Asked,
): Promise<AvailabilityView['cheapest']> {
  const { cheapest: cache } = await booking.caches();
  const { propertyId, arrival, departure, adults, children, rooms, currency } = asked;
  const hash = payloadHash({ arrival, departure, adults, children, rooms });
  return cache.getOrLoad(cacheKey({ tenantId, parts: [propertyId, hash, currency ?? ''] }), {
    ttlMs: ttlMs.cheapest,
    tags: tagsOf(tenantId, asked),
    load: async () => (await availabilityOf(booking, tenantId, asked)).cheapest,
  });
}

function compareMinor(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
