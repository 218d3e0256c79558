import { operate, record } from '@ghasi/brokers/operations/operation';
import { minutes } from '@ghasi/domain-primitives/duration';
import { upgrade } from '@melmastoon/server/upgrade';
import { changeOf } from './given.ts';
import { settings } from './settings.ts';
import { type Found, lookAtStored, reportStored } from './stored.ts';
import { table } from './table.ts';
import { describedServices, withDatabase } from './with-database.ts';
import { asRelayAndWorker, type RelayAndWorker } from './with-relay.ts';

/** Flags of `melm migrate`. */
export type MigrateFlags = { dataDir?: string; json?: boolean; unreadAnyway?: string; actor?: string };

const LOOK_MS = minutes(2); // half a million events: 4,000 a second on two busy cores (measured)

/** Applies what is not yet applied and lists it; exits with 1 when this release could not read what is stored (REG-08, X-079). */
export async function migrateCommand(flags: MigrateFlags): Promise<void> {
  const env = settings(flags);
  const { applied, found } = await withDatabase(env, async ({ adminUrl, secret }) => ({
    applied: await upgrade(adminUrl, describedServices(), { secret, newSecret: true, env }),
    found: await asRelayAndWorker({ adminUrl, secret }, dbs => look(dbs, flags)),
  }));
  const rows = applied.map(({ schema, version }) => ({ schema, version }));
  const readable = found.problems.length === 0;
  if (flags.json) console.log(JSON.stringify({ applied: rows, readable, ...found }));
  else {
    console.log(rows.length === 0 ? 'The database is up to date.' : table(rows));
    console.log(reportStored(found));
  }
  if (readable || flags.unreadAnyway !== undefined) return;
  if (!flags.json)
    console.log(
      'Do not start this release; or accept these as dead letters with --unread-anyway "<reason>".',
    );
  process.exitCode = 1;
}

async function look({ relay, worker }: RelayAndWorker, flags: MigrateFlags): Promise<Found> {
  const { unreadAnyway: reason, actor } = flags;
  const change =
    reason === undefined ? undefined : changeOf({ reason, ...(actor === undefined ? {} : { actor }) });
  const found = await lookAtStored({ relay, worker }, { mostMs: LOOK_MS });
  const unread = found.problems.length;
  if (change !== undefined && unread > 0)
    await operate(relay, change, tx =>
      record(tx, change, { action: 'release.unread', detail: { unread }, wake: undefined }),
    );
  return found;
}
