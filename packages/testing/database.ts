import { randomBytes } from 'node:crypto';
import { type Database, type Outbox, openClient, openDatabase } from '@ghasi/db/database';
import { type MigrationSet, migrate } from '@ghasi/db/migrate';
import { restrictDatabase } from '@ghasi/db/provision';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { Client } from 'pg';
import { inDatabase } from './cluster.ts';
import { testServers } from './servers.ts';

type OpenOptions = { max?: number; outbox?: Outbox; metrics?: Metrics };

/** A database of a test file's own: every service's schema, migrated, and no rows unless it was prepared. */
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
 * Rows that many test files begin with. The first file that asks has them made, in a clone of the template or of what was
 * prepared before (`from`); everybody clones the result. `name` is one for the whole run.
 */
export type Prepared = {
  name: string;
  from?: Prepared;
  /** Fills it; nobody else may be connected any more when it has ended. */
  fill(database: FilledDatabase): Promise<void>;
};

/** A database while it is prepared. */
export type FilledDatabase = Omit<TestDatabase, 'drop'>;

/**
 * Clones the run's migrated template (about 100 ms), or what was `prepared`; `migrations` adds scratch schemas to this
 * clone only, and with `empty` they are all there is.
 */
export async function testDatabase(
  options: { migrations?: MigrationSet[]; empty?: boolean; prepared?: Prepared } = {},
): Promise<TestDatabase> {
  const root = await openClient(testServers().adminUrl, 'test-root');
  const name = `t_${randomBytes(8).toString('hex')}`;
  await clone(root, {
    name,
    template: options.empty ? 'template0' : await templateOf(root, options.prepared),
  });
  const { close, ...database } = connect(name);
  if (options.migrations) await migrate(database.adminUrl, options.migrations, { secret: database.secret });
  return {
    ...database,
    async drop() {
      await close();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}

async function clone(root: Client, { name, template }: { name: string; template: string }): Promise<void> {
  // Copying the files is quicker than writing them to the log first, which is what PostgreSQL does when not told.
  await root.query(`create database ${name} template ${template} strategy file_copy`);
  const { adminUrl, schemas } = testServers();
  const first = await openClient(inDatabase(adminUrl, name), 'test-admin');
  // A clone does not inherit the rights on the database itself.
  await restrictDatabase(first, schemas);
  await first.end();
}

function connect(name: string): FilledDatabase & { close(): Promise<void> } {
  const { adminUrl: server, secret } = testServers();
  const adminUrl = inDatabase(server, name);
  const admin = openDatabase({ url: adminUrl, service: 'test-admin', max: 4, answerMs: 0 });
  const opened: Database[] = [];
  const openAs = (role: string, { max = 10, ...more }: OpenOptions = {}) => {
    const db = openDatabase({ url: roleUrl(adminUrl, role, secret), service: role, max, ...more });
    opened.push(db);
    return db;
  };
  return {
    adminUrl,
    secret,
    roleUrl: role => roleUrl(adminUrl, role, secret),
    open: (schema, opts) => openAs(serviceRole(schema), opts),
    openAs,
    admin: async (text, values) => (await admin.pool.query(text, values)).rows,
    async close() {
      await Promise.all(opened.map(db => (db.pool.ended ? undefined : db.close())));
      await admin.close();
    },
  };
}

const PREPARING = 7_236_114_002n; // any fixed number: one file prepares, and who needs the same meanwhile waits

/** What to clone; prepares it when nobody has. It gets its name when it is filled, so that a half-filled one is never used. */
async function templateOf(root: Client, prepared: Prepared | undefined): Promise<string> {
  if (prepared === undefined) return testServers().template;
  const { name, from, fill } = prepared;
  const template = await templateOf(root, from);
  await root.query('select pg_advisory_lock($1)', [PREPARING]);
  try {
    const made = await root.query('select 1 from pg_database where datname = $1', [name]);
    if (made.rowCount === 0) {
      const draft = `${name}_draft`;
      await root.query(`drop database if exists ${draft} with (force)`);
      await clone(root, { name: draft, template });
      const { close, ...database } = connect(draft);
      await fill(database).finally(close);
      await root.query(`alter database ${draft} rename to ${name}`);
    }
  } finally {
    await root.query('select pg_advisory_unlock($1)', [PREPARING]);
  }
  return name;
}
