import type { Outbox } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type UUIDv7, uuid7 } from '@ghasi/domain-primitives/uuid';
import { buildEnvelopeText } from '@ghasi/event-envelope/build';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { Producer } from '@ghasi/event-envelope/envelope';
import type { DataResidency } from '@ghasi/event-envelope/metadata';
import { isPending } from '@ghasi/event-envelope/pending';
import { expand } from '@ghasi/event-envelope/versions';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { traceOrigin } from '@ghasi/telemetry/tracing';
import { escapeIdentifier } from 'pg';
import { backboneErrors } from './errors.ts';
import type { Registry } from './registry.ts';
import type { Signer } from './signature.ts';

/** Most bytes of one event. Pub/Sub takes 10 MB; an event is a fact, not a file. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** What the outbox of a service must know. */
export type OutboxOptions = {
  /** Directory name, e.g. `reservation-service`. */
  readonly service: string;
  readonly schema: string;
  readonly registry: Registry;
  readonly signer: Signer;
  /** Instance, commit and region of this process (ENV-13..16). */
  readonly producedBy: Omit<Producer, 'service'>;
  readonly dataResidency: DataResidency;
  readonly metrics?: Metrics | undefined;
  /** Called after each commit that appended something. */
  onCommitted(tenantId: string): void;
};

/** Which trace events belong to, and which event led to them. */
type Whence = { origin: ReturnType<typeof traceOrigin>; causationId?: UUIDv7 };

/** An outbox that also knows which event led to the ones it appends. */
export type ServiceOutbox = Pick<Outbox, 'committed'> & {
  append(ctx: Ctx, events: readonly unknown[], cause?: { readonly causationId: UUIDv7 }): Promise<void>;
};

/**
 * The outbox of one service. Everything that can be wrong with an event is found here, in the transaction that raised
 * it: ownership, registration, tenancy, provenance, size. A bad event throws at once and fails its command; it never
 * gets stuck later. The write itself is not waited for: it leaves in one packet with COMMIT.
 */
export function createOutbox(options: OutboxOptions): ServiceOutbox {
  const text = insertInto(escapeIdentifier(options.schema));
  const allowed = new Set<EventType>();
  const producedBy = { service: options.service, ...options.producedBy };

  const append: ServiceOutbox['append'] = (ctx, events, cause) => {
    const rows = events.flatMap(event => {
      if (!isPending(event)) throw backboneErrors.NOT_AN_EVENT({ service: options.service });
      return expand(event);
    });
    for (const { event } of rows) {
      if (allowed.has(event)) continue;
      assertMayPublish(options, event);
      allowed.add(event);
    }
    // One trace for all events of a transaction, also outside any request.
    const origin = traceOrigin();
    const values = rows.map(pending => rowOf(pending, ctx, { ...cause, origin }));
    return Promise.all(values.map(row => sendPrepared(ctx.tx.$client, text, row))).then(() => {});
  };

  const rowOf = (pending: PendingEvent, ctx: Ctx, { origin, ...cause }: Whence): unknown[] => {
    const { event, aggregateId, aggregateVersion, idempotencyKey } = pending;
    const id = uuid7();
    const { envelope, text: body } = buildEnvelopeText(pending, {
      tenantId: ctx.tenantId,
      actor: ctx.actor,
      correlationId: origin.correlationId,
      occurredAt: ctx.now,
      producedBy,
      dataResidency: options.dataResidency,
      eventId: id,
      outboxId: id,
      ...cause,
    });
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_EVENT_BYTES)
      throw backboneErrors.TOO_LARGE({ subject: event.subject, bytes, most: MAX_EVENT_BYTES });
    const attributes = `{"traceparent":"${origin.traceparent}","signature":"${options.signer.sign(body)}"}`;
    const { orderingKey } = envelope.metadata;
    return [
      id,
      ctx.tenantId,
      event.aggregate,
      aggregateId,
      aggregateVersion,
      event.subject,
      orderingKey,
      body,
      attributes,
      idempotencyKey,
      ctx.now,
    ];
  };

  return { append, committed: options.onCommitted };
}

// The key first: an intent that was published before is not published again.
const insertInto = (schema: string) => `
  with fresh as (
    insert into ${schema}.outbox_key (tenant_id, topic, idempotency_key, event_id)
    values ($2::uuid, $6, $10, $1::uuid)
    on conflict do nothing
    returning event_id
  )
  insert into ${schema}.outbox
    (id, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes,
     idempotency_key, occurred_at)
  select f.event_id, $2::uuid, $3, $4, $5::bigint, $6, $7, $8::json, $9::json, $10, $11::timestamptz
  from fresh f`;

function assertMayPublish({ service, registry, metrics }: OutboxOptions, event: EventType): void {
  const { subject, owner } = event;
  if (registry.find(subject) !== event) throw backboneErrors.UNREGISTERED_SUBJECT({ subject });
  if (owner !== service) throw backboneErrors.NOT_THE_OWNER({ service, subject, owner });
  const blocked = registry.crossTenantProblem(event);
  if (blocked !== undefined) {
    metrics?.inc('melmastoon_cross_tenant_publish_blocked_total', { service, topic: subject });
    throw backboneErrors.CROSS_TENANT_BLOCKED({ subject, reason: blocked });
  }
}
