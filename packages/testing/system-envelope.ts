import type { Signer } from '@ghasi/backbone/signature';
import type { Delivery } from '@ghasi/brokers/broker';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { ulidFromUuid, uuid7 } from '@ghasi/domain-primitives/uuid';
import { buildEnvelopeText } from '@ghasi/event-envelope/build';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { testActor } from './tenants.ts';

/** Where the processes of a test run. */
export const testRegion = 'me-central1';

/** Instance, commit and region of a test's process. */
export const testProducer = { instance: 'test-1', commit: '0000000', region: testRegion } as const;

/** An event as a broker would deliver it the first time: in its envelope, signed as its owner would. */
export function deliveryOf(
  pending: PendingEvent,
  options: { tenantId: TenantId; signer: Signer; id?: string },
): Delivery {
  const { tenantId, signer, id = '1' } = options;
  const now = new Date();
  const { envelope, text } = buildEnvelopeText(pending, {
    tenantId,
    actor: testActor,
    correlationId: ulidFromUuid(uuid7()),
    occurredAt: now,
    producedBy: { service: pending.event.owner, ...testProducer },
    dataResidency: testRegion,
  });
  return {
    id,
    topic: pending.event.subject,
    orderingKey: envelope.metadata.orderingKey,
    eventId: envelope.eventId,
    tenantId,
    envelope: text,
    attributes: { signature: signer.sign(text) },
    enqueuedAt: now,
    publishedAt: now,
    attempt: 1,
  };
}
