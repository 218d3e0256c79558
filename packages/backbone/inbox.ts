import type { Fence } from '@ghasi/brokers/broker';
import type { Database } from '@ghasi/db/database';
import { isUniqueViolation } from '@ghasi/db/pg-errors';
import { sendPrepared } from '@ghasi/db/send';
import { type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { escapeIdentifier } from 'pg';

/** What the inbox must know of a message. */
export type Claim = {
  /** e.g. `inventory-service.booking-confirmed` (INBOX-04). */
  readonly consumer: string;
  readonly eventId: string;
  readonly topic: string;
  readonly eventType: string;
  readonly idempotencyKey: string;
  readonly orderingKey: string;
  readonly aggregateVersion: number;
  readonly messageId: string;
  readonly occurredAt: string;
};

/** Inbox rows are kept this long; older ones are known by their key's version only. */
export const INBOX_DAYS = 30;

/** Not all of the messages were new. */
export class KnownAlready extends Error {
  override name = 'KnownAlready';
}

/** The inbox of one service: which messages are new, and which have been dealt with. */
export type Inbox = {
  /** Whether messages may be claimed by `claimNew`: old ones may be known by their key's version only. */
  areRecent(ctx: Pick<Ctx, 'now'>, claims: readonly Claim[]): boolean;
  /**
   * Claims messages in the hope that all are new; if they are not, it fails with {@link KnownAlready}, and the transaction with
   * it. So nobody need wait for it, and it costs less than to ask which of them are new. Checks the fence first.
   */
  claimNew(ctx: Ctx, claims: readonly Claim[], fence: Fence | undefined): Promise<void>;
  /** Claims messages in the running transaction; returns the places of those that are new. Checks the fence first. */
  claim(ctx: Ctx, claims: readonly Claim[], fence: Fence | undefined): Promise<ReadonlySet<number>>;
  /** The handler looked and had nothing to do. */
  markNoop(ctx: Ctx, claim: Claim): void;
  /** Which of these are dealt with, by the ids of their events: for messages that cannot be claimed, since nobody can read them. */
  dealtWith(
    db: Database,
    who: Pick<Ctx, 'tenantId' | 'actor'>,
    messages: readonly Pick<Claim, 'consumer' | 'eventId'>[],
  ): Promise<ReadonlySet<string>>;
  /** Notes a failed attempt, in a transaction of its own: it outlives the handler's rollback. */
  recordFailure(
    db: Database,
    ctx: Pick<Ctx, 'tenantId' | 'actor'>,
    claim: Claim,
    error: string,
  ): Promise<void>;
};

/** The inbox in a service's schema. */
export function createInbox(schema: string): Inbox {
  const statements = statementsFor(escapeIdentifier(schema));
  const recent = (claim: Claim, now: Date) =>
    now.getTime() - Date.parse(claim.occurredAt) < (INBOX_DAYS - 1) * 86_400_000;

  const insert = (tx: Tx, into: Insert, values: unknown[], fence: Fence | undefined) =>
    fence === undefined
      ? sendPrepared(tx.$client, into.free, values)
      : sendPrepared(tx.$client, into.held, [...values, fence.subscription, fence.shards, fence.epochs]);

  return {
    areRecent: ({ now }, claims) => claims.every(claim => recent(claim, now)),
    async claimNew({ tx, tenantId }, claims, fence) {
      try {
        await insert(tx, statements.insertNew, valuesOf(tenantId, claims), fence);
      } catch (error) {
        if (isUniqueViolation(error, 'inbox_pk') || isUniqueViolation(error, 'inbox_business_key'))
          throw new KnownAlready('one of them was claimed before', { cause: error });
        throw error;
      }
    },
    async claim({ tx, tenantId, now }, claims, fence) {
      const { rows } = await insert(tx, statements.insert, valuesOf(tenantId, claims), fence);
      const fresh = new Set(rows.map(nameOfRow));
      const known = claims.filter(claim => !fresh.has(nameOf(claim)));
      const again = known.length === 0 ? none : await retake(tx, statements.retake, tenantId, known);
      const places = new Set<number>();
      for (const [place, claim] of claims.entries()) {
        const isNew = fresh.delete(nameOf(claim)); // once: a batch may hold a message twice
        const mayRun = isNew
          ? recent(claim, now) ||
            (
              await tx.$client.query(statements.floor, [
                tenantId,
                claim.consumer,
                claim.orderingKey,
                claim.aggregateVersion,
              ])
            ).rowCount === 0
          : again.delete(nameOf(claim));
        if (mayRun) places.add(place);
      }
      return places;
    },
    markNoop({ tx, tenantId, write }, claim) {
      write(sendPrepared(tx.$client, statements.noop, [tenantId, claim.consumer, claim.eventId]));
    },
    async dealtWith(db, who, messages) {
      const { rows } = await tenantRead(db, who, ({ tx, tenantId }) =>
        sendPrepared(tx.$client, statements.dealtWith, [
          tenantId,
          messages.map(({ consumer }) => consumer),
          messages.map(({ eventId }) => eventId),
        ]),
      );
      return new Set(rows.map(row => row.event_id as string));
    },
    async recordFailure(db, who, claim, error) {
      await tenantTransaction(db, who, async ({ tx, tenantId }) => {
        await sendPrepared(tx.$client, statements.failure, [
          tenantId,
          claim.consumer,
          claim.eventId,
          claim.topic,
          claim.eventType,
          claim.idempotencyKey,
          claim.orderingKey,
          claim.aggregateVersion,
          claim.messageId,
          error,
        ]);
      }).catch(refused => {
        // Another version of the same fact failed at the same moment: its row stands for both.
        if (!isUniqueViolation(refused, 'inbox_business_key')) throw refused;
      });
    },
  };
}

type Tx = Ctx['tx'];

/** A statement for messages that came from a shard, and one for those that did not. */
type Insert = { readonly free: string; readonly held: string };

function valuesOf(tenantId: string, claims: readonly Claim[]): unknown[] {
  return [
    tenantId,
    claims.map(claim => claim.consumer),
    claims.map(claim => claim.eventId),
    claims.map(claim => claim.topic),
    claims.map(claim => claim.eventType),
    claims.map(claim => claim.idempotencyKey),
    claims.map(claim => claim.orderingKey),
    claims.map(claim => claim.aggregateVersion),
    claims.map(claim => claim.messageId),
  ];
}

const nameOf = ({ consumer, eventId }: Claim) => `${consumer} ${eventId}`;
const nameOfRow = (row: { consumer_name: string; event_id: string }) =>
  `${row.consumer_name} ${row.event_id}`;
const none = new Set<string>();

/**
 * A row that is there but not processed is one that failed before: it may be tried again. One statement for
 * all: after a change of hands most of a batch is known, and a round trip for each made a takeover slower than the next.
 */
async function retake(
  tx: Tx,
  statement: string,
  tenantId: string,
  known: readonly Claim[],
): Promise<Set<string>> {
  const { rows } = await sendPrepared(tx.$client, statement, [
    tenantId,
    known.map(({ consumer }) => consumer),
    known.map(({ eventId }) => eventId),
  ]);
  return new Set(rows.map(nameOfRow));
}

// In the order of the key, so that two processes with the same messages wait for each other and never in a circle.
// processed_at at once: row, effect and events commit together or not at all.
const insertInto = (schema: string, fence: string, end: string) => `
    insert into ${schema}.inbox
      (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key, aggregate_version,
       broker_message_id, processed_at, result)
    select $1, m.consumer, m.event_id, m.topic, m.event_type, m.idempotency_key, m.ordering_key, m.version, m.message_id,
           now(), 'ok'
    from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[])
      as m (consumer, event_id, topic, event_type, idempotency_key, ordering_key, version, message_id)
    ${fence}
    order by m.consumer, m.event_id
    ${end}`;

// With the fence in one statement: whoever lost a shard inserts nothing, and fails. It answers nothing, so whatever that
// is will do; as a column that nobody reads, the planner would leave it out.
const fenceOf = (schema: string) =>
  `where (${schema}.assert_holds($10, $11::smallint[], $12::bigint[]) is null) is not null`;

const insertBoth = (schema: string, end: string): Insert => ({
  free: insertInto(schema, '', end),
  held: insertInto(schema, fenceOf(schema), end),
});

const statementsFor = (schema: string) => ({
  insertNew: insertBoth(schema, ''),
  insert: insertBoth(schema, 'on conflict do nothing returning consumer_name, event_id'),
  retake: `
    with failed as (
      select i.consumer_name, i.event_id
      from unnest($2::text[], $3::uuid[]) as m (consumer, event_id)
      join ${schema}.inbox i on i.tenant_id = $1 and i.consumer_name = m.consumer and i.event_id = m.event_id
      where i.processed_at is null
      order by i.consumer_name, i.event_id
      for update of i
    )
    update ${schema}.inbox i
    set processed_at = now(), result = 'ok', last_error = null
    from failed f
    where i.tenant_id = $1 and i.consumer_name = f.consumer_name and i.event_id = f.event_id
    returning i.consumer_name, i.event_id`,
  dealtWith: `
    select i.event_id
    from unnest($2::text[], $3::uuid[]) as m (consumer, event_id)
    join ${schema}.inbox i on i.tenant_id = $1 and i.consumer_name = m.consumer and i.event_id = m.event_id
    where i.processed_at is not null`,
  noop: `
    update ${schema}.inbox
    set result = 'noop'
    where tenant_id = $1 and consumer_name = $2 and event_id = $3`,
  floor: `
    select from ${schema}.inbox_floor
    where tenant_id = $1 and consumer_name = $2 and ordering_key = $3 and aggregate_version >= $4`,
  failure: `
    insert into ${schema}.inbox
      (tenant_id, consumer_name, event_id, topic, event_type, idempotency_key, ordering_key, aggregate_version,
       broker_message_id, result, attempts, last_error)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'error', 1, $10)
    on conflict (tenant_id, consumer_name, event_id) do update
    set attempts = inbox.attempts + 1, last_error = excluded.last_error, result = 'error'
    where inbox.processed_at is null`,
});
