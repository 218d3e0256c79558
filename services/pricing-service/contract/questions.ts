import { defineQuestion } from '@ghasi/backbone/question';
import { currency, rail, taxedPrice, version, wallTime } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, money, price, stay, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { boards, guarantees } from '../contract.ts';
import {
  cancellationTerms,
  chargeBases,
  chargeKinds,
  chargeModes,
  codeText,
  depositTerms,
  localised,
  noShowTerms,
} from './resources.ts';

/** Where a quote can be. */
export const quoteStatuses = ['open', 'used', 'expired'] as const;
export type QuoteStatus = (typeof quoteStatuses)[number];

/** Why a stay is not sold, in codes that clients have words for. Those of `restrictionReasons` can be overridden. */
export const restrictionReasons = [
  'closed',
  'min_stay',
  'max_stay',
  'closed_to_arrival',
  'closed_to_departure',
] as const;
export const refusalReasons = [
  ...restrictionReasons,
  'arrival_passed',
  'stay_too_long',
  'property_unknown',
  'room_type_unknown',
  'plan_unknown',
  'plan_not_on_sale',
  'room_type_not_in_plan',
  'too_many_guests',
  'no_price',
  'mixed_conditions',
  'promo_unknown',
  'promo_not_valid',
  'promo_used_up',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** One reason; `room` counts from 0, `nights` and `guests` are the limit that was broken. */
export const refusal = z.strictObject({
  reason: z.enum(refusalReasons),
  room: z.int().min(0).nullable(),
  date: localDate.nullable(),
  limit: z.int().nullable(),
});
export type Refusal = z.output<typeof refusal>;

/** Longest stay that is quoted. */
export const MOST_QUOTED_NIGHTS = 365;

/**
 * Most nights of all rooms of a quote together. An event of the booking tells each (300 bytes, 460 with four taxes), one of a
 * date change those before and after, and 256 KB is the end of an event.
 */
export const MOST_QUOTED_ROOM_NIGHTS = 500;

/** What is to be priced. */
export const quoteRequest = z.strictObject({
  propertyId: idText('pro'),
  stay,
  rooms: z
    .array(
      z.strictObject({
        roomTypeId: idText('rty'),
        ratePlanId: idText('rpl'),
        adults: z.int().min(1).max(30),
        children: z.int().min(0).max(30),
      }),
    )
    .min(1)
    .max(50),
  promoCode: codeText.nullable().default(null),
  bookingDraftId: idText('bdr').nullable().default(null),
});
export type QuoteRequest = z.output<typeof quoteRequest>;

/** Why the price of a night is not the one of the calendar. */
export const adjustmentKinds = ['derivation', 'extra_guests', 'promo', 'carried_rate'] as const;

const chargeLine = z.strictObject({
  code: codeText,
  kind: z.enum(chargeKinds),
  mode: z.enum(chargeModes),
  basis: z.enum(chargeBases),
  amount: price,
  /** Of the tax rule. */
  version,
});

/** One frozen night (R21): base and adjustments make the listed price, exclusive charges on top of it the gross. */
export const quotedNight = z.strictObject({
  date: localDate,
  base: price,
  adjustments: z.array(z.strictObject({ kind: z.enum(adjustmentKinds), amount: money })),
  charges: z.array(chargeLine),
  price: taxedPrice,
});

const quotedRoom = z.strictObject({
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  planVersion: version,
  board: z.enum(boards),
  /** Set once a booking has given the room its identity. */
  bookedRoomId: idText('brm').nullable(),
  stay,
  adults: z.int().min(1).max(30),
  children: z.int().min(0).max(30),
  /** The night that takes what does not divide (R20). */
  remainderOn: localDate,
  nights: z.array(quotedNight).min(1),
  total: taxedPrice,
});

const frozen = { policyId: idText('pol'), version, name: localised };

/** A step of the cancellation terms in the property's zone: until then this fee; `until` null: from then on. */
const deadline = z.strictObject({ until: instant.nullable(), fee: price });

/** A quote as it was promised; nothing in it changes but its status. */
export const quoteView = z.strictObject({
  quoteId: idText('quo'),
  /** The one it took the place of when the dates of a booking changed. */
  previousQuoteId: idText('quo').nullable(),
  propertyId: idText('pro'),
  bookingDraftId: idText('bdr').nullable(),
  status: z.enum(quoteStatuses),
  stay,
  rooms: z.array(quotedRoom).min(1),
  total: taxedPrice,
  /** Taxes and fees over all nights; inclusive ones are inside the price. */
  charges: z.array(
    z.strictObject({ ...chargeLine.omit({ version: true, basis: true }).shape, name: localised }),
  ),
  promoCode: codeText.nullable(),
  guarantee: z.enum(guarantees),
  refundable: z.boolean(),
  deposit: price,
  /** How the guest may pay, what is due now and what at the house. */
  rails: z.array(z.strictObject({ rail, dueNow: price, dueLater: price })).min(1),
  policies: z.strictObject({
    cancellation: z.strictObject({ ...frozen, terms: cancellationTerms }),
    noShow: z.strictObject({ ...frozen, terms: noShowTerms }),
    deposit: z.strictObject({ ...frozen, terms: depositTerms }).nullable(),
  }),
  cancellation: z.array(deadline).min(1),
  /** Deadlines are read on the property's clock (R6). */
  zone: z.string(),
  checkInFrom: wallTime,
  quotedAt: instant,
  expiresAt: instant,
  /** Restrictions that somebody with the right to do so put aside, and why (R12). */
  override: z
    .strictObject({ reason: z.string(), by: z.string(), broken: z.array(refusal).min(1) })
    .nullable(),
});
export type QuoteView = z.output<typeof quoteView>;

/** A quote, or why there is none. */
export const quoteOutcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('quoted'), quote: quoteView }),
  z.strictObject({ kind: z.literal('refused'), refusals: z.array(refusal).min(1) }),
]);
export type QuoteOutcome = z.output<typeof quoteOutcome>;

/** Makes a quote: frozen nights, good for 15 minutes. Asking twice makes two quotes, which harms nobody. */
export const makeQuote = defineQuestion({
  name: 'pricing.quote',
  input: z.strictObject({ tenantId: tenantIdText, ...quoteRequest.shape }),
  output: quoteOutcome,
});

/** Reads a quote as it was frozen; null when there is none. Expired ones are told by their status and `expiresAt`. */
export const quoteOf = defineQuestion({
  name: 'pricing.quote-of',
  input: z.strictObject({ tenantId: tenantIdText, quoteId: idText('quo') }),
  output: quoteView.nullable(),
});

/** What leaving costs. */
export const leavingTerms = z.strictObject({
  quoteId: idText('quo'),
  at: instant,
  /** What the house keeps; never more than the total. */
  fee: price,
  /** What goes back of what was paid. */
  refund: price,
  /** What the fee asks for beyond what was paid. */
  owed: price,
  /** Until when cancelling is free; null: never. */
  freeUntil: instant.nullable(),
  deadlines: z.array(deadline).min(1),
  /** No-show only: until when the house keeps the room; null: it does not. */
  keptUntil: instant.nullable(),
  zone: z.string(),
});
export type LeavingTerms = z.output<typeof leavingTerms>;

/** Fee and refund for a guest who cancels at an instant, or who does not come; null without such a quote. */
export const cancellationTermsOf = defineQuestion({
  name: 'pricing.cancellation-terms',
  input: z.strictObject({
    tenantId: tenantIdText,
    quoteId: idText('quo'),
    at: instant,
    because: z.enum(['cancellation', 'no_show']).default('cancellation'),
    /** Default: the whole price. Must be in the quote's currency. */
    paid: price.nullable().default(null),
  }),
  output: leavingTerms.nullable(),
});

/** Most nights that a list of prices tells of. */
export const MOST_LISTED_NIGHTS = 400;

const minor = z.string().regex(/^(0|[1-9][0-9]{0,17})$/);

/** A day of a plan and room type as lists show it; prices are minor units in the property's currency. */
export const listedDay = z.strictObject({
  date: localDate,
  /** With all charges, by party: `a` adults with `c` children are number `c × adults + a − 1`. Null: not sold. */
  gross: z.array(minor).nullable(),
  /** What a stay that begins here pays once, by party; empty: nothing. */
  onArrival: z.array(minor),
  minNights: z.int().min(1),
  maxNights: z.int().min(1).nullable(),
  /** Also where the plan is not sold for arrivals on that date. */
  closedToArrival: z.boolean(),
  closedToDeparture: z.boolean(),
});

/**
 * What the nights `[from, until)` of a house cost on every plan that is on sale, for lists and searches. It promises
 * nothing: a quote decides, and may differ by some minor units where percentages come on top. Null: no such house.
 */
export const calendarOf = defineQuestion({
  name: 'pricing.calendar',
  input: z
    .strictObject({ tenantId: tenantIdText, propertyId: idText('pro'), from: localDate, until: localDate })
    .refine(
      ({ from, until }) =>
        from < until && Date.parse(until) - Date.parse(from) <= MOST_LISTED_NIGHTS * 86_400_000,
      `from before until, at most ${MOST_LISTED_NIGHTS} nights`,
    ),
  output: z
    .strictObject({
      currency,
      rates: z.array(
        z.strictObject({
          ratePlanId: idText('rpl'),
          roomTypeId: idText('rty'),
          board: z.enum(boards),
          guarantee: z.enum(guarantees),
          refundable: z.boolean(),
          parties: z.strictObject({ adults: z.int().min(1), children: z.int().min(0) }),
          days: z.array(listedDay),
        }),
      ),
    })
    .nullable(),
});
