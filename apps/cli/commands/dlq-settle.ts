import { replayDeadLetters, type Settled, settleDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import { cliErrors } from '../errors.ts';
import { type LetterFlags, letterFilter, letterTable } from './dlq.ts';
import { type ChangeFlags, changeOf } from './given.ts';
import { progress } from './progress.ts';
import { counted } from './said.ts';
import { withRelay } from './with-relay.ts';

/** What can be decided about a dead letter. */
export type Decision = 'replay' | 'skip' | 'quarantine';

/** Flags of `melm dlq replay`, `skip` and `quarantine`. */
export type SettleFlags = LetterFlags & ChangeFlags & { all?: boolean };

const said = {
  replay: ['will be tried again now', 'would be tried again', 'replayed'],
  skip: ['skipped; a copy is kept (melm dlq list --settled)', 'would be skipped', 'skipped'],
  quarantine: [
    'quarantined; a copy is kept (melm dlq list --settled)',
    'would be quarantined',
    'quarantined',
  ],
} as const;

/** Decides about the dead letters with these ids, or with `--all` about every one that matches the filters. */
export async function dlqSettle(
  decision: Decision,
  ids: readonly string[],
  flags: SettleFlags,
): Promise<void> {
  if ((ids.length === 0) === (flags.all !== true)) throw cliErrors.NOTHING_CHOSEN({ list: 'dlq list' });
  const change = changeOf(flags);
  const [done, would, verb] = said[decision];
  const settled = await withRelay(flags, async db => {
    const filter = await letterFilter(db, ids, flags);
    const onProgress = progress(verb);
    if (decision === 'replay') return replayDeadLetters(db, change, filter, onProgress);
    return settleDeadLetters(db, change, {
      how: decision === 'skip' ? 'skipped' : 'quarantined',
      filter,
      onProgress,
    });
  });
  if (flags.json) console.log(JSON.stringify({ decision, ...settled }));
  else console.log(textOf(settled, settled.dryRun ? would : done));
}

function textOf({ letters, dryRun }: Settled, what: string): string {
  if (letters.length === 0) return 'No dead letter matches; nothing was done.';
  const waiting = letters.reduce((sum, letter) => sum + letter.waiting, 0);
  const behind = waiting === 0 ? '' : `, and ${counted(waiting, 'message')} behind`;
  const line = `${counted(letters.length, 'dead letter')} ${what}${behind}.`;
  return dryRun ? `${letterTable(letters).split('\n\n')[0]}\n\n${line} Nothing was changed.` : line;
}
