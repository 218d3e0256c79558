import { republishRange } from '@ghasi/backbone/republish-range';
import { type ChangeFlags, changeOf, momentOf, tenantOf } from './given.ts';
import { progress } from './progress.ts';
import { counted } from './said.ts';
import { withRelay } from './with-relay.ts';

/** Flags of `melm republish`. */
export type RepublishFlags = ChangeFlags & { since: string };

/** Publishes once more what was published since a moment, for every service: where the broker cannot go back in time. */
export async function republish(flags: RepublishFlags): Promise<void> {
  const wanted = { ...tenantOf(flags), since: momentOf('--since', flags.since) };
  const change = changeOf(flags);
  const done = await withRelay(flags, db => republishRange(db, change, wanted, progress('put back')));
  if (flags.json) return console.log(JSON.stringify(done));
  const { events, dryRun } = done;
  const after = dryRun
    ? ' Nothing was changed.'
    : ' Inboxes pass over those they have applied; melm outbox shows what still waits.';
  console.log(`${counted(events, 'event')} ${dryRun ? 'would be' : 'will be'} published once more.${after}`);
}
