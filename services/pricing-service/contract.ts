import { defineEvent } from '@melmastoon/catalog/define-event';
import {
  count,
  currency,
  isOncePer,
  localisedText,
  taxedPrice,
  version,
} from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, money, price, stay } from '@melmastoon/catalog/parts';
import { sameSum } from '@melmastoon/catalog/same-sum';
import { z } from 'zod';

/** What is served with the room. */
export const boards = ['room_only', 'breakfast', 'half_board', 'full_board'] as const;

/** What secures a booking of a plan. */
export const guarantees = ['prepaid', 'deposit', 'cash_on_arrival'] as const;

/** Why a plan is no longer sold. */
export const archiveReasons = ['season_over', 'replaced', 'not_selling', 'mistake'] as const;

/** Who changed prices or restrictions. */
export const calendarCauses = ['operator', 'rule', 'accepted_suggestion', 'import'] as const;

/** What happened to the price of a night in a date change. */
export const nightChanges = ['added', 'removed', 'repriced', 'kept'] as const;

const plan = { ratePlanId: idText('rpl'), propertyId: idText('pro') };
const roomTypeIds = z.array(idText('rty')).min(1).refine(isOncePer(String), 'names a room type twice');

/** A plan is on sale: whoever lists or quotes rooms may use it. */
export const RatePlanPublished = defineEvent({
  subject: 'melmastoon.pricing.rate_plan.published.v1',
  summary: 'a rate plan became active for sale',
  retention: 'warm',
  payload: z.strictObject({
    ...plan,
    planVersion: version,
    name: localisedText(120),
    roomTypeIds,
    currency,
    board: z.enum(boards),
    guarantee: z.enum(guarantees),
    refundable: z.boolean(),
    policies: z.strictObject({
      cancellationPolicyId: idText('pol'),
      noShowPolicyId: idText('pol'),
      depositPolicyId: idText('pol').nullable(),
    }),
    /** Arrivals it is sold for; null: no end yet. */
    sellFrom: localDate,
    sellUntil: localDate.nullable(),
  }),
  aggregateId: p => p.ratePlanId,
  idempotencyKey: p => `${p.ratePlanId}:published:${p.planVersion}`,
});

/** A plan is sold no more; bookings made on it keep it. */
export const RatePlanArchived = defineEvent({
  subject: 'melmastoon.pricing.rate_plan.archived.v1',
  summary: 'a rate plan was archived',
  retention: 'warm',
  payload: z.strictObject({
    ...plan,
    planVersion: version,
    roomTypeIds,
    reason: z.enum(archiveReasons),
    replacedBy: idText('rpl').nullable(),
  }),
  aggregateId: p => p.ratePlanId,
  idempotencyKey: p => `${p.ratePlanId}:archived:${p.planVersion}`,
});

/** Read on the arrival date, on the departure date or on each night, as R12 says. */
const restrictions = z
  .strictObject({
    minNights: z.int().min(1).max(365),
    maxNights: z.int().min(1).max(1_100).nullable(),
    closedToArrival: z.boolean(),
    closedToDeparture: z.boolean(),
    closed: z.boolean(),
  })
  .refine(
    ({ minNights, maxNights }) => maxNights === null || minNights <= maxNights,
    'allows no stay at all',
  );

type Day = { date: string; price: { currency: string } | null; previousPrice: { currency: string } | null };

/** The prices and restrictions of some dates as they are now, for one plan and room type. */
export const CalendarUpdated = defineEvent({
  subject: 'melmastoon.pricing.calendar.updated.v1',
  summary: 'best available rates or restrictions of some dates changed',
  retention: 'warm',
  payload: z.strictObject({
    calendarId: idText('rcl'),
    calendarVersion: version,
    ...plan,
    roomTypeId: idText('rty'),
    cause: z.enum(calendarCauses),
    /** Dates that did not change are not here. A price of null: not sold on that date. */
    dates: z
      .array(
        z.strictObject({
          date: localDate,
          price: price.nullable(),
          previousPrice: price.nullable(),
          restrictions,
        }),
      )
      .min(1)
      .max(800)
      .refine(
        isOncePer((day: Day) => day.date),
        'has a date twice',
      )
      .refine(isOneCurrency, 'mixes currencies'),
  }),
  aggregateId: p => p.calendarId,
  idempotencyKey: p => `${p.calendarId}:updated:${p.calendarVersion}`,
});

/** What a date change costs or gives back; billing posts it, and payment charges or refunds it (SAGA-51, X-126). */
export const DeltaApplied = defineEvent({
  subject: 'melmastoon.pricing.delta.applied.v1',
  summary: 'the price difference of a date change was computed',
  retention: 'warm',
  payload: z
    .strictObject({
      deltaId: idText('pdl'),
      reservationId: idText('rsv'),
      /** The version of the booking whose dates changed: one difference for each. */
      reservationVersion: version,
      propertyId: idText('pro'),
      guestId: idText('gst'),
      quoteId: idText('quo'),
      newQuoteId: idText('quo'),
      previousStay: stay,
      newStay: stay,
      previousTotal: taxedPrice,
      newTotal: taxedPrice,
      /** What the policy asks for the change itself. */
      fee: price,
      /** New total and fee without the previous total; negative: the guest gets money back. */
      delta: money,
      nights: z
        .array(
          z.strictObject({
            bookedRoomId: idText('brm'),
            date: localDate,
            change: z.enum(nightChanges),
            /** For a removed night what it had cost. */
            price: taxedPrice,
          }),
        )
        .min(1),
    })
    .refine(
      ({ previousTotal, newTotal, fee, delta }) =>
        sameSum([previousTotal.gross, delta], [newTotal.gross, fee]),
      'the delta is not the difference of the totals and the fee',
    )
    .refine(isSumOfNights, 'its nights do not make the new total'),
  aggregateId: p => p.deltaId,
  idempotencyKey: p => `${p.reservationId}:delta:${p.reservationVersion}`,
});

/** A price we promised no longer holds; the next page asks anew. */
export const QuoteExpired = defineEvent({
  subject: 'melmastoon.pricing.quote.expired.v1',
  summary: 'a quote of the booking funnel lapsed',
  retention: 'warm',
  payload: z.strictObject({
    quoteId: idText('quo'),
    propertyId: idText('pro'),
    bookingDraftId: idText('bdr').nullable(),
    stay,
    rooms: z
      .array(
        z.strictObject({
          roomTypeId: idText('rty'),
          ratePlanId: idText('rpl'),
          quantity: count.min(1),
          adults: z.int().min(1).max(30),
          children: z.int().min(0).max(30),
        }),
      )
      .min(1)
      .max(50),
    total: taxedPrice,
    quotedAt: instant,
    expiredAt: instant,
  }),
  aggregateId: p => p.quoteId,
  idempotencyKey: p => `${p.quoteId}:expired`,
});

/** Every event of pricing-service. */
export const events = [
  RatePlanPublished,
  RatePlanArchived,
  CalendarUpdated,
  DeltaApplied,
  QuoteExpired,
] as const;

function isOneCurrency(dates: readonly Day[]): boolean {
  const prices = dates.flatMap(({ price, previousPrice }) => [price, previousPrice]);
  return new Set(prices.flatMap(price => price?.currency ?? [])).size <= 1;
}

type Delta = {
  newTotal: z.output<typeof taxedPrice>;
  nights: { change: (typeof nightChanges)[number]; price: z.output<typeof taxedPrice> }[];
};

/** R20: the nights that are slept make the new total, in net, tax and gross. */
function isSumOfNights({ newTotal, nights }: Delta): boolean {
  const slept = nights.filter(({ change }) => change !== 'removed');
  return (['net', 'tax', 'gross'] as const).every(part =>
    sameSum(
      slept.map(night => night.price[part]),
      [newTotal[part]],
    ),
  );
}
