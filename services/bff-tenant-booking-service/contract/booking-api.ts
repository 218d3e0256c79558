import { currency, locale } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price } from '@melmastoon/catalog/parts';
import { guestDetails } from '@melmastoon/reservation-service/contract/resources';
import { z } from 'zod';
import { chosenStay, guestRails, pricedStay, refusalFacts, tenantBootstrap } from './booking-parts.ts';

// The interface of the booking site, all under /api/v1/booking. The tenant comes from the host or X-Tenant-Slug, the
// guest from the cookie `tnt_session`, which every GET that anybody may call sets when it is missing. What a guest does
// after he has booked is in manage-api.ts.

const number = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const campaign = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);

/** GET /bootstrap: language and currency are wishes; what the tenant does not speak or take becomes its own default. */
export const bootstrapQuery = z.strictObject({
  locale: locale.optional(),
  currency: currency.optional(),
  /** Which campaign brought the guest, `whatsapp`; remembered from the first one on. */
  source: campaign.optional(),
  medium: campaign.optional(),
  campaign: campaign.optional(),
});

/** GET /bootstrap: the tenant, and what the session holds. */
export const bootstrapView = tenantBootstrap.extend({
  session: z.strictObject({
    sessionId: idText('tnt'),
    locale: locale.nullable(),
    currency: currency.nullable(),
    consent: z.strictObject({ telemetry: z.boolean(), functional: z.boolean() }),
    activeDraftId: idText('bdr').nullable(),
  }),
  features: z.strictObject({ flashSale: z.boolean(), manage: z.boolean(), handoff: z.boolean() }),
});
export type BootstrapView = z.output<typeof bootstrapView>;

/** GET /calendar: days `[from, to)`, at most 100. */
export const calendarQuery = z
  .strictObject({
    propertyId: idText('pro'),
    from: localDate,
    to: localDate,
    adults: number(1, 30).default(2),
    children: number(0, 30).default(0),
  })
  .refine(({ from, to }) => from < to && Date.parse(to) - Date.parse(from) <= 100 * 86_400_000, {
    message: 'from before to, at most 100 days',
    path: ['to'],
  });

/** One cell of the date grid. `from` is the cheapest gross of the night for one room; null unless open. */
export const calendarDay = z.strictObject({
  date: localDate,
  state: z.enum(['open', 'sold_out', 'closed']),
  from: price.nullable(),
  /** Least nights of a stay that begins here, on the most lenient plan. */
  minNights: z.int(),
  /** On no plan may a stay begin or end here. */
  closedToArrival: z.boolean(),
  closedToDeparture: z.boolean(),
});

/** GET /calendar. */
export const calendarView = z.strictObject({
  propertyId: idText('pro'),
  currency,
  /** The date at the house now: nothing before it can be booked. */
  today: localDate,
  days: z.array(calendarDay),
});
export type CalendarView = z.output<typeof calendarView>;

/** GET /availability. */
export const availabilityQuery = z
  .strictObject({
    propertyId: idText('pro'),
    arrival: localDate,
    departure: localDate,
    adults: number(1, 60).default(2),
    children: number(0, 60).default(0),
    rooms: number(1, 9).default(1),
    currency: currency.optional(),
    locale: locale.optional(),
  })
  .refine(({ arrival, departure }) => arrival < departure, {
    message: 'departs before it has slept a night',
    path: ['departure'],
  })
  .refine(({ adults, rooms }) => adults >= rooms, {
    message: 'an adult in every room',
    path: ['adults'],
  });

/** A room type on a plan, for the whole stay and all its rooms. */
export const offerView = z.strictObject({
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  planName: z.string(),
  ...pricedStay,
  /** Free rooms of this type, at most 5; `many`: there are more. */
  free: z.int().min(1),
  many: z.boolean(),
});
export type OfferView = z.output<typeof offerView>;

/** A room type (on a plan; null: on every plan) that is not sold for this stay, and why. */
export const refusedOffer = z.strictObject({
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl').nullable(),
  reasons: z.array(refusalFacts).min(1),
});

/** GET /availability (X-138 AvailabilityVM): offers from the cheapest up, then what is not sold and why. */
export const availabilityView = z.strictObject({
  ...chosenStay,
  /** What amounts are in: the currency of the house, which is the one that is charged. */
  currency,
  offers: z.array(offerView),
  refused: z.array(refusedOffer),
  /** Cheapest gross per room type (X-138 RoomRateMap). */
  cheapest: z.array(z.strictObject({ roomTypeId: idText('rty'), gross: price })),
  /** It was computed at this moment and is at most 30 s old (longer in a flash sale). */
  asOf: instant,
});
export type AvailabilityView = z.output<typeof availabilityView>;

/** POST /session/preferences. */
export const preferencesBody = z
  .strictObject({
    locale: locale.optional(),
    currency: currency.optional(),
    consent: z.strictObject({ telemetry: z.boolean(), functional: z.boolean() }).optional(),
  })
  .refine(body => Object.keys(body).length > 0, 'nothing to change');

/** POST /drafts: what the guest wants; never a price. */
export const newDraft = z
  .strictObject({
    propertyId: idText('pro'),
    arrival: localDate,
    departure: localDate,
    adults: z.int().min(1).max(60),
    children: z.int().min(0).max(60).default(0),
    rooms: z.int().min(1).max(9).default(1),
    roomTypeId: idText('rty'),
    ratePlanId: idText('rpl'),
    locale: locale.optional(),
  })
  .refine(({ arrival, departure }) => arrival < departure, {
    message: 'departs before it has slept a night',
    path: ['departure'],
  })
  .refine(({ adults, rooms }) => adults >= rooms, { message: 'an adult in every room', path: ['adults'] });
export type NewDraft = z.output<typeof newDraft>;

/** Where a draft is. `expired` ones can be read for five minutes more, to offer the same choice again. */
export const draftStates = ['open', 'confirming', 'converted', 'failed', 'expired'] as const;

/** A draft with its frozen quote: POST /drafts (201), GET /drafts/current, GET /drafts/:id, POST /handoff (201). */
export const draftView = z.strictObject({
  draftId: idText('bdr'),
  state: z.enum(draftStates),
  ...chosenStay,
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  roomTypeName: z.string(),
  planName: z.string(),
  propertyName: z.string(),
  ...pricedStay,
  createdAt: instant,
  expiresAt: instant,
  /** Once it was confirmed. */
  reservationId: idText('rsv').nullable(),
});
export type DraftView = z.output<typeof draftView>;

/** GET /drafts/current: null when there is nothing to go on with. */
export const currentDraftView = z.strictObject({ draft: draftView.nullable() });

const { locale: _, ...contact } = guestDetails.shape;

/** POST /drafts/:draftId/confirm. Name, phone and e-mail go on to reservation and are not kept here (TB-58). */
export const confirmBody = z.strictObject({
  guest: z.strictObject({ ...contact, requests: z.string().trim().max(500).nullable().default(null) }),
  rail: z.enum(guestRails),
  locale,
  /** What the guest saw as due in all, if the page says it: refused with PRICE_CHANGED when it is not that. */
  seenTotal: price.optional(),
});

/** Where a booking is on its way. */
export const outcomeStates = ['paying', 'confirming', 'confirmed', 'failed', 'expired'] as const;

/** Why it failed, in codes the site explains. */
export const outcomeFailures = [
  'ROOMS_GONE',
  'HOLD_EXPIRED',
  'PAYMENT_DECLINED',
  'PAYMENT_UNKNOWN',
  'CANCELLED',
  'QUOTE_EXPIRED',
  'UPSTREAM_ERROR',
] as const;

/** POST /drafts/:draftId/confirm (200). */
export const confirmedView = z.strictObject({
  draftId: idText('bdr'),
  reservationId: idText('rsv'),
  code: z.string(),
  state: z.enum(outcomeStates),
  payment: z.strictObject({
    rail: z.enum(guestRails),
    dueNow: price,
    /** The provider's page; null until it is there (ask /outcome) and where nothing is due now. */
    redirectUrl: z.string().nullable(),
    /** How to pay where there is no page: `pay_at_desk`. */
    instructions: z.enum(['pay_at_desk']).nullable(),
  }),
  /** Until when the rooms are held for an unpaid booking. */
  expiresAt: instant.nullable(),
});

/** GET /drafts/:draftId/outcome. */
export const outcomeView = z.strictObject({
  draftId: idText('bdr'),
  state: z.enum(outcomeStates),
  reservationId: idText('rsv').nullable(),
  code: z.string().nullable(),
  failure: z.enum(outcomeFailures).nullable(),
  redirectUrl: z.string().nullable(),
  expiresAt: instant.nullable(),
  /** Ask again after so long; null: it is decided. */
  nextPollMs: z.int().nullable(),
});
export type OutcomeView = z.output<typeof outcomeView>;

// The site reads its whole interface here.
export {
  arrivalView,
  cancelBody,
  cancelView,
  confirmationView,
  datesBody,
  datesView,
  handoffBody,
  manageOpenBody,
  manageOpenedView,
  ticketBody,
} from './manage-api.ts';
