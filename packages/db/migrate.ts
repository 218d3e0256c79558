import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from '@ghasi/telemetry/logger';
import { type Client, escapeIdentifier } from 'pg';
import { openClient } from './database.ts';
import { dbErrors } from './errors.ts';
import { isConnectionLoss } from './pg-errors.ts';
import { ensureRoles, ensureSchema } from './provision.ts';
import { givenSecret, OWNER_ROLE } from './roles.ts';

/** The numbered SQL files of one schema. */
export type MigrationSet = { schema: string; folder: URL };

/** One file of a set; `checksum` is the SHA-256 of its text. */
export type Migration = { schema: string; version: string; text: string; checksum: string };

/** The helpers every other set builds on; always applied first. */
export const platformMigrations: MigrationSet = {
  schema: 'app',
  folder: new URL('./migrations/', import.meta.url),
};

/** The oldest server we run on: `security_invoker` views came with it. */
export const OLDEST_SERVER = 15;

const MIGRATION_LOCK = 7_236_114_001n; // any fixed number: one migrator per database at a time

/**
 * Brings a database up to date: roles, schemas, then every file not yet applied, each in its own transaction and in
 * order. Safe to run from several processes at once and to run again. Returns what it applied. `roles: 'leave'` adds
 * missing roles but changes none, for a scratch database beside a live one.
 */
export async function migrate(
  adminUrl: string,
  sets: readonly MigrationSet[],
  options: { secret: string; log?: Logger } | { roles: 'leave'; log?: Logger },
): Promise<Migration[]> {
  const isPlatforms = ({ folder }: MigrationSet) => folder.href === platformMigrations.folder.href;
  const all = [platformMigrations, ...sets.filter(set => !isPlatforms(set))];
  assertOneFolderEach(all);
  const secret = 'roles' in options ? undefined : givenSecret(options.secret);
  const files = new Map(
    await Promise.all(all.map(async set => [set.schema, await readMigrations(set)] as const)),
  );
  const client = await openClient(adminUrl, 'melm-migrate');
  try {
    await assertServerVersion(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await ensureRoles(client, all, secret);
    const applied: Migration[] = [];
    for (const set of all) {
      await ensureSchema(client, set.schema);
      for (const migration of await pending(client, set.schema, files.get(set.schema) ?? [])) {
        await apply(client, migration);
        options.log?.info({ schema: migration.schema, version: migration.version }, 'migration applied');
        applied.push(migration);
      }
    }
    return applied;
  } finally {
    await client.end();
  }
}

function assertOneFolderEach(sets: readonly MigrationSet[]): void {
  for (const [schema, own] of Map.groupBy(sets, set => set.schema)) {
    const folders = [...new Set(own.map(({ folder }) => folder.href))];
    if (folders.length > 1) throw dbErrors.MIGRATION_CLASH({ schema, folders });
  }
}

/** The set's files in order; refuses a badly named file or one that does not say why it exists. */
export async function readMigrations(set: MigrationSet): Promise<Migration[]> {
  const names = (await readdir(set.folder))
    .filter(name => name.endsWith('.sql') && !name.endsWith('.down.sql'))
    .sort();
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, set.folder), 'utf8');
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name) || !text.startsWith('-- why:'))
        throw dbErrors.MIGRATION_MALFORMED({ schema: set.schema, name });
      const checksum = createHash('sha256').update(text).digest('hex');
      return { schema: set.schema, version: name.slice(0, -'.sql'.length), text, checksum };
    }),
  );
}

async function assertServerVersion(client: Client): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int as number`);
  const major = Math.floor(rows[0].number / 10_000);
  if (major < OLDEST_SERVER) throw dbErrors.DATABASE_TOO_OLD({ found: major, oldest: OLDEST_SERVER });
}

/** The files still to apply; refuses when history and folder disagree. */
async function pending(client: Client, schema: string, files: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ version: string; checksum: string }>(
    `select version, checksum from ${escapeIdentifier(schema)}.schema_migrations order by version`,
  );
  const applied = new Map(rows.map(row => [row.version, row.checksum]));
  for (const version of applied.keys()) {
    if (!files.some(file => file.version === version)) throw dbErrors.DATABASE_NEWER({ schema, version });
  }
  return files.filter(file => {
    const checksum = applied.get(file.version);
    if (checksum !== undefined && checksum !== file.checksum)
      throw dbErrors.MIGRATION_CHANGED({ schema, version: file.version });
    return checksum === undefined;
  });
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const named = { schema: migration.schema, version: migration.version };
  try {
    await client.query('begin');
    await client.query(`set local role ${escapeIdentifier(OWNER_ROLE)}`);
    await client.query(`set local search_path = ${escapeIdentifier(migration.schema)}, pg_catalog`);
    await client.query(migration.text);
    await client.query(
      `insert into ${escapeIdentifier(migration.schema)}.schema_migrations (version, checksum) values ($1, $2)`,
      [migration.version, migration.checksum],
    );
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw Object.assign(
      dbErrors.MIGRATION_FAILED({ ...named, reason: placeOf(error, migration) + reasonOf(error) }),
      { cause: error },
    );
  }
  try {
    await client.query('commit');
  } catch (error) {
    const make = isConnectionLoss(error) ? dbErrors.MIGRATION_UNKNOWN : dbErrors.MIGRATION_FAILED;
    throw Object.assign(make({ ...named, reason: reasonOf(error) }), { cause: error });
  }
}

/** In which line the server found it, where it says so. */
function placeOf(error: unknown, { text }: Migration): string {
  const position = Number((error as { position?: string }).position ?? 0);
  return position === 0 ? '' : `line ${text.slice(0, position).split('\n').length}: `;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
