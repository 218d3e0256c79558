import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What can be wrong with a database before a single request is served. */
export const dbErrors = defineErrors('db', {
  DATABASE_TOO_OLD: {
    status: 500,
    text: 'PostgreSQL {found} is too old: version {oldest} or newer is needed. Upgrade the server or unset DATABASE_URL to use the embedded one.',
  },
  DATABASE_NEWER: {
    status: 500,
    text: 'The database has migration {schema}/{version}, which this release does not know. Run a newer release.',
  },
  MIGRATION_CHANGED: {
    status: 500,
    text: 'Migration {schema}/{version} was edited after it was applied. Restore the file and write a new migration instead.',
  },
  MIGRATION_CLASH: {
    status: 500,
    text: 'Schema {schema} has migrations in more than one folder: {folders}. A schema belongs to one service; app, backbone, brokers and jobs are taken.',
  },
  MIGRATION_MALFORMED: {
    status: 500,
    text: 'Migration {schema}/{name} must be named NNNN_name.sql and start with a line "-- why: …".',
  },
  MIGRATION_FAILED: {
    status: 500,
    text: 'Migration {schema}/{version} failed and was rolled back: {reason}',
  },
  MIGRATION_UNKNOWN: {
    status: 500,
    text: 'Nobody answered to the COMMIT of migration {schema}/{version} ({reason}). Migrate again: what was applied is left alone.',
  },
  EMBEDDED_BUSY: {
    status: 500,
    text: 'Another melm (process {pid}) already uses {dataDir}. Stop it, or choose another folder with --data-dir.',
  },
  EMBEDDED_FAILED: { status: 500, text: 'The embedded PostgreSQL did not start: {reason}' },
  EMBEDDED_UNSUPPORTED: {
    status: 500,
    text: 'There is no embedded PostgreSQL for {platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.',
  },
  UNSAFE_ROLE: {
    status: 500,
    text: 'Database role {role} is unsafe: {reason}. Run "melm doctor" for the repair.',
  },
});
