/** How the traveller may order what the meta-search finds. */
export const listingOrders = ['recommended', 'price_low_first', 'price_high_first', 'nearest'] as const;
export type ListingOrder = (typeof listingOrders)[number];

/** What the traveller may filter by. */
export const listingFacets = ['price', 'amenity', 'board', 'guarantee', 'city'] as const;
export type ListingFacet = (typeof listingFacets)[number];

/**
 * It owns no fact, so it publishes none: listings are search-aggregation-service's, and the booking begins in
 * bff-tenant-booking-service. It has a token nevertheless, so that no other service can take its name.
 */
export const events = [] as const;
