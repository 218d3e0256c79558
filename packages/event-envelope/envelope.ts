import { isTenantId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { z } from 'zod';
import type { EventType } from './define-event.ts';
import { envelopeRules } from './envelope-rules.ts';
import { errors } from './errors.ts';
import { instant } from './instant.ts';
import { type EventMetadata, keyText, metadata, ulidText } from './metadata.ts';
import { readPayload } from './read-payload.ts';
import { reasonOf } from './reason.ts';
import { schemaUri } from './schema-uri.ts';
import { subjectOf } from './subject.ts';
import { type EnvelopeTenant, PLATFORM } from './tenant.ts';

const uuid7Text = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    'not a UUIDv7 in lower case',
  ) as unknown as z.ZodType<UUIDv7, string>;

const tenantText = z
  .string()
  .refine(
    text => text === PLATFORM || (isTenantId(text) && text !== PLATFORM_TENANT_ID),
    "neither a tenant's uuid nor 'platform'",
  ) as unknown as z.ZodType<EnvelopeTenant, string>;

/** Kinds of principal (ENV-11). */
export const actorTypes = ['user', 'system', 'service', 'api_key'] as const;

/** Who caused an event. */
export const actor = z.object({ type: z.enum(actorTypes), id: keyText.max(200) });
export type EventActor = z.output<typeof actor>;

/** Which process of which build wrote it (ENV-13..16). */
export const producer = z.object({
  service: keyText.max(100),
  instance: keyText.max(200),
  commit: keyText.max(100),
  region: keyText.max(100),
});
export type Producer = z.output<typeof producer>;

/** The fixed part of every event; registered as ENVELOPE_SCHEMA_URI. Readers ignore members they do not know. */
export const eventEnvelope = z.object({
  eventId: uuid7Text,
  eventType: z.string().max(255),
  eventVersion: z.int().min(1).max(9_999),
  schemaUri: z.string().max(400),
  tenantId: tenantText,
  correlationId: ulidText,
  causationId: uuid7Text.optional(),
  actorId: actor,
  occurredAt: instant,
  producedBy: producer,
  idempotencyKey: keyText.max(255),
  payload: z.looseObject({}), // z.record walks every key, for nothing
  metadata,
});

/** One event as it travels (ENV-01). */
export type EventEnvelope<T = unknown> = Omit<z.output<typeof eventEnvelope>, 'payload' | 'metadata'> & {
  payload: T;
  metadata: EventMetadata;
};

/**
 * Reads an envelope from outside and checks every rule that needs no registry; the payload stays unread. Throws
 * INVALID_ENVELOPE with all reasons in one line.
 */
export function parseEnvelope(value: unknown): EventEnvelope {
  const parsed = eventEnvelope.safeParse(value);
  if (!parsed.success) throw errors.INVALID_ENVELOPE({ reason: reasonOf(parsed.error) });
  refuseAny(envelopeRules(parsed.data));
  return parsed.data;
}

/**
 * Reads an envelope of one declared event: also its subject, retention class, ordering key and payload. A payload of
 * the very schema we know must fit exactly; of another schema of this version, what we do not know is ignored.
 */
export function parseEnvelopeOf<P>(event: EventType<P>, value: unknown): EventEnvelope<P> {
  const envelope = parseEnvelope(value);
  const subject = subjectOf(envelope);
  if (subject !== event.subject) refuseAny([`it is a ${subject}, not a ${event.subject}`]);
  const { retentionClass, orderingKey } = envelope.metadata;
  if (retentionClass !== event.retention)
    refuseAny([`metadata.retentionClass: ${retentionClass}, but the registry says ${event.retention}`]);

  const strict = envelope.schemaUri === schemaUri(event as EventType);
  const payload = readPayload(event, envelope.payload, { strict });
  const expected = `${envelope.tenantId}:${event.aggregateId(payload)}`;
  if (orderingKey !== expected)
    refuseAny(['metadata.orderingKey: not <tenantId>:<aggregateId> of the payload']);
  return { ...envelope, payload };
}

function refuseAny(reasons: readonly string[]): void {
  if (reasons.length > 0) throw errors.INVALID_ENVELOPE({ reason: reasons.join('; ') });
}
