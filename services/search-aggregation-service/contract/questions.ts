import { defineQuestion } from '@ghasi/backbone/question';
import { isLocalDate } from '@ghasi/domain-primitives/local-date';
import { code, count, currency, localisedText } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** How what was found is ordered. Prices compare within a currency, so they are ordered by currency first. */
export const listingOrders = ['recommended', 'price_low_first', 'price_high_first', 'nearest'] as const;

/** Most nights of a stay that is looked for. */
export const MOST_SEARCHED_NIGHTS = 60;

/** Most listings of one answer, and most answers. */
export const MOST_PER_PAGE = 50;
export const MOST_PAGES = 40;

/** A day that PostgreSQL knows too: there is no year 0. */
const calendarDay = localDate.refine(isLocalDate, 'is no day');
const line = (most: number) => z.string().trim().min(1).max(most);
const degrees = (most: number) => z.number().min(-most).max(most);

/** What is looked for. Dates come together; without them houses are found whatever is free. */
export const searchRequest = z
  .strictObject({
    /** In any language the house has it in, however it is spelt. */
    city: line(120).optional(),
    /** Words of names and cities, the last one may be a beginning. */
    text: line(120).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .optional(),
    arrival: calendarDay.optional(),
    departure: calendarDay.optional(),
    adults: z.int().min(1).max(30).default(2),
    children: z.int().min(0).max(30).default(0),
    rooms: z.int().min(1).max(20).default(1),
    /** All of them. */
    amenities: z.array(code).max(20).default([]),
    board: code.max(40).optional(),
    /** Only houses with prices in it. */
    currency: currency.optional(),
    /** Most for the whole stay, in minor units; needs a currency. */
    mostTotal: z.int().min(0).optional(),
    near: z.strictObject({ latitude: degrees(90), longitude: degrees(180) }).optional(),
    order: z.enum(listingOrders).default('recommended'),
    page: z.int().min(1).max(MOST_PAGES).default(1),
    perPage: z.int().min(1).max(MOST_PER_PAGE).default(20),
  })
  .refine(({ arrival, departure }) => (arrival === undefined) === (departure === undefined), 'half a stay')
  .refine(isStay, `a stay has 1 to ${MOST_SEARCHED_NIGHTS} nights`)
  .refine(
    ({ mostTotal, currency: of }) => mostTotal === undefined || of !== undefined,
    'most of which currency',
  )
  .refine(({ order, near }) => order !== 'nearest' || near !== undefined, 'nearest to what');
export type SearchRequest = z.output<typeof searchRequest>;

/** How old what is shown is (PROJ-05): current, being computed, known to be behind, or a part could not be computed. */
export const freshness = z.strictObject({
  status: z.enum(['READY', 'COMPUTING', 'STALE', 'FAILED']),
  /** Everything was so at that moment, or is newer; null while a part was never computed. */
  asOf: instant.nullable(),
});

/** A house that was found, and for a stay its cheapest offer. Nothing is promised: a quote and a hold decide. */
export const foundListing = z.strictObject({
  propertyId: idText('pro'),
  /** Of the tenant's booking site, where a guest goes on. */
  tenantSlug: z.string(),
  name: localisedText(120),
  country: z.string(),
  city: localisedText(120),
  position: z.strictObject({ latitude: z.number(), longitude: z.number() }).nullable(),
  amenities: z.array(z.string()),
  coverPhotoId: idText('fil').nullable(),
  /** The lowest price of a night in the next months; null: none is free. */
  from: price.nullable(),
  offer: z
    .strictObject({
      roomTypeId: idText('rty'),
      roomTypeName: localisedText(120),
      ratePlanId: idText('rpl'),
      board: z.string(),
      guarantee: z.string(),
      refundable: z.boolean(),
      /** Rooms of the type that are free on every night. */
      free: count,
      /** Of all rooms and nights, with taxes and fees. */
      total: price,
    })
    .nullable(),
  distanceKm: z.number().min(0).nullable(),
  freshness,
});
export type FoundListing = z.output<typeof foundListing>;

/** A page of what was found. */
export const searchAnswer = z.strictObject({
  listings: z.array(foundListing),
  page: z.int().min(1),
  /** Null: there is no more. */
  nextPage: z.int().min(2).nullable(),
});

/** Finds houses of all tenants; what a consumer site shows. */
export const findListingsQuestion = defineQuestion({
  name: 'search_aggregation.listings',
  input: searchRequest,
  output: searchAnswer,
});

function isStay({
  arrival,
  departure,
}: {
  arrival?: string | undefined;
  departure?: string | undefined;
}): boolean {
  if (arrival === undefined || departure === undefined) return true;
  const nights = (Date.parse(departure) - Date.parse(arrival)) / 86_400_000;
  return nights >= 1 && nights <= MOST_SEARCHED_NIGHTS;
}
