import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { BATCH, type Change, look, type OnProgress, operate, record } from './operation.ts';

/** How an outbox is doing. */
export type OutboxStatus = {
  readonly schema: string;
  /** Rows that wait to be published. */
  readonly unpublished: number;
  /** Age of the oldest of them; 0 when there is none. */
  readonly oldestSeconds: number;
  /** Rows that could not be published at least once. */
  readonly failing: number;
  /** Rows that wait for somebody to decide; the keys of ordered topics wait with them (X-046). */
  readonly quarantined: number;
};

/** A row that could not be published in 50 attempts (X-042, X-054). */
export type Quarantined = {
  readonly schema: string;
  readonly seq: number;
  readonly topic: string;
  readonly tenantId: string;
  readonly orderingKey: string;
  readonly eventId: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly reason: string;
  readonly quarantinedAt: Date;
  readonly ageSeconds: number;
};

/** Which quarantined rows; what is left out matches all. */
export type QuarantineFilter = {
  readonly schema?: string;
  readonly tenantId?: string;
  readonly topic?: string;
  readonly seqs?: readonly number[];
};

/** Every outbox of the installation. */
export function outboxStatus(
  db: Database,
  { tenantId }: { readonly tenantId?: string } = {},
): Promise<OutboxStatus[]> {
  const ofTenant = tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`;
  return look(db, async tx => {
    const found: OutboxStatus[] = [];
    for (const schema of await outboxSchemas(tx)) {
      const name = sql.identifier(schema);
      const status = await row<OutboxStatus>(
        tx,
        sql`select ${schema}::text as schema, count(*)::int as unpublished,
                   coalesce(extract(epoch from clock_timestamp() - min(enqueued_at)), 0)::float8 as "oldestSeconds",
                   count(*) filter (where attempts > 0)::int as failing,
                   (select count(*)::int
                    from ${name}.outbox_quarantine
                    where resolved_at is null ${ofTenant}) as quarantined
            from ${name}.outbox
            where status <> 'published' ${ofTenant}`,
      );
      if (status !== undefined) found.push(status);
    }
    return found;
  });
}

/** What waits in quarantine, outbox by outbox, the oldest first. Without a limit all of it. */
export function listQuarantined(
  db: Database,
  filter: QuarantineFilter & { readonly limit?: number } = {},
): Promise<Quarantined[]> {
  return look(db, tx => quarantined(tx, filter));
}

/** Which rows were decided about, and how. */
export type Resolved = { readonly rows: readonly Quarantined[]; readonly dryRun: boolean };

type Decision = { how: 'release' | 'skip'; filter: QuarantineFilter & { readonly schema: string } };

/**
 * Decides about quarantined rows, 500 per transaction: `release` puts them back at their old place in the outbox with no
 * failures counted, `skip` leaves them unpublished. Either way their keys go on, and the rows stay in quarantine as
 * resolved.
 */
export async function resolveQuarantined(
  db: Database,
  change: Change,
  { how, filter }: Decision,
  onProgress?: OnProgress,
): Promise<Resolved> {
  const chosen = await look(db, tx => quarantined(tx, filter));
  const missing = filter.seqs?.find(seq => !chosen.some(one => one.seq === seq));
  if (missing !== undefined) throw brokerErrors.NOT_QUARANTINED({ schema: filter.schema, seq: missing });
  if (change.dryRun === true) return { rows: chosen, dryRun: true };
  const rows: Quarantined[] = [];
  // Those that were there at the beginning: what fails again meanwhile is not taken twice.
  for (let first = 0; first < chosen.length; first += BATCH) {
    const seqs = chosen.slice(first, first + BATCH).map(({ seq }) => seq);
    rows.push(...(await resolveBatch(db, change, { how, filter: { ...filter, seqs } })));
    onProgress?.(rows.length, chosen.length);
  }
  return { rows, dryRun: false };
}

/** One transaction of it; of two operators the second finds nothing to do. */
function resolveBatch(db: Database, change: Change, { how, filter }: Decision): Promise<Quarantined[]> {
  const { schema, seqs: _, ...given } = filter;
  return operate(db, change, async tx => {
    const found = await quarantined(tx, { ...filter, isLocked: true });
    if (found.length === 0) return found;
    const seqs = found.map(({ seq }) => seq);
    if (how === 'release') await putBack(tx, schema, seqs);
    await execute(
      tx,
      sql`update ${sql.identifier(schema)}.outbox_quarantine
          set resolved_at = clock_timestamp(), resolved_by = ${change.actor}
          where seq = any(${sql.param(seqs)}::bigint[]) and resolved_at is null`,
    );
    const events = found.map(({ seq, eventId, tenantId }) => ({ seq, eventId, tenantId }));
    await record(tx, change, {
      action: how === 'release' ? 'outbox.release' : 'outbox.skip',
      detail: { filter: { schema, ...given }, count: found.length, events },
      wake: `outbox:${schema}`,
    });
    return found;
  });
}

/** With the old number: whatever of the key waits in the outbox has a higher one and stays behind it. */
async function putBack(tx: Tx, schema: string, seqs: readonly number[]): Promise<void> {
  const name = sql.identifier(schema);
  await execute(
    tx,
    sql`insert into ${name}.outbox
          (id, seq, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes,
           idempotency_key, occurred_at, enqueued_at)
        overriding system value
        select q.id, q.seq, q.tenant_id, q.aggregate_type, q.aggregate_id, q.aggregate_version, q.topic, q.ordering_key,
               q.envelope, q.attributes, q.idempotency_key, q.occurred_at, q.enqueued_at
        from ${name}.outbox_quarantine q
        where q.seq = any(${sql.param(seqs)}::bigint[]) and q.resolved_at is null
        order by q.seq`,
  );
}

/** Which, how many at most, and whether they are locked: what somebody else decides about just now is then left out. */
type Chosen = QuarantineFilter & { readonly limit?: number; readonly isLocked?: boolean };

async function quarantined(
  tx: Tx,
  { schema, tenantId, topic, seqs, limit, isLocked }: Chosen,
): Promise<Quarantined[]> {
  const known = await outboxSchemas(tx);
  if (schema !== undefined && !known.includes(schema))
    throw brokerErrors.UNKNOWN_OUTBOX({ schema, known: known.length > 0 ? known : 'none yet' });
  const found: Quarantined[] = [];
  for (const one of schema === undefined ? known : [schema]) {
    const part = await rows<Quarantined>(
      tx,
      sql`select ${one}::text as schema, q.seq::float8 as seq, q.topic, q.tenant_id as "tenantId",
                 q.ordering_key as "orderingKey", q.event_id as "eventId", q.attempts, q.last_error as error, q.reason,
                 q.quarantined_at as "quarantinedAt",
                 extract(epoch from clock_timestamp() - q.quarantined_at)::float8 as "ageSeconds"
          from ${sql.identifier(one)}.outbox_quarantine q
          where q.resolved_at is null
            ${tenantId === undefined ? sql`` : sql`and q.tenant_id = ${tenantId}`}
            ${topic === undefined ? sql`` : sql`and q.topic = ${topic}`}
            ${seqs === undefined ? sql`` : sql`and q.seq = any(${sql.param(seqs)}::bigint[])`}
          order by q.seq
          limit ${limit === undefined ? null : limit - found.length}
          ${isLocked === true ? sql`for update` : sql``}`,
    );
    found.push(...part);
  }
  return found;
}

/** Schemas that were given an outbox by `backbone.add_messaging`. */
async function outboxSchemas(tx: Tx): Promise<string[]> {
  const found = await rows<{ schema: string }>(
    tx,
    sql`select n.nspname as schema
        from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = 'outbox_quarantine' and has_table_privilege(c.oid, 'select')
        order by 1`,
  );
  return found.map(({ schema }) => schema);
}
