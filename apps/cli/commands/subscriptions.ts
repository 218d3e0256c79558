import { type SubscriptionStatus, subscriptionStatus } from '@ghasi/brokers/operations/subscriptions';
import { type LookFlags, tenantOf } from './given.ts';
import { age, whole } from './said.ts';
import { settings } from './settings.ts';
import { table } from './table.ts';
import { topicsOf } from './topics.ts';
import { withRelay } from './with-relay.ts';

/** A process that has not been heard of this long has lost its shards to others. */
const LEASE_SECONDS = 10;

/** Lists every subscription: who serves it, how far behind it is, what waits for a decision. */
export async function subscriptions(flags: LookFlags): Promise<void> {
  const { BROKER: broker } = settings(flags);
  const status = await withRelay(flags, db => subscriptionStatus(db, { ...tenantOf(flags), topicsOf }));
  // The environment may know sooner than the database that messages go another way.
  const found =
    broker === 'postgres' ? status : status.map(one => ({ ...one, broker, lag: null, lagSeconds: null }));
  if (flags.json) console.log(JSON.stringify(found));
  else console.log(found.length === 0 ? 'No service consumes yet.' : table(found, rowOf));
}

function rowOf({ subscription, owners, lag, lagSeconds, retrying, dead, waiting }: SubscriptionStatus) {
  const alive = owners.filter(({ heartbeatSeconds }) => (heartbeatSeconds ?? LEASE_SECONDS) < LEASE_SECONDS);
  return {
    subscription,
    processes: alive.length === 0 ? 'none' : alive.length,
    'not read': lag === null ? 'unknown' : whole(lag.count, lag.isMore),
    oldest: lagSeconds === null ? 'unknown' : lagSeconds === 0 ? '-' : age(lagSeconds),
    'keys retrying': retrying,
    'keys dead': dead,
    'waiting behind': waiting,
  };
}
