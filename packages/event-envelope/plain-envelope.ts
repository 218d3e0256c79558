import { isTenantId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { isUlid, isUuid7 } from '@ghasi/domain-primitives/uuid';
import { actorTypes, type EventEnvelope, maxLength } from './envelope-parts.ts';
import type { EventType } from './event-type.ts';
import { isIsoDate } from './instant.ts';
import { isPlainKey, MAX_KEY } from './key-text.ts';
import { isRegion, sources } from './metadata.ts';
import { schemaUri } from './schema-uri.ts';
import { PLATFORM } from './tenant.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * True for an ordinary envelope of an event: one that the parser would accept, its payload aside. False says nothing:
 * then the parser judges. Extra members, keys beyond ASCII, AI provenance and other schemas are not ordinary. A test
 * proves that it never says yes where the parser says no.
 */
export function isPlainEnvelope(value: unknown, event: EventType): value is EventEnvelope {
  if (!isObject(value)) return false;
  const { causationId, tenantId } = value;
  return (
    value.eventType === event.type &&
    value.eventVersion === event.version &&
    value.schemaUri === schemaUri(event) &&
    isUuid7(value.eventId) &&
    (tenantId === PLATFORM ? event.platform : isTenantId(tenantId) && tenantId !== PLATFORM_TENANT_ID) &&
    isUlid(value.correlationId) &&
    (causationId === undefined || isUuid7(causationId)) &&
    isPlainActor(value.actorId) &&
    isIsoDate(value.occurredAt) &&
    isPlainProducer(value.producedBy, event) &&
    isPlainKey(value.idempotencyKey, MAX_KEY) &&
    isObject(value.payload) &&
    isPlainMetadata(value.metadata, event, `${tenantId}:`) &&
    Object.keys(value).length === (causationId === undefined ? 12 : 13)
  );
}

function isPlainActor(actor: unknown): boolean {
  return (
    isObject(actor) &&
    isOneOf(actorTypes, actor.type) &&
    isPlainKey(actor.id, maxLength.actorId) &&
    Object.keys(actor).length === 2
  );
}

function isPlainProducer(producer: unknown, { owner }: EventType): boolean {
  return (
    isObject(producer) &&
    producer.service === owner &&
    isPlainKey(producer.service, maxLength.service) &&
    isPlainKey(producer.instance, maxLength.instance) &&
    isPlainKey(producer.commit, maxLength.commit) &&
    isPlainKey(producer.region, maxLength.region) &&
    Object.keys(producer).length === 4
  );
}

// Without other members metadata stays below 2 KiB, whatever is in them: no need to measure it.
function isPlainMetadata(metadata: unknown, event: EventType, start: string): boolean {
  if (event.aiProvenance || !isObject(metadata)) return false;
  const { aggregateVersion, orderingKey, source, fromOfflineReplay } = metadata;
  const optional = (source === undefined ? 0 : 1) + (fromOfflineReplay === undefined ? 0 : 1);
  return (
    metadata.retentionClass === event.retention &&
    isRegion(metadata.dataResidency) &&
    isPlainKey(orderingKey, MAX_KEY) &&
    orderingKey.startsWith(start) &&
    orderingKey.length > start.length &&
    isUlid(metadata.outboxId) &&
    Number.isSafeInteger(aggregateVersion) &&
    (aggregateVersion as number) >= 1 &&
    (source === undefined || isOneOf(sources, source)) &&
    (fromOfflineReplay === undefined || typeof fromOfflineReplay === 'boolean') &&
    Object.keys(metadata).length === 5 + optional
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOneOf(list: readonly string[], value: unknown): boolean {
  return (list as readonly unknown[]).includes(value);
}
