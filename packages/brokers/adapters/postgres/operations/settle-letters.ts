import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import {
  countDeadLetters,
  type DeadLetter,
  deadLetters,
  type LetterFilter,
  onlyOne,
} from './dead-letters.ts';
import { schemaOfService } from './inbox-names.ts';
import { BATCH, type Change, look, type OnProgress, operate, record } from './operation.ts';

/** What became of dead letters: those that were meant, and whether it was done. */
export type Settled = { readonly letters: readonly DeadLetter[]; readonly dryRun: boolean };

/**
 * Has the consumer try dead letters again, in place: the message that failed first, then those that wait behind it, so
 * that the key's order is kept. Envelope, eventId and idempotency key are the original ones (DLQ-15), nobody but the
 * subscription that failed gets them, and its inbox knows what was applied before.
 */
export function replayDeadLetters(
  db: Database,
  change: Change,
  filter: LetterFilter,
  onProgress?: OnProgress,
): Promise<Settled> {
  return inBatches(db, change, { filter, onProgress }, async (tx, letters) => {
    await execute(
      tx,
      sql`update brokers.parked_key k
          set state = 'retrying', attempts = 0, retry_at = clock_timestamp(), dead_at = null
          from ${keysOf(letters)}
          where k.tenant_id = g.tenant_id and k.subscription = g.subscription and k.park_key = g.park_key
            and k.state = 'dead'`,
    );
    // A trace shows that somebody asked for this run (OBS-02).
    await execute(
      tx,
      sql`update brokers.parked_message m
          set attributes = (brokers.readable(m.attributes)::jsonb || jsonb_build_object('replayOf', m.off::text))::json
          from ${keysOf(letters)}
          where m.tenant_id = g.tenant_id and m.subscription = g.subscription and m.park_key = g.park_key
            and m.off = g.off`,
    );
    await record(tx, change, { action: 'dlq.replay', detail: detailOf(filter, letters), wake: 'parked' });
  });
}

/**
 * Takes dead letters out of the way for good and frees their keys: the messages behind are delivered next. A full copy
 * with the last error stays in `brokers.settled_letter` (DLQ-16, DLQ-17), and the consumer's inbox says that they are
 * dealt with, so that no seek or replay brings them back unasked. `skipped`: it does not matter; `quarantined`:
 * it must never be applied, and somebody has to look at it.
 */
export function settleDeadLetters(
  db: Database,
  change: Change,
  {
    how,
    filter,
    onProgress,
  }: { how: 'skipped' | 'quarantined'; filter: LetterFilter; onProgress?: OnProgress },
): Promise<Settled> {
  const action = how === 'skipped' ? 'dlq.skip' : 'dlq.quarantine';
  return inBatches(db, change, { filter, onProgress }, async (tx, letters) => {
    // The key itself is freed by its consumer, which knows when nothing is left behind it.
    await rows(
      tx,
      sql`with keys as (
            select k.tenant_id, k.subscription, k.park_key, k.last_error, k.attempts, g.off
            from brokers.parked_key k
            join ${keysOf(letters)}
              on k.tenant_id = g.tenant_id and k.subscription = g.subscription and k.park_key = g.park_key
          ), taken as (
            delete from brokers.parked_message m
            using keys k
            where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key
              and m.off = k.off
            returning m.*, k.last_error, k.attempts
          ), kept as (
            insert into brokers.settled_letter
              (subscription, park_key, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes,
               published_at, last_error, attempts, settled_by, how, reason)
            select t.subscription, t.park_key, t.off, t.shard, t.topic, t.ordering_key, t.event_id, t.tenant_id,
                   t.envelope, t.attributes, t.published_at, t.last_error, t.attempts, ${change.actor}, ${how},
                   ${change.reason}
            from taken t
          )
          update brokers.parked_key k
          set state = 'retrying', attempts = 0, retry_at = clock_timestamp(), dead_at = null
          from keys t
          where k.tenant_id = t.tenant_id and k.subscription = t.subscription and k.park_key = t.park_key`,
    );
    await closeInboxRows(tx, letters);
    await record(tx, change, { action, detail: detailOf(filter, letters), wake: 'parked' });
  });
}

/**
 * The consumer could not apply these messages; from now on it passes over them, whether it had met them or could not even
 * read them (INBOX-08). Cleared again by `clearInbox`. Only what was taken out in this transaction; and no strays: such a
 * message may be a copy of one of ours.
 */
async function closeInboxRows(tx: Tx, letters: readonly DeadLetter[]): Promise<void> {
  for (const [service, own] of Map.groupBy(letters, ({ subscription }) => subscription)) {
    const schema = schemaOfService(service);
    const found = await row<{ inbox: string | null }>(
      tx,
      sql`select to_regclass(format('%I.inbox', ${schema}::text))::text as inbox`,
    );
    if (found?.inbox == null) continue; // a consumer of the broker alone has none
    // Its own id for a business key: what it says of itself may be wrong, and must not shut out another message. Consumers are
    // named after aggregate and verb (INBOX-04); a topic of four segments does not say its aggregate, the schema does.
    await execute(
      tx,
      sql`insert into ${sql.identifier(schema)}.inbox
            (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key, aggregate_version,
             processed_at, result, attempts, last_error)
          select distinct on (s.tenant_id, n.consumer_name, s.event_id)
                 s.tenant_id, n.consumer_name, s.event_id, s.topic, regexp_replace(s.topic, '[.]v[0-9]+$', ''),
                 s.event_id::text, s.ordering_key,
                 coalesce(substring(brokers.readable(s.envelope) #>> '{metadata,aggregateVersion}'
                                    from '^[0-9]{1,18}$')::bigint, 0),
                 now(), 'noop', s.attempts, s.last_error
          from unnest(${sql.param(own.map(({ tenantId }) => tenantId))}::uuid[],
                      ${sql.param(own.map(({ id }) => id))}::bigint[]) as g (tenant_id, off)
          join brokers.settled_letter s
            on s.tenant_id = g.tenant_id and s.subscription = ${service} and s.off = g.off and s.settled_at = now()
          cross join lateral (
            select replace(concat(
                     ${service}::text, '.',
                     coalesce(substring(brokers.readable(s.envelope) ->> 'schemaUri' from '^schemas://[^/]+/([^/]+)/'),
                              split_part(s.topic, '.', -3)),
                     '-', split_part(s.topic, '.', -2)), '_', '-') as consumer_name
          ) n
          where brokers.readable(s.attributes) ->> 'stray' is null
          on conflict (tenant_id, consumer_name, event_id) do update
          set processed_at = now(), result = 'noop'
          where inbox.processed_at is null`,
    );
  }
}

type Batches = { filter: LetterFilter; onProgress: OnProgress | undefined };

/**
 * Applies a change to all dead letters that match, 500 per transaction; what dies again meanwhile is not taken twice. Their
 * keys are locked before anything is said about them: of two operators the second finds nothing to do, and records nothing.
 */
async function inBatches(
  db: Database,
  change: Change,
  { filter, onProgress }: Batches,
  apply: (tx: Tx, letters: readonly DeadLetter[]) => Promise<void>,
): Promise<Settled> {
  const { now, total } = await beginning(db, filter);
  const until = filter.until === undefined || filter.until > now ? now : filter.until;
  const letters: DeadLetter[] = [];
  const dryRun = change.dryRun ?? false;
  for (let size = BATCH; size === BATCH; ) {
    const batch = await operate(db, change, async tx => {
      const chosen = { ...filter, until, limit: dryRun ? total : BATCH };
      const found = await deadLetters(tx, { ...chosen, isLocked: !dryRun });
      if (found.length > 0 && !dryRun) await apply(tx, found);
      return found;
    });
    letters.push(...batch);
    size = dryRun ? 0 : batch.length;
    if (batch.length > 0) onProgress?.(letters.length, Math.max(total, letters.length));
  }
  return { letters, dryRun };
}

/** The database's clock, how many there are, and a refusal where an id is unknown or means several. */
async function beginning(db: Database, filter: LetterFilter): Promise<{ now: Date; total: number }> {
  return look(db, async tx => {
    for (const id of filter.ids ?? []) {
      const found = await deadLetters(tx, { ...filter, ids: [id] });
      if (onlyOne(id, found) === undefined) throw brokerErrors.NO_SUCH_LETTER({ id });
    }
    // A millisecond more: a JavaScript date has no microseconds.
    const clock = await row<{ now: Date }>(
      tx,
      sql`select clock_timestamp() + interval '1 millisecond' as now`,
    );
    return { now: clock?.now as Date, total: await countDeadLetters(tx, filter) };
  });
}

function keysOf(letters: readonly DeadLetter[]) {
  return sql`unnest(${sql.param(letters.map(({ tenantId }) => tenantId))}::uuid[],
                    ${sql.param(letters.map(({ subscription }) => subscription))}::text[],
                    ${sql.param(letters.map(({ parkKey }) => parkKey))}::text[],
                    ${sql.param(letters.map(({ id }) => id))}::bigint[]) as g (tenant_id, subscription, park_key, off)`;
}

/** What the audit trail keeps: the order that was given, and every message it touched. */
function detailOf(filter: LetterFilter, letters: readonly DeadLetter[]) {
  return {
    filter,
    count: letters.length,
    letters: letters.map(({ id, subscription, eventId, tenantId }) => ({
      id,
      subscription,
      eventId,
      tenantId,
    })),
  };
}
