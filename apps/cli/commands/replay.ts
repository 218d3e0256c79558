import { look } from '@ghasi/brokers/operations/operation';
import { type ReplayRange, replayRange } from '@ghasi/brokers/operations/replay-range';
import { findSubscription } from '@ghasi/brokers/operations/subscriptions';
import type { Database } from '@ghasi/db/database';
import { cliErrors } from '../errors.ts';
import { type ChangeFlags, changeOf, momentOf, spanOf, tenantOf } from './given.ts';
import { progress } from './progress.ts';
import { counted } from './said.ts';
import { topicOf, topicsOf } from './topics.ts';
import { withLog } from './with-log.ts';

/** Flags of `melm replay`. */
export type ReplayFlags = ChangeFlags & {
  to: string;
  since: string;
  until?: string;
  topic?: string;
  rebuildable?: boolean;
  /** The ledger's name for what is always so; together with `--rebuildable` it wins. */
  idempotencySafe?: boolean;
};

/** Publishes a range of events once more, for one service only. */
export async function replay(flags: ReplayFlags): Promise<void> {
  const since = momentOf('--since', flags.since);
  const span = spanOf({ ...(flags.until === undefined ? {} : { until: flags.until }) });
  const tenant = tenantOf(flags);
  const change = changeOf(flags);
  const replayed = await withLog(flags, flags.to, async db => {
    const subscription = await look(db, tx => findSubscription(tx, flags.to));
    const range: ReplayRange = {
      ...tenant,
      ...span,
      ...(await topicsFor(db, subscription, flags.topic)),
      subscription,
      since,
      rebuildable: flags.rebuildable === true && flags.idempotencySafe !== true,
    };
    return replayRange(db, change, range, progress('replayed'));
  });
  if (flags.json) return console.log(JSON.stringify(replayed));
  const { events, subscription, dryRun } = replayed;
  const what = dryRun ? 'would be replayed to' : 'replayed to';
  const after = dryRun
    ? 'Nothing was changed.'
    : 'Its inbox passes over those it has applied; melm subscriptions shows when it is done.';
  console.log(
    `${counted(events, 'event')} ${what} ${subscription}. ${events === 0 && !dryRun ? '' : after}`.trim(),
  );
}

/** The topic that was named, or everything the service listens to. */
async function topicsFor(
  db: Database,
  subscription: string,
  named: string | undefined,
): Promise<{ topics?: readonly string[] }> {
  const heard = await topicsOf(subscription);
  if (named === undefined) return heard === undefined ? {} : { topics: heard };
  const topic = await topicOf(db, named);
  if (heard !== undefined && !heard.includes(topic))
    throw cliErrors.NOT_LISTENING({ service: subscription, topic, topics: heard.join(', ') || 'nothing' });
  return { topics: [topic] };
}
