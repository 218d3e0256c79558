import { currency, locale, taxedPrice, wallTime } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price, stay } from '@melmastoon/catalog/parts';
import { blockPlacements, siteTheme } from '@melmastoon/theme-config-service/contract';
import { z } from 'zod';

/** How a guest of the site can pay; `cash_pending` is cash on arrival. */
export const guestRails = ['card', 'mobile_money', 'paypal', 'cash_pending'] as const;
export type GuestRail = (typeof guestRails)[number];

/** Why an offer is not sold, in codes the site has words for; `limit` and `date` are the figures for them. */
export const offerRefusals = [
  'sold_out',
  'closed',
  'min_stay',
  'max_stay',
  'closed_to_arrival',
  'closed_to_departure',
  'too_many_guests',
  'arrival_passed',
  'stay_too_long',
  'no_price',
  'not_on_sale',
] as const;
export type OfferRefusal = (typeof offerRefusals)[number];

/** More free rooms than this are shown as "many": nobody needs to know how empty a house is. */
export const MOST_SHOWN_FREE = 5;

/** A reason with the figures needed to say it in words: `min_stay` with limit 3 is "at least 3 nights". */
export const refusalFacts = z.strictObject({
  reason: z.enum(offerRefusals),
  date: localDate.nullable(),
  limit: z.int().nullable(),
});

/** A tax or a fee over the whole stay; `inclusive` ones are inside the price, `exclusive` ones were put on top. */
export const chargeView = z.strictObject({
  code: z.string(),
  name: z.string(),
  kind: z.string(),
  mode: z.enum(['inclusive', 'exclusive']),
  amount: price,
});

/** Until then leaving costs `fee`; `until` null: from then on. Say it in the property's zone. */
export const deadlineView = z.strictObject({ until: instant.nullable(), fee: price });

/** A way to pay: what is due now, what at the house, and by when. */
export const payChoice = z.strictObject({
  rail: z.enum(guestRails),
  dueNow: price,
  dueLater: price,
  /** What is due now must be there by then (null: nothing is due now); counted from the click on "book". */
  payWithinMs: z.int().nullable(),
  /** When the rest is due: at check-in, this instant in the property's zone; null when nothing is left. */
  dueLaterBy: instant.nullable(),
});
export type PayChoice = z.output<typeof payChoice>;

/** The price of something with all that a guest must know before he pays. */
export const pricedStay = {
  /** For all rooms and nights, taxes and fees included in `gross`. */
  total: taxedPrice,
  /** Gross, per night over all rooms, rounded down to the minor unit; for show. */
  perNight: price,
  nights: z.array(z.strictObject({ date: localDate, gross: price })),
  charges: z.array(chargeView),
  board: z.enum(['room_only', 'breakfast', 'half_board', 'full_board']),
  refundable: z.boolean(),
  payChoices: z.array(payChoice),
  cancellation: z.array(deadlineView),
  /** Until when cancelling is free; null: never. */
  freeUntil: instant.nullable(),
  /** Deadlines are read on this clock. */
  zone: z.string(),
};

/** A stay as the guest chose it; guests are counted over all rooms and spread as evenly as it goes. */
export const chosenStay = {
  propertyId: idText('pro'),
  stay,
  adults: z.int().min(1).max(60),
  children: z.int().min(0).max(60),
  rooms: z.int().min(1).max(9),
};

const amenity = z.strictObject({ code: z.string(), name: z.string() });

/** A type of room in the guest's language. */
export const roomTypeCard = z.strictObject({
  roomTypeId: idText('rty'),
  code: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  amenities: z.array(amenity),
  maxAdults: z.int(),
  maxChildren: z.int(),
  maxGuests: z.int(),
  beds: z.array(z.strictObject({ kind: z.string(), quantity: z.int() })),
  areaSquareMetres: z.int().nullable(),
  smoking: z.boolean(),
  photoIds: z.array(z.string()),
});

/** A house in the guest's language. */
export const propertyCard = z.strictObject({
  propertyId: idText('pro'),
  name: z.string(),
  city: z.string(),
  country: z.string(),
  position: z.strictObject({ latitude: z.number(), longitude: z.number() }).nullable(),
  zone: z.string(),
  currency,
  checkInFrom: wallTime,
  checkOutUntil: wallTime,
  amenities: z.array(amenity),
  photoIds: z.array(z.string()),
  roomTypes: z.array(roomTypeCard),
  plans: z.array(z.strictObject({ ratePlanId: idText('rpl'), name: z.string() })),
  /** How its guests can pay on at least one plan. */
  rails: z.array(z.enum(guestRails)),
});
export type PropertyCard = z.output<typeof propertyCard>;

/** Everything a page needs before the guest has asked for anything (X-138 TenantBootstrap). */
export const tenantBootstrap = z.strictObject({
  tenant: z.strictObject({ name: z.string(), slug: z.string(), status: z.literal('active') }),
  /** What this answer is in. */
  locale,
  locales: z.array(locale).min(1),
  currency,
  currencies: z.array(currency).min(1),
  calendar: z.enum(['solar-hijri', 'gregorian']),
  digits: z.enum(['latn', 'arabext']),
  /** ISO: 1 Monday to 7 Sunday. */
  weekendDays: z.array(z.int().min(1).max(7)),
  zone: z.string(),
  theme: siteTheme,
  blocks: z.array(
    z.strictObject({ placement: z.enum(blockPlacements), position: z.int(), locale, text: z.string() }),
  ),
  properties: z.array(propertyCard),
});
export type TenantBootstrap = z.output<typeof tenantBootstrap>;
