import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import { availability } from '@melmastoon/inventory-service/contract/questions';
import { calendarOf } from '@melmastoon/pricing-service/contract/questions';
import { propertyOf } from '@melmastoon/property-service/contract';
import { resolveTenant } from '@melmastoon/tenant-service/contract';
import { listingsAnswer } from './answers.ts';
import { events } from './contract.ts';
import { searchJobs } from './jobs.ts';
import { searchReactions } from './reactions.ts';
import { listingRoutes } from './routes/listings.ts';
import { searchRoutes } from './routes/search.ts';
import * as tables from './tables.ts';

/** What an installation gives it. */
export type SearchParts = {
  readonly ask: Ask;
  /** How long a listing waits for more to happen before it is computed anew, in ms. Default 1,000. */
  readonly settleMs?: number;
};

/** The index that finds a free room across all houses of the platform. */
export function createSearchAggregationService({ ask, settleMs = 1_000 }: SearchParts): Service {
  const { reindex, schedules } = searchJobs(ask, { settleMs });
  const { tenantStatuses: _, ...owned } = tables;
  return defineService({
    name: 'search-aggregation-service',
    schema: 'search_aggregation',
    migrations: new URL('./migrations/', import.meta.url),
    tables: owned,
    publishes: events,
    reacts: searchReactions(reindex), // tenants, houses, rooms, allocations, prices
    delivery: { mode: 'pull', instances: 2, concurrency: 8, order: 'required' }, // ORD-11: the last write per property wins
    routes: [...searchRoutes, ...listingRoutes(reindex)],
    jobs: [reindex.job as never], // reindex.space
    schedules, // sweep, reindex.hourly, reindex.full
    answers: [listingsAnswer],
    needs: [propertyOf, resolveTenant, availability, calendarOf],
  });
}

/** For those who look at what it is made of; it asks nobody, so it computes nothing. */
export const service = createSearchAggregationService({
  ask: () => Promise.reject(new Error('this service was made without a way to ask')),
});
