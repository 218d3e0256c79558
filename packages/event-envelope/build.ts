import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type ULID, type UUIDv7, ulidFromUuid, uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from './define-event.ts';
import { type EventActor, type EventEnvelope, type Producer, parseEnvelopeOf } from './envelope.ts';
import { isoDate } from './instant.ts';
import type { DataResidency, Source } from './metadata.ts';
import { schemaUri } from './schema-uri.ts';
import { envelopeTenant } from './tenant.ts';

/** What the runtime knows and the handler does not. */
export type BuildContext = {
  /** As stored; the platform's uuid becomes `platform`. */
  readonly tenantId: TenantId;
  readonly actor: EventActor;
  readonly correlationId: ULID;
  /** Parent of events that name none themselves. */
  readonly causationId?: UUIDv7;
  readonly occurredAt: Date;
  readonly producedBy: Producer;
  readonly dataResidency: DataResidency;
  /** Default: a new one. */
  readonly eventId?: UUIDv7;
  /** Id of the outbox row, made before the envelope; default: a new one, read it back with uuidFromUlid. */
  readonly outboxId?: UUIDv7;
  readonly source?: Source;
  readonly fromOfflineReplay?: boolean;
  /** Further members of metadata; they cannot replace the known ones. */
  readonly extra?: Readonly<Record<string, unknown>>;
};

/** Puts an event into its envelope and checks all of it: a bad event fails here, in the command that raised it. */
export function buildEnvelope<P>(pending: PendingEvent<P>, context: BuildContext): EventEnvelope<P> {
  const { event, payload, idempotencyKey } = pending;
  const causationId = pending.causedBy ?? context.causationId;
  return parseEnvelopeOf(event, {
    eventId: context.eventId ?? uuid7(),
    eventType: event.type,
    eventVersion: event.version,
    schemaUri: schemaUri(event),
    tenantId: envelopeTenant(context.tenantId),
    correlationId: context.correlationId,
    ...(causationId === undefined ? {} : { causationId }),
    actorId: context.actor,
    occurredAt: isoDate(context.occurredAt),
    producedBy: context.producedBy,
    idempotencyKey,
    payload,
    metadata: metadataOf(pending, context),
  });
}

function metadataOf(pending: PendingEvent, context: BuildContext): Record<string, unknown> {
  const { fromOfflineReplay, source } = context;
  const { aiProvenance } = pending;
  return {
    ...context.extra,
    retentionClass: pending.event.retention,
    dataResidency: context.dataResidency,
    ...(fromOfflineReplay === undefined ? {} : { fromOfflineReplay }),
    ...(aiProvenance === undefined ? {} : { aiProvenance }),
    orderingKey: `${envelopeTenant(context.tenantId)}:${pending.aggregateId}`,
    outboxId: ulidFromUuid(context.outboxId ?? uuid7()),
    aggregateVersion: pending.aggregateVersion,
    ...(source === undefined ? {} : { source }),
  };
}
