import { onMany, type Reaction, type Received } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { type Arrival, insertArrivals } from './queries/chain.ts';
import { isRecorded } from './recorded.ts';

/** Hears everything that is to be recorded: one insert for a message or for many, and no lock that others wait for. */
export function auditReactions(events: readonly EventType[]): Reaction[] {
  return events
    .filter(isRecorded)
    .map(event => onMany(event, (ctx: Ctx, messages) => insertArrivals(ctx, messages.map(arrivalOf(event)))));
}

/** What an event says about who did what to which id; its values are here as a hash only. */
function arrivalOf({ aggregate }: EventType): (message: Received<unknown>) => Arrival {
  return ({ envelope }) => ({
    eventId: envelope.eventId,
    action: envelope.eventType.slice(envelope.eventType.indexOf('.') + 1),
    about: { type: aggregate, id: afterTenant(envelope.metadata.orderingKey).slice(0, 200) },
    actor: envelope.actorId,
    occurredAt: new Date(envelope.occurredAt),
    payloadHash: payloadHash(envelope.payload),
  });
}

/** The ordering key is `<tenantId>:<aggregateId>` (ENV-24). */
function afterTenant(orderingKey: string): string {
  return orderingKey.slice(orderingKey.indexOf(':') + 1);
}
