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
  /** Messages that were published and not yet read. */
  readonly lag: Pick<RoughCount, 'count' | 'isMore'>;
  /** Age of the oldest of them; 0 when there is none. */
  readonly lagSeconds: number;
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
    throw brokerErrors.UNKNOWN_SUBSCRIPTION({ name, known: known.join(', ') || 'none yet' });
  return found;
}

async function subscriptionNames(tx: Tx): Promise<string[]> {
  const found = await rows<{ subscription: string }>(
    tx,
    sql`select subscription from brokers.cursor where shard = 0 order by subscription`,
  );
  return found.map(({ subscription }) => subscription);
}

async function statusOf(
  tx: Tx,
  subscription: string,
  { tenantId, topicsOf }: StatusOptions,
): Promise<SubscriptionStatus> {
  const topics = await topicsOf?.(subscription);
  const ofTenant = tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`;
  const cursor = await row<{ off: number; day: string; seeks: number }>(
    tx,
    sql`select min(off)::float8 as off, min(day) as day, max(generation) as seeks
        from brokers.cursor
        where subscription = ${subscription}`,
  );
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
  const end = await endOfLog(tx);
  const { off = end.off, day = end.day, seeks = 0 } = cursor ?? {};
  const range = { from: { off, day }, to: end.off, topics, tenantId };
  const lag = await countFor(tx, subscription, { ...range, side: 'ahead' });
  const now = await row<{ now: Date }>(tx, sql`select clock_timestamp() as now`);
  return {
    subscription,
    owners,
    lag: { count: lag.count, isMore: lag.isMore },
    lagSeconds:
      lag.oldest === null ? 0 : Math.max(0, ((now?.now.getTime() ?? 0) - lag.oldest.getTime()) / 1000),
    retrying,
    dead,
    waiting: Math.max(0, messages - retrying - dead),
    seeks,
  };
}
