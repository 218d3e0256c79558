import { isTenantId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { z } from 'zod';
import { instant } from './instant.ts';
import { keyText, MAX_KEY } from './key-text.ts';
import { type EventMetadata, metadata, ulidText } from './metadata.ts';
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

/** Longest texts of an actor and a producer, in UTF-16 units. */
export const maxLength = { actorId: 200, service: 100, instance: 200, commit: 100, region: 100 } as const;

/** Who caused an event. */
export const actor = z.object({ type: z.enum(actorTypes), id: keyText.max(maxLength.actorId) });
export type EventActor = z.output<typeof actor>;

/** Which process of which build wrote it (ENV-13..16). */
export const producer = z.object({
  service: keyText.max(maxLength.service),
  instance: keyText.max(maxLength.instance),
  commit: keyText.max(maxLength.commit),
  region: keyText.max(maxLength.region),
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
  idempotencyKey: keyText.max(MAX_KEY),
  payload: z.looseObject({}), // z.record walks every key, for nothing
  metadata,
});

/** One event as it travels (ENV-01). */
export type EventEnvelope<T = unknown> = Omit<z.output<typeof eventEnvelope>, 'payload' | 'metadata'> & {
  payload: T;
  metadata: EventMetadata;
};
