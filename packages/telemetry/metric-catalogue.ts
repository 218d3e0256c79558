import { eventMetrics } from './event-metrics.ts';
import { latency, longRunning, type MetricDefinition, text } from './metric-definition.ts';

export type { MetricDefinition } from './metric-definition.ts';

const byService = { service: text } as const;
const byJob = { service: text, queue: text, job_type: text } as const;
const byCache = { service: text, cache: text } as const;

/** Every metric name of the platform; a name that is not here cannot be recorded. */
export const metricCatalogue = {
  ...eventMetrics,

  // HTTP
  melmastoon_http_requests_total: {
    kind: 'counter',
    help: 'HTTP requests answered; route is the template, never the path.',
    labels: { service: text, route: text, method: text, status_class: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
  },
  melmastoon_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labels: { service: text, route: text, method: text },
    buckets: latency,
  },
  melmastoon_http_requests_inflight_count: {
    kind: 'gauge',
    help: 'HTTP requests being handled now.',
    labels: byService,
  },
  melmastoon_http_requests_turned_away_total: {
    kind: 'counter',
    help: 'HTTP requests answered with 503 at once, because too many were being worked on.',
    labels: byService,
  },
  melmastoon_rate_limit_refusals_total: {
    kind: 'counter',
    help: 'Requests refused by a rate limit.',
    labels: { service: text, limit: text },
  },
  melmastoon_idempotency_requests_total: {
    kind: 'counter',
    help: 'Requests with an idempotency key, by what the key decided.',
    labels: { service: text, outcome: ['first', 'replayed', 'in_flight', 'mismatch', 'reclaimed'] },
  },
  melmastoon_sessions_revoked_total: {
    kind: 'counter',
    help: 'Sessions ended before their time.',
    labels: { service: text, reason: text },
  },

  // Database: OBS-18, OBS-31
  melmastoon_db_reachable_count: {
    kind: 'gauge',
    help: 'Whether the database answers the relay: 1, or 0 while it does not.',
    labels: byService,
  },
  melmastoon_db_pool_in_use_count: {
    kind: 'gauge',
    help: 'Pooled connections checked out.',
    labels: byService,
  },
  melmastoon_db_pool_idle_count: {
    kind: 'gauge',
    help: 'Pooled connections free.',
    labels: byService,
  },
  melmastoon_db_pool_waiting_count: {
    kind: 'gauge',
    help: 'Callers waiting for a pooled connection.',
    labels: byService,
  },
  melmastoon_db_pool_max_count: {
    kind: 'gauge',
    help: 'Configured size of the pool.',
    labels: byService,
  },
  melmastoon_db_pool_wait_seconds: {
    kind: 'histogram',
    help: 'Time a transaction waited for its connection, also for a new one to be opened.',
    labels: byService,
    buckets: latency,
  },
  melmastoon_db_pool_exhausted_total: {
    kind: 'counter',
    help: 'Transactions that got no connection: the pool was in use for too long, or the server away.',
    labels: byService,
  },
  melmastoon_db_transactions_total: {
    kind: 'counter',
    help: 'Transactions ended, by what is known of their commit.',
    labels: { service: text, outcome: ['committed', 'aborted', 'unknown'] },
  },
  melmastoon_db_transaction_duration_seconds: {
    kind: 'histogram',
    help: 'Time a transaction held its connection.',
    labels: byService,
    buckets: latency,
  },
  melmastoon_db_query_duration_seconds: {
    kind: 'histogram',
    help: 'Time of one named statement.',
    labels: { service: text, statement: text },
    buckets: latency,
    planned:
      'statements have no names yet; transactions are measured, and pg_stat_statements names statements',
  },
  melmastoon_db_conflict_retries_total: {
    kind: 'counter',
    help: 'Units of work run again after a version conflict, serialization failure or deadlock.',
    labels: byService,
  },
  melmastoon_db_replication_lag_seconds: {
    kind: 'gauge',
    help: 'Replay delay of a standby.',
    labels: { standby: text },
    planned: 'the relay may not see pg_stat_replication; the provider of a standby shows it',
  },

  // Jobs: OBS-16, JOB-30, OBS-33
  melmastoon_job_queue_depth_count: {
    kind: 'gauge',
    help: 'Jobs due and not started, and jobs dead-lettered, by queue.',
    labels: { queue: text, state: ['pending', 'running', 'dead_letter'] },
  },
  melmastoon_job_duration_seconds: {
    kind: 'histogram',
    help: 'Time of one run of a job.',
    labels: byJob,
    buckets: longRunning,
  },
  melmastoon_job_failures_total: {
    kind: 'counter',
    help: 'Runs of a job that failed, also those that will be tried again.',
    labels: byJob,
  },
  melmastoon_job_outcomes_total: {
    kind: 'counter',
    help: 'Runs of a job that ended, by outcome.',
    labels: { ...byJob, outcome: ['completed', 'retry', 'canceled', 'dead_letter', 'fenced'] },
  },
  melmastoon_job_rows_touched_total: {
    kind: 'counter',
    help: 'Rows a job wrote or removed.',
    labels: byJob,
  },

  // Cache and hot store: OBS-17, OBS-27
  melmastoon_cache_hits_total: {
    kind: 'counter',
    help: 'Cache reads answered from the cache.',
    labels: byCache,
  },
  melmastoon_cache_misses_total: { kind: 'counter', help: 'Cache reads that had to load.', labels: byCache },
  melmastoon_cache_evictions_total: {
    kind: 'counter',
    help: 'Entries the cache dropped for want of room.',
    labels: byCache,
  },
  melmastoon_cache_invalidations_total: {
    kind: 'counter',
    help: 'Invalidations applied to the cache.',
    labels: { ...byCache, by: ['key', 'tag', 'prefix'] },
  },
  melmastoon_cache_load_duration_seconds: {
    kind: 'histogram',
    help: 'Time of the load behind a cache miss.',
    labels: byCache,
    buckets: latency,
  },
  melmastoon_cache_memory_bytes: { kind: 'gauge', help: 'Memory the cache holds.', labels: byCache },
  melmastoon_hot_store_operations_total: {
    kind: 'counter',
    help: 'Operations on the hot store.',
    labels: { tier: ['state', 'cache'], operation: text, result: ['ok', 'error'] },
  },
  melmastoon_hot_store_operation_duration_seconds: {
    kind: 'histogram',
    help: 'Time of one operation on the hot store.',
    labels: { tier: ['state', 'cache'], operation: text },
    buckets: latency,
  },
  melmastoon_hot_store_memory_bytes: {
    kind: 'gauge',
    help: 'Memory the hot store holds.',
    labels: { tier: ['state', 'cache'] },
  },
  melmastoon_hot_store_memory_limit_bytes: {
    kind: 'gauge',
    help: 'Memory the hot store may hold.',
    labels: { tier: ['state', 'cache'] },
  },
  melmastoon_hot_store_evictions_total: {
    kind: 'counter',
    help: 'Keys the hot store dropped for want of room; must stay 0 for the state tier.',
    labels: { tier: ['state', 'cache'] },
  },
  melmastoon_hot_store_connected_count: {
    kind: 'gauge',
    help: 'Whether the Redis of a tier is connected: 1, or 0 while it is not; absent for a tier in the process.',
    labels: { tier: ['state', 'cache'] },
  },
  melmastoon_lock_attempts_total: {
    kind: 'counter',
    help: 'Attempts to take a distributed lock.',
    labels: { service: text, lock: text, result: ['taken', 'busy', 'lost'] },
  },

  // Business alerts: OBS-28 to OBS-30
  melmastoon_refund_failures_total: { kind: 'counter', help: 'Refunds that failed.', labels: byService },
  melmastoon_check_in_partial_total: {
    kind: 'counter',
    help: 'Check-ins that ended half done: reservations that entered check_in_partial.',
    labels: byService,
  },
  melmastoon_devices_offline_total: {
    kind: 'counter',
    help: 'Devices the sweep marked offline.',
    labels: byService,
    planned: 'comes with bff-backoffice-service, which has its contracts only',
  },

  // The metrics themselves
  melmastoon_metric_samples_dropped_total: {
    kind: 'counter',
    help: 'Samples that could not be kept; a broken number or a reader that failed.',
    labels: { metric: text, reason: ['not_a_number', 'negative', 'read_failed'] },
  },
} as const satisfies Record<`melmastoon_${string}`, MetricDefinition>;

/** The name of a metric of the catalogue. */
export type MetricName = keyof typeof metricCatalogue;
