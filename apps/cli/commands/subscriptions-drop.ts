import { type Dropped, dropSubscription } from '@ghasi/brokers/operations/drop-subscription';
import { type ChangeFlags, changeOf } from './given.ts';
import { counted, whole } from './said.ts';
import { topicsOf } from './topics.ts';
import { withRelay } from './with-relay.ts';

/** Flags of `melm subscriptions drop`. */
export type SubscriptionDropFlags = Omit<ChangeFlags, 'tenant'> & { withLetters?: boolean };

/** Removes the subscription of a service that was renamed or listens no more. */
export async function subscriptionsDrop(service: string, flags: SubscriptionDropFlags): Promise<void> {
  const change = changeOf(flags);
  const wanted = { subscription: service, withLetters: flags.withLetters === true, topicsOf };
  const dropped = await withRelay(flags, db => dropSubscription(db, change, wanted));
  if (flags.json) console.log(JSON.stringify(dropped));
  else console.log(textOf(dropped, (await topicsOf(dropped.subscription))?.length ?? 0));
}

function textOf({ subscription, broker, lag, kept, dryRun }: Dropped, heard: number): string {
  const parts = [
    lag === null || lag.count > 0
      ? `${lag === null ? 'What' : `${whole(lag.count, lag.isMore)} that`} it has not read it will never get`
      : '',
    kept > 0
      ? `${counted(kept, 'parked message')} ${dryRun ? 'would be' : kept === 1 ? 'is' : 'are'} kept as skipped (melm dlq list --settled)`
      : '',
    heard > 0
      ? 'This release has the service: its next start makes the subscription again, from then on'
      : '',
    broker === 'redis-streams'
      ? `Redis keeps its group until you remove it: ${destroyGroup(subscription)}`
      : '',
  ].filter(text => text !== '');
  const line = `${subscription} ${dryRun ? 'would be' : 'was'} removed.`;
  return [line, ...parts.map(text => `  ${text}.`), ...(dryRun ? ['Nothing was changed.'] : [])].join('\n');
}

/** Until then entries that only this group has not read stay in the streams, up to 7 days. */
function destroyGroup(subscription: string): string {
  return `for n in $(seq 0 15); do redis-cli -u "$REDIS_URL" XGROUP DESTROY melm:broker:shard:$n ${subscription}; done`;
}
