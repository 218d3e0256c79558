import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { countFor, endOfLog, type RoughCount } from './log-range.ts';
import { look } from './operation.ts';

/** A process that consumes for a subscription; without a fresh heartbeat it is as good as gone. */
export type Owner = {
  readonly id: string;
  readonly shards: number;
  readonly heartbeatSeconds: number | null;
};

/** How a subscription is doing. */
export type SubscriptionStatus = {
  readonly subscription: string;
  readonly owners: readonly Owner[];
  /** What carries its messages. */
  readonly broker: string;
  /** Messages that were published and not yet read; null where they are not in the log: then its broker knows. */
  readonly lag: Pick<RoughCount, 'count' | 'isMore'> | null;
  /** Age of the oldest of them; 0 when there is none, null as `lag`. */
  readonly lagSeconds: number | null;
  /** Keys whose first message fails and is being tried again. */
  readonly retrying: number;
  /** Keys whose first message is a dead letter. */
  readonly dead: number;
  /** Messages that wait behind either. */
  readonly waiting: number;
  /** How often it was moved by hand. */
  readonly seeks: number;
};

/** What to count: one tenant's messages, and for each subscription the topics it listens to, where they are known. */
export type StatusOptions = {
  readonly tenantId?: string;
  readonly topicsOf?: (subscription: string) => Promise<readonly string[] | undefined>;
};

/** Every subscription with who serves it, how far behind it is and what waits for a decision. */
export async function subscriptionStatus(
  db: Database,
  options: StatusOptions = {},
): Promise<SubscriptionStatus[]> {
  const names = await look(db, subscriptionNames);
  // One transaction each: one that is far behind must not use up the time of the others.
  const found: SubscriptionStatus[] = [];
  for (const name of names) found.push(await look(db, tx => statusOf(tx, name, options)));
  return found;
}

/** The subscription somebody meant: its name, or its name without `-service`. */
export async function findSubscription(tx: Tx, name: string): Promise<string> {
  const known = await subscriptionNames(tx);
  const found = known.find(one => one === name || one === `${name}-service`);
  if (found === undefined)
    throw brokerErrors.UNKNOWN_SUBSCRIPTION({ name, known: known.length > 0 ? known : 'none yet' });
  return found;
}

/** Refuses what works on the log for a subscription that reads from elsewhere: it would seem to work and do nothing. */
export async function assertReadsLog(tx: Tx, subscription: string): Promise<void> {
  const broker = await brokerOf(tx, subscription);
  if (broker !== 'postgres') throw brokerErrors.NOT_IN_LOG({ subscription, broker });
}

async function brokerOf(tx: Tx, subscription: string): Promise<string> {
  const found = await row<{ broker: string }>(
    tx,
    sql`select broker from brokers.cursor where subscription = ${subscription} and shard = 0`,
  );
  return found?.broker ?? 'postgres';
}

async function subscriptionNames(tx: Tx): Promise<string[]> {
  const found = await rows<{ subscription: string }>(
    tx,
    sql`select subscription from brokers.cursor where shard = 0 order by subscription`,
  );
  return found.map(({ subscription }) => subscription);
}

/** How one subscription is doing. */
export async function statusOf(
  tx: Tx,
  subscription: string,
  { tenantId, topicsOf }: StatusOptions,
): Promise<SubscriptionStatus> {
  const ofTenant = tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`;
  const owners = await rows<Owner>(
    tx,
    sql`select c.owner as id, count(*)::int as shards,
               extract(epoch from clock_timestamp() - m.heartbeat_at)::float8 as "heartbeatSeconds"
        from brokers.cursor c
        left join brokers.member m on m.id = c.owner
        where c.subscription = ${subscription} and c.owner is not null
        group by c.owner, m.heartbeat_at
        order by c.owner`,
  );
  const parked = await row<{ retrying: number; dead: number; messages: number }>(
    tx,
    sql`select count(*) filter (where state = 'retrying')::int as retrying,
               count(*) filter (where state = 'dead')::int as dead,
               (select count(*)::int
                from brokers.parked_message
                where subscription = ${subscription} ${ofTenant}) as messages
        from brokers.parked_key
        where subscription = ${subscription} ${ofTenant}`,
  );
  const { retrying = 0, dead = 0, messages = 0 } = parked ?? {};
  const seeks = await row<{ n: number }>(
    tx,
    sql`select max(generation) as n from brokers.cursor where subscription = ${subscription}`,
  );
  const broker = await brokerOf(tx, subscription);
  return {
    subscription,
    broker,
    owners,
    ...(broker === 'postgres'
      ? await unread(tx, subscription, { tenantId, topics: await topicsOf?.(subscription) })
      : { lag: null, lagSeconds: null }),
    retrying,
    dead,
    waiting: Math.max(0, messages - retrying - dead),
    seeks: seeks?.n ?? 0,
  };
}

async function unread(
  tx: Tx,
  subscription: string,
  chosen: { tenantId: string | undefined; topics: readonly string[] | undefined },
): Promise<{ lag: Pick<RoughCount, 'count' | 'isMore'>; lagSeconds: number }> {
  const cursor = await row<{ off: number; day: string }>(
    tx,
    sql`select min(off)::float8 as off, min(day) as day
        from brokers.cursor
        where subscription = ${subscription}`,
  );
  const end = await endOfLog(tx);
  const { off = end.off, day = end.day } = cursor ?? {};
  const { count, isMore, oldest } = await countFor(tx, subscription, {
    ...chosen,
    from: { off, day },
    to: end.off,
    side: 'ahead',
  });
  const now = await row<{ now: Date }>(tx, sql`select clock_timestamp() as now`);
  const lagSeconds = oldest === null ? 0 : Math.max(0, ((now?.now.getTime() ?? 0) - oldest.getTime()) / 1000);
  return { lag: { count, isMore }, lagSeconds };
}
