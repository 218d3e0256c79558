import type { MigrationSet } from '@ghasi/db/migrate';
import { BOSS_SCHEMA } from './construction.ts';

/** The schema of pg-boss and what makes it safe for tenants; applied before every service that has jobs. */
export const jobsMigrations: MigrationSet = {
  schema: BOSS_SCHEMA,
  folder: new URL('./migrations/', import.meta.url),
};
