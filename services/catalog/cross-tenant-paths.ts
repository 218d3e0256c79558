/**
 * The table of cross-tenant read paths (XT-01..06, X-084): the only events that many tenants' readers may see. The append
 * path refuses what has no row, and so does `npm run ci`. A new row is a decision about privacy: review it as one.
 */
export const crossTenantPaths = [
  {
    subject: 'melmastoon.analytics.snapshot.computed.v1',
    owner: 'analytics-service',
    readers: ['reporting-service', 'audit-service', 'sync-service', 'dataflow-bigquery'],
    why: 'platform reporting and the warehouse add tenants up; sums only, no guest, no payment',
  },
  {
    subject: 'melmastoon.search_aggregation.listing.indexed.v1',
    owner: 'search-aggregation-service',
    readers: ['bff-consumer-service', 'audit-service', 'sync-service', 'dataflow-bigquery'],
    why: 'meta-search shows houses of all tenants; the projector leaves out what is not public (XT-05)',
  },
  {
    subject: 'melmastoon.search_aggregation.listing.evicted.v1',
    owner: 'search-aggregation-service',
    readers: ['bff-consumer-service', 'audit-service', 'sync-service', 'dataflow-bigquery'],
    why: 'meta-search forgets a house (X-084)',
  },
] as const;
