import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type ULID, type UUIDv7, ulidFromUuid, uuid7 } from '@ghasi/domain-primitives/uuid';
import { type EventActor, type EventEnvelope, judgeEnvelopeOf, type Producer } from './envelope.ts';
import type { PendingEvent } from './event-type.ts';
import { isoDate } from './instant.ts';
import type { DataResidency, EventMetadata, Source } from './metadata.ts';
import { payloadText } from './pending.ts';
import { isPlainEnvelope } from './plain-envelope.ts';
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

/**
 * Puts an event into its envelope: a bad event fails here, in the command that raised it. The payload was
 * checked by `from` and is not read again; the rest is judged as every reader judges it.
 */
export function buildEnvelope<P>(pending: PendingEvent<P>, context: BuildContext): EventEnvelope<P> {
  return buildEnvelopeText(pending, context).envelope;
}

/** The envelope and its JSON, which a store may keep as it is. */
export function buildEnvelopeText<P>(
  pending: PendingEvent<P>,
  context: BuildContext,
): { readonly envelope: EventEnvelope<P>; readonly text: string } {
  const payload = payloadText(pending);
  const { event } = pending;
  const frame = frameOf(pending, context);
  const assembled = { ...frame, payload: pending.payload };
  if (isPlainEnvelope(assembled, event))
    return { envelope: assembled, text: `${JSON.stringify(frame).slice(0, -1)},"payload":${payload}}` };
  const envelope = judgeEnvelopeOf(event, { ...frame, payload: JSON.parse(payload) });
  return { envelope, text: JSON.stringify(envelope) };
}

type Frame = Omit<EventEnvelope, 'payload'>;

function frameOf(pending: PendingEvent, context: BuildContext): Frame {
  const { event } = pending;
  const { actor, producedBy } = context;
  const causationId = pending.causedBy ?? context.causationId;
  const tenantId = envelopeTenant(context.tenantId);
  return {
    eventId: context.eventId ?? uuid7(),
    eventType: event.type,
    eventVersion: event.version,
    schemaUri: schemaUri(event),
    tenantId,
    correlationId: context.correlationId,
    ...(causationId === undefined ? undefined : { causationId }),
    actorId: { type: actor.type, id: actor.id },
    occurredAt: isoDate(context.occurredAt),
    producedBy: {
      service: producedBy.service,
      instance: producedBy.instance,
      commit: producedBy.commit,
      region: producedBy.region,
    },
    idempotencyKey: pending.idempotencyKey,
    metadata: metadataOf(pending, context, `${tenantId}:${pending.aggregateId}`),
  };
}

function metadataOf(pending: PendingEvent, context: BuildContext, orderingKey: string): EventMetadata {
  const { fromOfflineReplay, source } = context;
  const { aiProvenance } = pending;
  return {
    ...context.extra,
    retentionClass: pending.event.retention,
    dataResidency: context.dataResidency,
    ...(fromOfflineReplay === undefined ? undefined : { fromOfflineReplay }),
    ...(aiProvenance === undefined ? undefined : { aiProvenance }),
    orderingKey,
    outboxId: ulidFromUuid(context.outboxId ?? uuid7()),
    aggregateVersion: pending.aggregateVersion,
    ...(source === undefined ? undefined : { source }),
  };
}
