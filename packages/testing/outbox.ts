import type { Service } from '@ghasi/backbone/define-service';
import { createOutbox, type ServiceOutbox } from '@ghasi/backbone/outbox';
import { createRegistry } from '@ghasi/backbone/registry';
import { createSigner } from '@ghasi/backbone/signature';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import type { TestDatabase } from './database.ts';
import { testProducer, testRegion } from './system-envelope.ts';

/**
 * The outbox of one service whose events stay where they were written, for tests without a relay:
 * `database.open('tenant', { outbox: testOutbox(service) })`. `startSystem` brings its own.
 */
export function testOutbox({
  name,
  schema,
  publishes,
}: Pick<Service, 'name' | 'schema' | 'publishes'>): ServiceOutbox {
  return createOutbox({
    service: name,
    schema,
    registry: createRegistry(publishes),
    signer: createSigner([{ id: 'test', secret: 'the outbox of a test signs with this' }]),
    producedBy: testProducer,
    dataResidency: testRegion,
    onCommitted() {},
  });
}

/** A row of an outbox, as far as tests care. */
export type Waiting = {
  readonly topic: string;
  readonly tenantId: TenantId;
  readonly aggregateId: string;
  readonly aggregateVersion: number;
  readonly idempotencyKey: string;
  readonly envelope: EventEnvelope;
  readonly payload: unknown;
};

/** What waits in the outbox of a schema, in the order it was written; of one tenant when one is named. */
export async function waitingEvents(
  { admin }: Pick<TestDatabase, 'admin'>,
  schema: string,
  of: { tenantId?: TenantId } = {},
): Promise<Waiting[]> {
  const rows = await admin<Omit<Waiting, 'payload'>>(
    `select topic,
            tenant_id as "tenantId",
            aggregate_id as "aggregateId",
            aggregate_version::int as "aggregateVersion",
            idempotency_key as "idempotencyKey",
            envelope
     from ${schema}.outbox
     where $1::uuid is null or tenant_id = $1
     order by seq`,
    [of.tenantId ?? null],
  );
  return rows.map(row => ({ ...row, payload: row.envelope.payload }));
}
