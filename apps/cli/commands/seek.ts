import { look } from '@ghasi/brokers/operations/operation';
import { type SeekTarget, type Sought, seek } from '@ghasi/brokers/operations/seek';
import { findSubscription } from '@ghasi/brokers/operations/subscriptions';
import { cliErrors } from '../errors.ts';
import { type ChangeFlags, changeOf, momentOf } from './given.ts';
import { replay } from './replay.ts';
import { counted, whole } from './said.ts';
import { topicsOf } from './topics.ts';
import { withLog } from './with-log.ts';

/** Flags of `melm seek`. */
export type SeekFlags = ChangeFlags & { to: string };

/**
 * Moves a subscription to a moment, the start or the end of the log. A cursor belongs to all tenants: with `--tenant`
 * that tenant's messages are replayed beside it instead, and nobody else's are touched.
 */
export async function seekCommand(service: string, flags: SeekFlags): Promise<void> {
  const to: SeekTarget = flags.to === 'start' || flags.to === 'end' ? flags.to : momentOf('--to', flags.to);
  if (flags.tenant !== undefined) {
    if (!(to instanceof Date)) throw cliErrors.TENANT_NEEDS_MOMENT({ to });
    return replay({ ...flags, since: flags.to, to: service });
  }
  const change = changeOf(flags);
  const sought = await withLog(flags, service, async db => {
    const subscription = await look(db, tx => findSubscription(tx, service));
    const topics = await topicsOf(subscription);
    return seek(db, change, { subscription, to, ...(topics === undefined ? {} : { topics }) });
  });
  console.log(flags.json ? JSON.stringify(sought) : textOf(sought));
}

function textOf({ subscription, firstAt, again, unparked, skipped, dryRun }: Sought): string {
  const place =
    firstAt === null ? 'after the newest message' : `before the message of ${firstAt.toISOString()}`;
  const parts = [
    again.count > 0
      ? `${whole(again.count, again.isMore)} come again; the inbox passes over those it has applied`
      : '',
    unparked > 0
      ? `${counted(unparked, 'parked key')} ${unparked === 1 ? 'starts' : 'start'} afresh with them`
      : '',
    skipped.count > 0
      ? `${counted(skipped.count, 'message')}${skipped.isMore ? ' and more' : ''} it has not read ${dryRun ? 'would be' : 'were'} left out`
      : '',
  ].filter(text => text !== '');
  const line = `${subscription} ${dryRun ? 'would stand' : 'now stands'} ${place}.`;
  return [line, ...parts.map(text => `  ${text}.`), ...(dryRun ? ['Nothing was changed.'] : [])].join('\n');
}
