import { latency, longRunning, type MetricDefinition, text } from './metric-definition.ts';
import { tenantIdClasses } from './tenant-class.ts';

const byService = { service: text } as const;
const byTopic = { service: text, topic: text } as const;
const bySubscription = { service: text, topic: text, subscription: text } as const;
// For what a subscription has as a whole, whatever the topic.
const ofSubscription = { service: text, subscription: text } as const;

/** Metrics of events on their way: OBS-05 to OBS-15, X-083. */
export const eventMetrics = {
  melmastoon_events_published_total: {
    kind: 'counter',
    help: 'Events the relay handed to the broker and saw accepted.',
    labels: { service: text, topic: text, tenant_id_class: tenantIdClasses },
  },
  melmastoon_events_consumed_total: {
    kind: 'counter',
    help: 'Events a consumer settled, by result.',
    labels: { ...bySubscription, result: ['ok', 'noop', 'error'] },
  },
  melmastoon_events_dlq_total: {
    kind: 'counter',
    help: 'Events moved to a dead letter queue.',
    labels: bySubscription,
  },
  melmastoon_event_processing_duration_seconds: {
    kind: 'histogram',
    help: 'Time from receipt of an event to the end of its handler.',
    labels: bySubscription,
    buckets: latency,
  },
  melmastoon_event_publish_duration_seconds: {
    kind: 'histogram',
    help: 'Time from append of an outbox row to its acceptance by the broker; one time for what a pass took of a topic and tenant.',
    labels: byTopic,
    buckets: longRunning,
  },
  melmastoon_event_consumer_lag_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest event a subscription has not read, or has not looked at where more waits than is looked at.',
    labels: ofSubscription,
  },
  melmastoon_event_consumer_lag_count: {
    kind: 'gauge',
    help: 'Events a subscription has not read; estimated from the oldest where there are many.',
    labels: ofSubscription,
  },
  melmastoon_event_undelivered_count: {
    kind: 'gauge',
    help: 'Events not read, being tried again, or waiting behind one that failed.',
    labels: ofSubscription,
  },
  melmastoon_event_backlog_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest event in an outbox or not read by a subscription, by retention class.',
    labels: { retention_class: ['hot', 'warm', 'cold'] },
  },
  melmastoon_parked_keys_count: {
    kind: 'gauge',
    help: 'Ordering keys whose oldest event failed and is being tried again.',
    labels: ofSubscription,
  },
  melmastoon_consumer_pauses_total: {
    kind: 'counter',
    help: 'Pauses of a consumer that counts no attempts meanwhile: too much of one tenant or of several failed, or its database was away.',
    labels: { ...ofSubscription, cause: ['tenant', 'several_tenants', 'database'] },
  },
  melmastoon_dlq_depth_count: {
    kind: 'gauge',
    help: 'Dead letters that wait for a decision.',
    labels: bySubscription,
  },
  melmastoon_cross_tenant_publish_blocked_total: {
    kind: 'counter',
    help: 'Publishes refused because the topic may not carry events across tenants.',
    labels: byTopic,
  },
  melmastoon_outbox_repeated_total: {
    kind: 'counter',
    help: 'Events not appended, because their idempotency key was used in the last 30 days: a repeated command, or a key that is built wrongly.',
    labels: byTopic,
  },
  melmastoon_outbox_unpublished_count: {
    kind: 'gauge',
    help: 'Outbox rows not yet published; 10000 means that many or more.',
    labels: byService,
  },
  melmastoon_outbox_oldest_unpublished_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest unpublished outbox row.',
    labels: byService,
  },
  melmastoon_outbox_quarantined_total: {
    kind: 'counter',
    help: 'Outbox rows moved to quarantine.',
    labels: byTopic,
  },
  melmastoon_inbox_dedup_skips_total: {
    kind: 'counter',
    help: 'Deliveries skipped because the inbox already held the event.',
    labels: byTopic,
  },
  melmastoon_saga_inflight_count: {
    kind: 'gauge',
    help: 'Sagas that have started and not ended.',
    labels: { service: text, saga_name: text },
  },
  melmastoon_saga_completed_total: {
    kind: 'counter',
    help: 'Sagas that ended, by outcome.',
    labels: { service: text, saga_name: text, outcome: ['success', 'compensated', 'partial'] },
  },
} as const satisfies Record<`melmastoon_${string}`, MetricDefinition>;
