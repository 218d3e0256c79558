import type { MigrationSet } from '@ghasi/db/migrate';

/** The schema of the PostgreSQL broker; applied before every service that has an outbox. */
export const brokerMigrations: MigrationSet = {
  schema: 'brokers',
  folder: new URL('./migrations/', import.meta.url),
};
