import { migrate } from '@ghasi/db/migrate';
import { settings } from './settings.ts';
import { table } from './table.ts';
import { withDatabase } from './with-database.ts';

/** Flags of `melm migrate`. */
export type MigrateFlags = { dataDir?: string; json?: boolean };

/** Applies what is not yet applied and lists it. */
export async function migrateCommand(flags: MigrateFlags): Promise<void> {
  const applied = await withDatabase(settings(flags), ({ adminUrl, sets, secret }) =>
    migrate(adminUrl, sets, { secret }),
  );
  const rows = applied.map(({ schema, version }) => ({ schema, version }));
  if (flags.json) console.log(JSON.stringify({ applied: rows }));
  else console.log(rows.length === 0 ? 'The database is up to date.' : table(rows));
}
