import { count, currency, days } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, money } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Most days that one request reads. */
export const MOST_DAYS = 400;

const isShort = ({ from, until }: { from: string; until: string }) =>
  Date.parse(until) - Date.parse(from) <= MOST_DAYS * 86_400_000;

/** Days `[from, until)` of a house, or of all houses of the tenant. */
export const period = {
  propertyId: idText('pro').optional(),
  from: localDate,
  until: localDate,
};

/** For `refine`: a period that goes forward and is not too long. */
export const isPeriod = (asked: { from: string; until: string }) =>
  asked.from < asked.until && isShort(asked);
export const notAPeriod = `ends before it starts, or is longer than ${MOST_DAYS} days`;

/** What a period can be compared with. */
export const comparisonNames = ['previous_period', 'last_year'] as const;

/** How current an answer is (PROJ-05): the reader always knows, and shows "Updating..." unless it is READY. */
export const freshnessView = z.strictObject({
  status: z.enum(['READY', 'STALE', 'COMPUTING', 'FAILED']),
  /** Everything that was heard until then is in the numbers; null: nothing was computed yet. */
  asOf: instant.nullable(),
  /** How far what was heard reaches, and how far the numbers do. */
  watermark: count,
  sourceWatermark: count,
  /** How much was heard that is not in the numbers. */
  lag: count,
});

/** Hundredths of a percent, 8250 is 82.5 %; null where there is nothing to divide by. May exceed 10000 (oversold). */
const basisPoints = z.int().nullable();

/** Hundredths: 275 is 2.75 nights. */
const hundredths = z.int().nullable();

const amounts = z.strictObject({ net: money, gross: money });

/** Money of one currency; currencies are never added up. */
export const moneyView = z.strictObject({
  currency,
  roomsSold: count,
  /** Of the nights on the books, at their frozen prices. */
  roomRevenue: amounts,
  /** What was posted to folios for rooms, by hotel day. */
  postedRoomRevenue: amounts,
  /** Everything else that was posted: services, consumption, fees. */
  otherRevenue: amounts,
  /** ADR: net room revenue by rooms sold in this currency. */
  averageRate: money.nullable(),
  /** RevPAR: net room revenue by all available rooms. */
  revenuePerRoom: money.nullable(),
});

const mixLine = z.strictObject({
  name: z.string(),
  roomsSold: count,
  share: basisPoints,
  revenue: z.array(z.strictObject({ currency, net: money, gross: money })),
});

/** The numbers of some days. README.md says how each is computed. */
export const measuresView = z.strictObject({
  rooms: z.strictObject({
    rooms: count,
    outOfOrder: count,
    available: count,
    sold: count,
    arrivals: count,
    departures: count,
  }),
  occupancy: basisPoints,
  money: z.array(moneyView),
  bookings: z.strictObject({ made: count, cancelled: count, noShows: count }),
  stays: z.strictObject({
    arriving: count,
    cancellationRate: basisPoints,
    noShowRate: basisPoints,
    lengthOfStay: hundredths,
    leadTime: hundredths,
  }),
  channels: z.array(mixLine),
  rails: z.array(mixLine),
  tasksCompleted: count,
});

/** The numbers of a period, and of another beside them. */
export const summaryView = z.strictObject({
  propertyId: idText('pro').nullable(),
  /** The hotel day now; null where several houses are asked for. */
  businessDate: localDate.nullable(),
  period: days,
  freshness: freshnessView,
  measures: measuresView,
  comparison: z
    .strictObject({
      against: z.enum(comparisonNames),
      period: days,
      measures: measuresView,
      /** In hundredths of a percent of the other period; occupancy as the difference of the two. */
      change: z.strictObject({
        occupancy: basisPoints,
        roomsSold: basisPoints,
        bookings: basisPoints,
        money: z.array(
          z.strictObject({
            currency,
            roomRevenue: basisPoints,
            averageRate: basisPoints,
            revenuePerRoom: basisPoints,
          }),
        ),
      }),
    })
    .nullable(),
});
export type SummaryView = z.output<typeof summaryView>;
export type MeasuresView = z.output<typeof measuresView>;

const counts = z.array(count);
const amountTexts = z.array(z.string());

/** A number for each date, in their order: ready for a chart. Money is minor units as text, null where there is none. */
export const dailyView = z.strictObject({
  propertyId: idText('pro').nullable(),
  roomTypeId: idText('rty').nullable(),
  freshness: freshnessView,
  dates: z.array(localDate),
  rooms: counts,
  outOfOrder: counts,
  available: counts,
  sold: counts,
  arrivals: counts,
  departures: counts,
  occupancy: z.array(basisPoints),
  /** These and other revenue are of houses, not of room types: null when one type is asked for. */
  bookings: counts.nullable(),
  cancellations: counts.nullable(),
  noShows: counts.nullable(),
  money: z.array(
    z.strictObject({
      currency,
      roomsSold: counts,
      roomRevenueNet: amountTexts,
      roomRevenueGross: amountTexts,
      otherRevenueNet: amountTexts.nullable(),
      otherRevenueGross: amountTexts.nullable(),
      averageRate: z.array(z.string().nullable()),
      revenuePerRoom: z.array(z.string().nullable()),
    }),
  ),
});
export type DailyView = z.output<typeof dailyView>;

const onTheBooks = z.strictObject({
  rooms: z.int(),
  revenue: z.array(z.strictObject({ currency, net: money, gross: money })),
});

/** What is on the books for each night, and what was so many days before it. */
export const pickupView = z.strictObject({
  propertyId: idText('pro'),
  businessDate: localDate,
  freshness: freshnessView,
  dates: z.array(localDate),
  leads: z.array(z.int()),
  nights: z.array(
    z.strictObject({
      date: localDate,
      /** At this moment. */
      now: onTheBooks,
      /** At the end of the hotel day that was asked for, and what came since; null if none was asked for. */
      since: z.strictObject({ asOf: localDate, before: onTheBooks, pickup: onTheBooks }).nullable(),
      /** For each lead, at the end of the hotel day so many days before; null: that day is not over. */
      curve: z.array(onTheBooks.nullable()),
    }),
  ),
});
export type PickupView = z.output<typeof pickupView>;

/** A booking as it is counted: ids, dates and prices, nothing about the guest. */
export const indexedBooking = z.strictObject({
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  status: z.string(),
  channel: z.string(),
  rail: z.string(),
  bookedAt: instant,
  arrival: localDate,
  departure: localDate,
  rooms: count,
  roomNights: count,
  total: amounts,
});
