import type { Delivery } from '@ghasi/brokers/broker';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { EventType } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { schemaUri } from '@ghasi/event-envelope/schema-uri';
import { envelopeTenant } from '@ghasi/event-envelope/tenant';
import { upcastPayload } from '@ghasi/event-envelope/versions';
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

/** Why a delivery can never be handled. A stray was not published by us, so its key need not wait for it. */
export type Unreadable = {
  readonly delivery: Delivery;
  readonly reason: string;
  readonly stray: boolean;
  /** Its schema is not known yet: look whether there is a newer list of schemas. */
  readonly drift?: boolean;
};

/** Reads deliveries for one service. */
export type Reader = {
  /** The subjects it understands: every version its reactions can be given. */
  readonly topics: readonly string[];
  read(delivery: Delivery): Readable | Unreadable;
};

/**
 * A reader. The signature shows that a service of ours validated this very text when it appended it, so a message with
 * today's schema is not validated a second time; an older one is read by its own version and brought up to date. What
 * somebody put on the broker by hand is unreadable, and says why (safety rule 28, INBOX-07).
 */
export function createReader(
  service: string,
  reactions: readonly Reaction[],
  { registry, signer }: { registry: Registry; signer: Signer },
): Reader {
  const byTopic = new Map<string, { reaction: Reaction; consumer: string }>();
  for (const reaction of reactions)
    for (const event of versionsOf(reaction.event))
      byTopic.set(event.subject, { reaction, consumer: consumerName(service, reaction.event) });

  const read = (delivery: Delivery): Readable | Unreadable => {
    const unreadable = (reason: string, stray = false) => ({ delivery, reason, stray });
    const found = byTopic.get(delivery.topic);
    if (found === undefined) return unreadable(`${service} has no reaction to ${delivery.topic}`);
    if (!signer.isGenuine(delivery)) return unreadable('not signed by a service of this installation', true);
    try {
      const envelope = JSON.parse(delivery.envelope) as EventEnvelope;
      const differs = whatDiffers(envelope, delivery);
      if (differs !== undefined) return unreadable(differs, true);
      const drift = registry.drift(envelope);
      if (drift !== undefined) return { ...unreadable(drift), drift: true };
      const { reaction, consumer } = found;
      const { event } = reaction;
      const payload =
        envelope.schemaUri === schemaUri(event) ? envelope.payload : upcastPayload(event, envelope);
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
