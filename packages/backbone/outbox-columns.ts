/** What an event consists of wherever it is kept: outbox, quarantine, archive. What happened to it there is not in here. */
export const outboxColumns =
  'id, seq, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes, idempotency_key, occurred_at, enqueued_at';
