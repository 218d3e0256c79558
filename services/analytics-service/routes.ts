import { idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  comparisonNames,
  dailyView,
  freshnessView,
  indexedBooking,
  isPeriod,
  notAPeriod,
  period,
  pickupView,
  summaryView,
} from './contract/views.ts';
import { readDaily } from './queries/daily.ts';
import { freshnessFor, freshnessJson } from './queries/houses.ts';
import { newestBookings, readPickup } from './queries/pickup.ts';
import { readSummary } from './queries/summary.ts';

const readers = ['owner', 'manager', 'accountant', 'auditor'];

const days = ({ from, until }: { from: string; until: string }) => ({
  from: from as LocalDate,
  until: until as LocalDate,
});

const showSummary = defineRoute({
  method: 'GET',
  path: '/api/v1/analytics/summary',
  summary: 'Occupancy, rates, revenue and bookings of some days, and how they compare',
  auth: operator(readers),
  query: z
    .strictObject({ ...period, compare: z.enum(comparisonNames).optional() })
    .refine(isPeriod, notAPeriod),
  returns: { 200: summaryView },
  handler: async (ctx, { query: { propertyId = null, compare = null, ...query } }) => ({
    status: 200,
    body: await readSummary(ctx, { propertyId, compare, ...days(query) }),
  }),
});

const showDaily = defineRoute({
  method: 'GET',
  path: '/api/v1/analytics/daily',
  summary: 'The same day by day, in columns for a chart',
  auth: operator(readers),
  query: z.strictObject({ ...period, roomTypeId: idText('rty').optional() }).refine(isPeriod, notAPeriod),
  returns: { 200: dailyView },
  handler: async (ctx, { query: { propertyId = null, roomTypeId = null, ...query } }) => ({
    status: 200,
    body: await readDaily(ctx, { propertyId, roomTypeId, ...days(query) }),
  }),
});

/** Days before a night, `30,14,7,1,0`. */
const leads = z
  .string()
  .regex(/^\d{1,3}(,\d{1,3}){0,11}$/)
  .default('90,60,30,14,7,3,1,0');

const showPickup = defineRoute({
  method: 'GET',
  path: '/api/v1/analytics/pickup',
  summary: 'What is on the books for each night, and what was on earlier days',
  auth: operator(readers),
  query: z
    .strictObject({ ...period, propertyId: idText('pro'), leads, since: localDate.optional() })
    .refine(isPeriod, notAPeriod),
  returns: { 200: pickupView },
  handler: async (ctx, { query: { propertyId, since, leads: text, ...query } }) => ({
    status: 200,
    body: await readPickup(ctx, {
      ...{ propertyId, ...days(query), leads: text.split(',').map(Number) },
      since: (since ?? null) as LocalDate | null,
    }),
  }),
});

const listBookings = defineRoute({
  method: 'GET',
  path: '/api/v1/analytics/bookings',
  summary: 'The bookings that were made last, as they are counted',
  auth: operator(readers),
  query: z.strictObject({
    propertyId: idText('pro'),
    limit: z
      .string()
      .regex(/^([1-9]|[1-9]\d|100)$/)
      .default('20'),
  }),
  returns: { 200: z.strictObject({ freshness: freshnessView, bookings: z.array(indexedBooking) }) },
  handler: async (ctx, { query: { propertyId, limit } }) => {
    // Bookings are told as they come in and need no handler: they are as fresh as what was heard.
    const freshness = freshnessJson(await freshnessFor(ctx, idToUuid(propertyId), []));
    const bookings = await newestBookings(ctx, { propertyId, limit: Number(limit) });
    return { status: 200, body: { freshness, bookings } };
  },
});

/** What managers read. */
export const routes: readonly AnyRoute[] = [showSummary, showDaily, showPickup, listBookings];
