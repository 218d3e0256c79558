import { randomBytes } from 'node:crypto';
import { type Database, type Outbox, openClient, openDatabase } from '@ghasi/db/database';
import { type MigrationSet, migrate } from '@ghasi/db/migrate';
import { restrictDatabase } from '@ghasi/db/provision';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import { inject } from 'vitest';
import { inDatabase } from './cluster.ts';

type OpenOptions = { max?: number; outbox?: Outbox };

/** A database of a test file's own: every service's schema, migrated, and no rows. */
export type TestDatabase = {
  adminUrl: string;
  secret: string;
  /** The address of one role, e.g. `svc_iam`. */
  roleUrl(role: string): string;
  /** Signs in as the service that owns `schema`. What it publishes needs an outbox: `testOutbox(service)`. */
  open(schema: string, options?: OpenOptions): Database;
  openAs(role: string, options?: OpenOptions): Database;
  /** Runs one statement as the administrator, past row-level security. */
  admin<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Closes what was opened and drops the database. Call it in `afterAll`. */
  drop(): Promise<void>;
};

/**
 * Clones the run's migrated template (about 100 ms); `migrations` adds scratch schemas to this clone only, and with
 * `empty` they are all there is.
 */
export async function testDatabase(
  options: { migrations?: MigrationSet[]; empty?: boolean } = {},
): Promise<TestDatabase> {
  const servers = inject('servers');
  const name = `t_${randomBytes(8).toString('hex')}`;
  const root = await openClient(servers.adminUrl, 'test-root');
  const template = options.empty ? 'template0' : servers.template;
  // Copying the files is quicker than writing them to the log first, which is what PostgreSQL does when not told.
  await root.query(`create database ${name} template ${template} strategy file_copy`);
  const adminUrl = inDatabase(servers.adminUrl, name);
  const first = await openClient(adminUrl, 'test-admin');
  // A clone does not inherit the rights on the database itself.
  await restrictDatabase(first, servers.schemas);
  await first.end();
  const admin = openDatabase({ url: adminUrl, service: 'test-admin', max: 4 });
  if (options.migrations) await migrate(adminUrl, options.migrations, { secret: servers.secret });
  const opened: Database[] = [];
  const openAs = (role: string, { max = 10, ...more }: OpenOptions = {}) => {
    const db = openDatabase({ url: roleUrl(adminUrl, role, servers.secret), service: role, max, ...more });
    opened.push(db);
    return db;
  };
  return {
    adminUrl,
    secret: servers.secret,
    roleUrl: role => roleUrl(adminUrl, role, servers.secret),
    open: (schema, opts) => openAs(serviceRole(schema), opts),
    openAs,
    admin: async (text, values) => (await admin.pool.query(text, values)).rows,
    async drop() {
      await Promise.all(opened.map(db => (db.pool.ended ? undefined : db.close())));
      await admin.close();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}
