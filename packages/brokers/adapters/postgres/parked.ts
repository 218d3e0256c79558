import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { type Ctx, systemTransaction } from '@ghasi/db/tenant-transaction';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { backoffMs, type Message, namedBackoffMs, type RetryPolicy } from '../../broker.ts';

/** A message as the parked tables keep it. */
export type ParkedMessage = Message & { readonly off: number; readonly shard: number };

/** Which key of which subscription, and the fencing number of whoever says so. */
export type ParkedKey = {
  readonly subscription: string;
  readonly parkKey: string;
  readonly tenantId: string;
  readonly shard: number;
  readonly epoch: number;
};

/** A failed attempt: how many there were, what went wrong, and whether to give up. */
export type Failure = {
  readonly attempts: number;
  readonly error: string;
  readonly afterMs?: number;
  readonly giveUp: boolean;
  /** It holds nobody back. */
  readonly stray?: boolean;
};

const broker = { actor: { type: 'system', id: 'postgres-broker' } } as const;

/** The shard changed hands: nothing was written. */
export class Fenced extends Error {}

/**
 * Parks a key with the message that failed, or counts another failure of a parked one. When it gives up, the message
 * is appended to its `.dlq` topic in the same transaction (DLQ-09), and the key stays until somebody decides.
 */
export async function parkFailure(
  db: Database,
  key: ParkedKey,
  message: ParkedMessage,
  failure: Failure & { retry: RetryPolicy },
): Promise<'retrying' | 'dead'> {
  const { attempts, error, giveUp, retry } = failure;
  const dead = giveUp || attempts >= retry.maxAttempts;
  const { afterMs } = failure;
  const waitMs =
    afterMs === undefined ? backoffMs(attempts, retry) : namedBackoffMs(attempts, afterMs, retry);
  const state = dead ? 'dead' : 'retrying';
  await failpoint('broker.before-park');
  await systemTransaction(db, broker, async ctx => {
    const { tx } = ctx;
    await assertHeld(tx, key);
    await execute(
      tx,
      sql`insert into brokers.parked_key
            (subscription, park_key, tenant_id, shard, state, attempts, retry_at, last_error, dead_at)
          values (${key.subscription}, ${key.parkKey}, ${key.tenantId}, ${key.shard}, ${state}, ${attempts},
                  clock_timestamp() + ${waitMs} * interval '1 millisecond', ${error},
                  case when ${dead} then clock_timestamp() end)
          on conflict (tenant_id, subscription, park_key) do update
          set state = excluded.state, attempts = excluded.attempts, retry_at = excluded.retry_at,
              last_error = excluded.last_error, dead_at = excluded.dead_at`,
    );
    await keep(tx, key, [message]);
    if (dead) appendDeadLetter(ctx, key, message, { attempts, error });
  });
  await failpoint('broker.after-park');
  return state;
}

/** Keeps messages that wait behind the failed one of their key; they gain no attempts. False if the key is not parked. */
export async function parkBehind(
  db: Database,
  key: ParkedKey,
  messages: readonly ParkedMessage[],
): Promise<boolean> {
  return systemTransaction(db, broker, async ({ tx }) => {
    await assertHeld(tx, key);
    const parked = await rows(
      tx,
      sql`select from brokers.parked_key
          where tenant_id = ${key.tenantId} and subscription = ${key.subscription} and park_key = ${key.parkKey}
          for share`,
    );
    if (parked.length === 1) await keep(tx, key, messages);
    return parked.length === 1;
  });
}

/** The oldest message of a parked key with its failed attempts so far. */
export async function headOf(
  db: Database,
  key: ParkedKey,
): Promise<{ message: ParkedMessage; attempts: number; state: 'retrying' | 'dead' } | undefined> {
  return systemTransaction(db, broker, async ({ tx }) => {
    const found = await row<RawParked & { attempts: number; state: 'retrying' | 'dead' }>(
      tx,
      sql`select m.off::float8 as off, m.shard, m.topic, m.ordering_key, m.event_id, m.tenant_id,
                 m.envelope::text as envelope, m.attributes, m.published_at, k.attempts, k.state
          from brokers.parked_key k
          join brokers.parked_message m
            on m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key
          where k.tenant_id = ${key.tenantId} and k.subscription = ${key.subscription} and k.park_key = ${key.parkKey}
          order by m.off
          limit 1`,
    );
    return (
      found && {
        message: parkedMessage(found),
        attempts: found.attempts,
        state: found.state,
      }
    );
  });
}

/** Takes the applied head out; the next one starts with no failures. True when the key is free again. */
export async function unparkHead(db: Database, key: ParkedKey, off: number | undefined): Promise<boolean> {
  return systemTransaction(db, broker, async ({ tx }) => {
    await assertHeld(tx, key);
    if (off !== undefined)
      await execute(
        tx,
        sql`delete from brokers.parked_message
            where tenant_id = ${key.tenantId} and subscription = ${key.subscription}
              and park_key = ${key.parkKey} and off = ${off}`,
      );
    const freed = await execute(
      tx,
      sql`delete from brokers.parked_key k
          where k.tenant_id = ${key.tenantId} and k.subscription = ${key.subscription}
            and k.park_key = ${key.parkKey}
            and not exists (
              select from brokers.parked_message m
              where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key)`,
    );
    if (freed === 1) return true;
    const stillParked = await execute(
      tx,
      sql`update brokers.parked_key
          set attempts = 0, state = 'retrying', retry_at = clock_timestamp()
          where tenant_id = ${key.tenantId} and subscription = ${key.subscription} and park_key = ${key.parkKey}`,
    );
    return stillParked === 0; // none: it was freed between the look at what is due and this retry
  });
}

/** The parked keys of some shards. */
export async function parkedKeys(
  db: Database,
  subscription: string,
  shards: readonly number[],
): Promise<{ parkKey: string; tenantId: string; shard: number }[]> {
  const { rows: found } = await db.pool.query(
    `select park_key as "parkKey", tenant_id as "tenantId", shard
     from brokers.parked_key
     where subscription = $1 and shard = any($2)`,
    [subscription, shards],
  );
  return found;
}

/**
 * Keys of these shards whose next attempt is due, and how long until the next ones; the database's clock decides. Some of
 * each subscription, and none of the tenants that are `paused` in it: those whose keys cannot be tried now must not hide
 * those of the others (DLQ-02, ORD-04).
 */
export async function dueKeys(
  db: Database,
  held: readonly { readonly subscription: string; readonly shard: number }[],
  paused: readonly { readonly subscription: string; readonly tenantId: string }[] = [],
): Promise<{ subscription: string; parkKey: string; tenantId: string; shard: number; dueInMs: number }[]> {
  const { rows: found } = await db.pool.query(
    `select h.subscription, k.park_key as "parkKey", k.tenant_id as "tenantId", k.shard,
            greatest(0, extract(epoch from k.retry_at - clock_timestamp()) * 1000)::float8 as "dueInMs"
     from (
       select subscription, array_agg(shard) as shards,
              array(select tenant_id
                    from unnest($3::text[], $4::uuid[]) as w (paused_in, tenant_id)
                    where paused_in = subscription) as paused
       from unnest($1::text[], $2::smallint[]) as g (subscription, shard)
       group by subscription
     ) h
     cross join lateral (
       select p.park_key, p.tenant_id, p.shard, p.retry_at
       from brokers.parked_key p
       where p.subscription = h.subscription and p.shard = any(h.shards) and p.state = 'retrying'
         and p.tenant_id <> all(h.paused)
       order by p.retry_at
       limit 200
     ) k
     order by k.retry_at`,
    [
      held.map(({ subscription }) => subscription),
      held.map(({ shard }) => shard),
      paused.map(({ subscription }) => subscription),
      paused.map(({ tenantId }) => tenantId),
    ],
  );
  return found;
}

async function assertHeld(tx: Tx, key: ParkedKey): Promise<void> {
  const held = await rows(
    tx,
    sql`select from brokers.fence
        where subscription = ${key.subscription} and shard = ${key.shard} and epoch = ${key.epoch}
        for share`,
  );
  if (held.length === 0) throw new Fenced(`${key.subscription} lost shard ${key.shard}`);
}

async function keep(tx: Tx, key: ParkedKey, messages: readonly ParkedMessage[]): Promise<void> {
  const each = <T>(of: (message: ParkedMessage) => T) => sql.param(messages.map(of));
  await execute(
    tx,
    sql`insert into brokers.parked_message
          (subscription, park_key, tenant_id, shard, off, topic, ordering_key, event_id, envelope, attributes, published_at)
        select ${key.subscription}, ${key.parkKey}, ${key.tenantId}, ${key.shard}::smallint, m.off, m.topic,
               m.ordering_key, m.event_id, m.envelope::json, m.attributes::json, m.published_at
        from unnest(${each(({ off }) => off)}::bigint[], ${each(({ topic }) => topic)}::text[],
                    ${each(({ orderingKey }) => orderingKey)}::text[], ${each(({ eventId }) => eventId)}::uuid[],
                    ${each(({ envelope }) => envelope)}::text[],
                    ${each(({ attributes }) => JSON.stringify(attributes))}::text[],
                    ${each(({ publishedAt }) => publishedAt.toISOString())}::timestamptz[])
          as m (off, topic, ordering_key, event_id, envelope, attributes, published_at)
        on conflict do nothing`,
  );
}

/** The record on the `.dlq` topic; says which subscription gave up and why (X-068, X-070). It leaves with COMMIT. */
function appendDeadLetter(
  { tx, write }: Ctx,
  key: ParkedKey,
  message: ParkedMessage,
  failure: { attempts: number; error: string },
): void {
  const { replayTarget: _, ...own } = message.attributes; // it was for one subscription; its end is for whoever listens
  const attributes = {
    ...own,
    subscription: key.subscription,
    lastError: failure.error,
    googclient_deliveryattempt: String(failure.attempts),
  };
  write(execute(tx, sql`select pg_advisory_xact_lock(brokers.append_lock())`));
  write(
    execute(
      tx,
      sql`insert into brokers.log
            (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
          values (brokers.log_today(), nextval('brokers.log_off'), ${message.shard}, ${`${message.topic}.dlq`},
                  ${message.orderingKey}, ${message.eventId}, ${message.tenantId}, ${message.envelope},
                  ${JSON.stringify(attributes)}, 'brokers', clock_timestamp())`,
    ),
  );
}

type RawParked = {
  off: number;
  shard: number;
  topic: string;
  ordering_key: string;
  event_id: string;
  tenant_id: string;
  envelope: string;
  attributes: Record<string, string>;
  published_at: Date;
};

function parkedMessage(raw: RawParked): ParkedMessage {
  return {
    id: String(raw.off),
    off: raw.off,
    shard: raw.shard,
    topic: raw.topic,
    orderingKey: raw.ordering_key,
    eventId: raw.event_id,
    tenantId: raw.tenant_id,
    envelope: raw.envelope,
    attributes: raw.attributes,
    enqueuedAt: raw.published_at,
    publishedAt: raw.published_at,
  };
}
