import { type Database, openDatabase } from '@ghasi/db/database';
import { sqlState } from '@ghasi/db/pg-errors';
import { roleUrl } from '@ghasi/db/roles';
import { assertDatabaseMade, joinPlatformDatabase } from '@melmastoon/server/database';
import { cliErrors } from '../errors.ts';
import { settings } from './settings.ts';
import { type Platform, withPlatform } from './with-platform.ts';

/** Signs in as `relay`, the role that sees every tenant's messages, beside a running platform or without one. */
export function withRelay<T>(flags: { dataDir?: string }, work: (db: Database) => Promise<T>): Promise<T> {
  return withRelayAndWorker(flags, ({ relay }) => work(relay));
}

/** The same, and as `jobs_worker`, the role that sees every tenant's jobs. */
export async function withRelayAndWorker<T>(
  flags: { dataDir?: string },
  work: (dbs: RelayAndWorker) => Promise<T>,
): Promise<T> {
  const env = settings(flags);
  await assertDatabaseMade(env);
  return withPlatform(joinPlatformDatabase, env, platform =>
    asRelayAndWorker(platform, async dbs => {
      await assertMigrated(dbs.relay);
      return work(dbs);
    }),
  );
}

/** Two of the roles that work across tenants. */
export type RelayAndWorker = { relay: Database; worker: Database };

/** Signs in as both on a database that is open. */
export async function asRelayAndWorker<T>(
  { adminUrl, secret }: Platform,
  work: (dbs: RelayAndWorker) => Promise<T>,
): Promise<T> {
  const open = (role: string) =>
    openDatabase({ url: roleUrl(adminUrl, role, secret), service: 'melm', max: 2 });
  const [relay, worker] = [open('relay'), open('jobs_worker')]; // a pool that nobody uses connects to nothing
  try {
    return await work({ relay, worker });
  } finally {
    await Promise.all([relay.close(), worker.close()]);
  }
}

/** Before the first migration there is no role to sign in as, and no table to look at. */
async function assertMigrated(db: Database): Promise<void> {
  const refused = new Set(['28P01', '28000', '42501', '3F000']);
  try {
    const { rows } = await db.pool.query(`select to_regclass('brokers.cursor') is not null as there`);
    if (rows[0]?.there === true) return;
  } catch (error) {
    if (!refused.has(sqlState(error) ?? '')) throw error;
  }
  throw cliErrors.NOT_MIGRATED();
}
