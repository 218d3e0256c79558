import { describe, expect, test } from 'vitest';
import { type MetricDefinition, metricCatalogue } from './metric-catalogue.ts';
import { isForbiddenLabel } from './metric-labels.ts';
import { tenantIdClasses } from './tenant-class.ts';

const entries: [string, MetricDefinition][] = Object.entries(metricCatalogue);

// The table of ledger section 13.2, row by row, and X-083.
const ledger = [
  ['OBS-05', 'melmastoon_events_published_total', 'counter', ['service', 'topic', 'tenant_id_class']],
  ['OBS-06', 'melmastoon_events_consumed_total', 'counter', ['service', 'topic', 'subscription', 'result']],
  ['OBS-07', 'melmastoon_events_dlq_total', 'counter', ['service', 'topic', 'subscription']],
  [
    'OBS-08',
    'melmastoon_event_processing_duration_seconds',
    'histogram',
    ['service', 'topic', 'subscription'],
  ],
  ['OBS-09', 'melmastoon_outbox_unpublished_count', 'gauge', ['service']],
  ['OBS-10', 'melmastoon_outbox_oldest_unpublished_seconds', 'gauge', ['service']],
  ['OBS-11', 'melmastoon_inbox_dedup_skips_total', 'counter', ['service', 'topic']],
  ['OBS-12', 'melmastoon_saga_inflight_count', 'gauge', ['service', 'saga_name']],
  ['OBS-13', 'melmastoon_saga_completed_total', 'counter', ['service', 'saga_name', 'outcome']],
  ['X-083', 'melmastoon_cross_tenant_publish_blocked_total', 'counter', ['service', 'topic']],
] as const;

// OBS-15 to OBS-18 name groups; these are the metrics that measure them.
const groups = [
  ['OBS-15', 'publish latency', 'melmastoon_event_publish_duration_seconds'],
  ['OBS-15', 'consumer lag', 'melmastoon_event_consumer_lag_seconds'],
  ['OBS-15', 'consumer lag in messages', 'melmastoon_event_consumer_lag_count'],
  ['OBS-15', 'throughput', 'melmastoon_events_consumed_total'],
  ['OBS-16', 'queue depth', 'melmastoon_job_queue_depth_count'],
  ['OBS-16', 'duration', 'melmastoon_job_duration_seconds'],
  ['OBS-16', 'failure rate', 'melmastoon_job_failures_total'],
  ['OBS-17', 'hits', 'melmastoon_cache_hits_total'],
  ['OBS-17', 'misses', 'melmastoon_cache_misses_total'],
  ['OBS-17', 'evictions', 'melmastoon_cache_evictions_total'],
  ['OBS-17', 'memory', 'melmastoon_cache_memory_bytes'],
  ['OBS-18', 'pool utilisation', 'melmastoon_db_pool_in_use_count'],
  ['OBS-18', 'latency, by transaction', 'melmastoon_db_transaction_duration_seconds'],
] as const;

describe('the catalogue against the ledger', () => {
  test.each(ledger)('%s: %s is a %s with the labels of the ledger', (_id, name, kind, labels) => {
    expect(metricCatalogue[name].kind).toBe(kind);
    expect(Object.keys(metricCatalogue[name].labels)).toEqual(labels);
  });

  test.each(groups)('%s: %s is measured by %s', (_id, _what, name) => {
    expect(metricCatalogue).toHaveProperty(name);
  });

  test('OBS-06: a consumed event is ok, noop or error', () => {
    expect(metricCatalogue.melmastoon_events_consumed_total.labels.result).toEqual(['ok', 'noop', 'error']);
  });

  test('OBS-13: a saga ends in success, compensated or partial', () => {
    const { outcome } = metricCatalogue.melmastoon_saga_completed_total.labels;
    expect(outcome).toEqual(['success', 'compensated', 'partial']);
  });
});

describe('every entry', () => {
  test.each(entries)('%s has the name its kind asks for', (name, { kind }) => {
    expect(name).toMatch(/^melmastoon_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(name).not.toContain('_total_total');
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    if (kind === 'gauge') expect(name).toMatch(/_(?:count|seconds|bytes)$/);
  });

  test.each(entries)('%s has help, and buckets that rise when it is a histogram', (_name, definition) => {
    expect(definition.help).toMatch(/^[A-Z].*\.$/);
    const buckets = definition.buckets ?? [];
    expect(buckets.length > 0).toBe(definition.kind === 'histogram');
    expect([...buckets].sort((a, b) => a - b)).toEqual(buckets);
  });

  test.each(entries)('ANTI-14: %s has no label for a raw tenant or a person', (_name, { labels }) => {
    expect(Object.keys(labels).filter(isForbiddenLabel)).toEqual([]);
  });

  test('OBS-14: the tenant label takes the four classes and nothing else', () => {
    const withTenant = entries.filter(([, { labels }]) => 'tenant_id_class' in labels);
    expect(withTenant.length).toBeGreaterThan(0);
    for (const [, { labels }] of withTenant) expect(labels.tenant_id_class).toEqual(tenantIdClasses);
  });

  test.each([
    'tenant_id',
    'tenantId',
    'tenant',
    'org_id',
    'user_id',
    'email',
    'session_id',
    'guest_name',
    'ip',
  ])('ANTI-14: the check would refuse a label called %s', label => {
    expect(isForbiddenLabel(label)).toBe(true);
  });
});
