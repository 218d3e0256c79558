import type { Signer } from '@ghasi/backbone/signature';
import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { deliveryOf } from './system-envelope.ts';
import { testActor } from './tenants.ts';

/** Appends events to the log without any outbox: what their owners, in another process, would have published. */
export async function publishTo(
  relayDb: Database,
  events: readonly PendingEvent[],
  options: { tenantId: TenantId; signer: Signer },
): Promise<EventEnvelope[]> {
  const deliveries = events.map(event => deliveryOf(event, options));
  await systemTransaction(relayDb, { actor: testActor }, async ({ tx }) => {
    await execute(tx, sql`select pg_advisory_xact_lock(brokers.append_lock())`);
    for (const { topic, orderingKey, eventId, tenantId, envelope, attributes } of deliveries) {
      await execute(
        tx,
        sql`insert into brokers.log
              (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
            values (brokers.log_today(), nextval('brokers.log_off'), brokers.shard_of(${orderingKey}), ${topic},
                    ${orderingKey}, ${eventId}, ${tenantId}, ${envelope}, ${JSON.stringify(attributes)}, 'test', now())`,
      );
    }
  });
  return deliveries.map(({ envelope }) => JSON.parse(envelope));
}

/** The log, oldest first: of one topic, or of all but the dead letters, which are copies. */
export async function readEvents(relayDb: Database, topic: string | undefined): Promise<EventEnvelope[]> {
  const { rows } = await relayDb.pool.query<{ envelope: EventEnvelope }>(
    `select envelope from brokers.log where topic = $1::text or ($1::text is null and topic not like '%.dlq') order by off`,
    [topic ?? null],
  );
  return rows.map(({ envelope }) => envelope);
}
