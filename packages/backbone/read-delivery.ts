import type { Delivery } from '@ghasi/brokers/broker';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { EventType } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { eventRules } from '@ghasi/event-envelope/envelope-rules';
import type { DataResidency } from '@ghasi/event-envelope/metadata';
import { schemaUri } from '@ghasi/event-envelope/schema-uri';
import { subjectOf } from '@ghasi/event-envelope/subject';
import { envelopeTenant } from '@ghasi/event-envelope/tenant';
import { upcastPayload } from '@ghasi/event-envelope/versions';
import { backboneErrors } from './errors.ts';
import type { Claim } from './inbox.ts';
import type { Reaction } from './reaction.ts';
import type { Registry } from './registry.ts';
import type { Signer } from './signature.ts';

/** A delivery that may be handled, and by what. */
export type Readable = {
  readonly delivery: Delivery;
  readonly reaction: Reaction;
  readonly envelope: EventEnvelope;
  readonly payload: unknown;
  readonly claim: Claim;
};

/** Why a delivery cannot be handled. A stray was not published by us, so its key need not wait for it. */
export type Unreadable = {
  readonly delivery: Delivery;
  readonly reason: string;
  readonly stray: boolean;
  /** Its schema is not known yet, which may change: look whether there is a newer list of schemas. */
  readonly drift?: boolean;
  /** Under which name it would have been claimed. */
  readonly consumer?: string | undefined;
  /** Somebody took it out for good (DLQ-16): it holds up nobody. */
  readonly isSettled?: boolean;
};

/** By what a reader judges. */
export type ReaderOptions = {
  readonly registry: Registry;
  readonly signer: Signer;
  /** Whose events this deployment takes. Default: of every region. */
  readonly dataResidency?: DataResidency | undefined;
};

/** Reads deliveries for one service. */
export type Reader = {
  /** The subjects it understands: every version its reactions can be given. */
  readonly topics: readonly string[];
  read(delivery: Delivery): Readable | Unreadable;
};

/**
 * A reader. The signature shows that a service of ours validated this very text when it appended it, so the payload of
 * today's schema is not validated a second time; an older one is read by its own version and brought up to date. What its
 * declaration says of an event costs nothing and is asked again: owner, retention, provenance. What somebody put on
 * the broker by hand is unreadable, and says why (safety rule 28, INBOX-07).
 */
export function createReader(
  service: string,
  reactions: readonly Reaction[],
  { registry, signer, dataResidency }: ReaderOptions,
): Reader {
  const byTopic = new Map<string, { reaction: Reaction; consumer: string; heard: EventType }>();
  for (const reaction of reactions)
    for (const heard of versionsOf(reaction.event))
      byTopic.set(heard.subject, { reaction, consumer: consumerName(service, reaction.event), heard });

  const read = (delivery: Delivery): Readable | Unreadable => {
    const found = byTopic.get(delivery.topic);
    const unreadable = (reason: string, stray = false) => ({
      ...{ delivery, reason, stray },
      consumer: found?.consumer,
    });
    if (found === undefined) return unreadable(`${service} has no reaction to ${delivery.topic}`);
    try {
      if (!signer.isGenuine(delivery))
        return unreadable('not signed by a service of this installation', true);
      const envelope = JSON.parse(delivery.envelope) as EventEnvelope;
      const differs = whatDiffers(envelope, delivery);
      if (differs !== undefined) return unreadable(differs, true);
      const elsewhere = otherRegion(envelope, dataResidency);
      if (elsewhere !== undefined) return unreadable(elsewhere, true);
      const broken = eventRules(envelope, found.heard);
      if (broken.length > 0) return unreadable(broken.join('; '));
      const drift = registry.drift(envelope);
      if (drift !== undefined) return { ...unreadable(drift), drift: true };
      const { reaction, consumer } = found;
      const { event } = reaction;
      const payload =
        envelope.schemaUri === schemaUri(event)
          ? envelope.payload
          : upcastPayload(event, envelope, { newer: registry.isNewer(envelope) });
      return { delivery, reaction, envelope, payload, claim: claimOf(consumer, envelope, delivery) };
    } catch (error) {
      return unreadable(`unreadable: ${(error as Error).message}`);
    }
  };
  return { topics: [...byTopic.keys()], read };
}

/** True for a delivery that can be handled. */
export function isReadable(read: Readable | Unreadable): read is Readable {
  return 'claim' in read;
}

/** An event and the older versions it can be made from. */
export function versionsOf(event: EventType): EventType[] {
  const { replaces } = event;
  return replaces === undefined ? [event] : [event, ...versionsOf(replaces.event as EventType)];
}

/** Names under which a service claims an event: `inventory-service.booking-confirmed` (INBOX-04). */
export function consumerName(service: string, event: Pick<EventType, 'aggregate' | 'verb'>): string {
  return `${service}.${event.aggregate}-${event.verb}`.replaceAll('_', '-');
}

/** What the broker says of a message must be what its signed body says. */
function whatDiffers(envelope: EventEnvelope, delivery: Delivery): string | undefined {
  if (`${envelope.eventType}.v${envelope.eventVersion}` !== delivery.topic)
    return `the body is of ${envelope.eventType}.v${envelope.eventVersion}, the topic is ${delivery.topic}`;
  if (envelope.tenantId !== envelopeTenant(delivery.tenantId as TenantId))
    return `the body is of tenant ${envelope.tenantId}, the message of ${delivery.tenantId}`;
  if (envelope.eventId !== delivery.eventId) return 'the body has another eventId than the message';
  if (envelope.metadata.orderingKey !== delivery.orderingKey)
    return 'the body has another ordering key than the message';
  return undefined;
}

/** Data stays where its tenant lives; a message of another region came here by mistake. */
function otherRegion(envelope: EventEnvelope, region: DataResidency | undefined): string | undefined {
  const found = envelope.metadata.dataResidency;
  if (region === undefined || found === region) return undefined;
  return backboneErrors.WRONG_REGION({ subject: subjectOf(envelope), found, region }).message;
}

function claimOf(consumer: string, envelope: EventEnvelope, delivery: Delivery): Claim {
  return {
    consumer,
    eventId: envelope.eventId,
    topic: delivery.topic,
    eventType: envelope.eventType,
    idempotencyKey: envelope.idempotencyKey,
    orderingKey: envelope.metadata.orderingKey,
    aggregateVersion: envelope.metadata.aggregateVersion,
    messageId: delivery.id,
    occurredAt: envelope.occurredAt,
  };
}
