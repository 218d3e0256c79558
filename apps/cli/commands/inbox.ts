import { clearInbox } from '@ghasi/brokers/operations/clear-inbox';
import { type ChangeFlags, changeOf, momentOf, spanOf, tenantOf } from './given.ts';
import { progress } from './progress.ts';
import { counted, quoted } from './said.ts';
import { topicOf } from './topics.ts';
import { withLog } from './with-log.ts';

/** Flags of `melm inbox clear`. */
export type InboxClearFlags = ChangeFlags & { since: string; until?: string; topic?: string };

/** Has one consumer forget the events of a range, so that a seek or replay runs its mended handler on them again. */
export async function inboxClear(consumer: string, flags: InboxClearFlags): Promise<void> {
  const { topic, until } = flags;
  const since = momentOf('--since', flags.since);
  const chosen = { ...tenantOf(flags), ...spanOf(until === undefined ? {} : { until }), consumer, since };
  const change = changeOf(flags);
  const cleared = await withLog(flags, consumer.split('.')[0] ?? '', async db => {
    const topics = topic === undefined ? {} : { topics: [await topicOf(db, topic)] };
    return clearInbox(db, change, { ...chosen, ...topics }, progress('looked through offsets,'));
  });
  if (flags.json) return console.log(JSON.stringify(cleared));
  const { rows, dryRun } = cleared;
  const again = rows === 0 ? '' : ` Deliver them again: ${deliveredAgain(consumer, flags)}`;
  console.log(
    `${consumer} ${dryRun ? 'would forget' : 'has forgotten'} ${counted(rows, 'event')}.` +
      (dryRun ? ' Nothing was changed.' : again),
  );
}

/** The command for the same events and nobody else's; a seek knows neither an end nor a topic. */
function deliveredAgain(consumer: string, flags: InboxClearFlags): string {
  const { since, until, topic, tenant, reason, actor, dataDir } = flags;
  const service = consumer.split('.')[0] ?? '';
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  const range =
    until === undefined && topic === undefined
      ? ['seek', service, '--to', since]
      : ['replay', '--to', service, '--since', since, ...flag('--until', until), ...flag('--topic', topic)];
  const who = [...flag('--tenant', tenant), ...flag('--reason', reason), ...flag('--actor', actor)];
  return ['melm', ...range, ...who, ...flag('--data-dir', dataDir)].map(quoted).join(' ');
}
