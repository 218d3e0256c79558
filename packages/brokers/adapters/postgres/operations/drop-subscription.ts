import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { type Change, operate, record } from './operation.ts';
import { findSubscription, type SubscriptionStatus, statusOf } from './subscriptions.ts';

/** Which subscription goes, and whether its dead letters go with it. */
export type DropSubscription = {
  readonly subscription: string;
  readonly withLetters?: boolean;
  readonly topicsOf?: (subscription: string) => Promise<readonly string[] | undefined>;
};

/** What was removed. */
export type Dropped = Pick<SubscriptionStatus, 'subscription' | 'broker' | 'lag' | 'dead'> & {
  /** Parked messages, dead letters among them, that are kept as skipped ones. */
  readonly kept: number;
  readonly dryRun: boolean;
};

/** Without a heartbeat this long a process has lost its shards. */
const LEASE_SECONDS = 10;

/**
 * Removes a subscription for good, of a service that was renamed or listens no more: nothing waits for it any longer, and
 * days of the log that only it had not read can go (DLQ-03, OUTBOX-34). Its parked messages are kept as skipped.
 */
export function dropSubscription(db: Database, change: Change, wanted: DropSubscription): Promise<Dropped> {
  return operate(db, change, async tx => {
    const subscription = await findSubscription(tx, wanted.subscription);
    // From here on nobody takes a shard; in the order of the shards, as everybody who takes several.
    if (change.dryRun !== true)
      await rows(
        tx,
        sql`select from brokers.cursor where subscription = ${subscription} order by shard for update`,
      );
    await assertNobodyServes(tx, subscription);
    const { broker, lag, dead, retrying, waiting } = await statusOf(tx, subscription, wanted);
    if (dead > 0 && wanted.withLetters !== true)
      throw brokerErrors.LETTERS_WAIT({ subscription, count: dead });
    const kept = dead + retrying + waiting;
    const dropped: Dropped = { subscription, broker, lag, dead, kept, dryRun: change.dryRun ?? false };
    if (dropped.dryRun) return dropped;
    await keepParked(tx, change, subscription);
    // The fence stays, one number higher: whoever held a shard is refused, also when the subscription is made again.
    await execute(tx, sql`update brokers.cursor set epoch = epoch + 1 where subscription = ${subscription}`);
    await execute(tx, sql`delete from brokers.cursor where subscription = ${subscription}`);
    const detail = { subscription, broker, lag, dead, kept };
    await record(tx, change, { action: 'subscription.drop', detail, wake: undefined });
    return dropped;
  });
}

async function assertNobodyServes(tx: Tx, subscription: string): Promise<void> {
  const member = await row<{ id: string; seconds: number }>(
    tx,
    sql`select m.id, floor(extract(epoch from clock_timestamp() - m.heartbeat_at))::float8 as seconds
        from brokers.member m
        where m.heartbeat_at > clock_timestamp() - ${LEASE_SECONDS} * interval '1 second'
          and (${subscription} = any(m.subscriptions)
               or exists (select from brokers.cursor c where c.subscription = ${subscription} and c.owner = m.id))
        order by m.heartbeat_at desc
        limit 1`,
  );
  if (member !== undefined)
    throw brokerErrors.SUBSCRIPTION_SERVED({ subscription, member: member.id, seconds: member.seconds });
}

/** A copy of every parked message, with the error of its key, where `melm dlq list --settled` shows it (DLQ-16). */
async function keepParked(tx: Tx, change: Change, subscription: string): Promise<void> {
  await execute(
    tx,
    sql`with taken as (
          delete from brokers.parked_message m
          where m.subscription = ${subscription}
          returning m.*
        )
        insert into brokers.settled_letter
          (subscription, park_key, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes,
           published_at, last_error, attempts, settled_by, how, reason)
        select t.subscription, t.park_key, t.off, t.shard, t.topic, t.ordering_key, t.event_id, t.tenant_id, t.envelope,
               t.attributes, t.published_at, coalesce(k.last_error, ''), coalesce(k.attempts, 0), ${change.actor},
               'skipped', ${change.reason}
        from taken t
        left join brokers.parked_key k
          on k.tenant_id = t.tenant_id and k.subscription = t.subscription and k.park_key = t.park_key`,
  );
  await execute(tx, sql`delete from brokers.parked_key where subscription = ${subscription}`);
}
