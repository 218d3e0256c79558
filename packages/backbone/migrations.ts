import type { MigrationSet } from '@ghasi/db/migrate';

/** The function that gives a service its outbox and inbox; applied before every service. */
export const backboneMigrations: MigrationSet = {
  schema: 'backbone',
  folder: new URL('./migrations/', import.meta.url),
};
