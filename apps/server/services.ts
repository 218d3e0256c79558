import type { Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import type { MigrationSet } from '@ghasi/db/migrate';
import { hotMigrations } from '@ghasi/hot/cache-metadata';
import { jobsMigrations } from '@ghasi/jobs/migrations';
import { createIamService } from '@melmastoon/iam-service/service';
import { service as tenantService } from '@melmastoon/tenant-service/service';

/** What the services need from the installation they run in. */
export type Installation = { secret: string; publicUrl: string; ask: Ask };

/** All services of the platform, in the order their schemas are made. */
export function allServices(installation: Installation): Service[] {
  const { origin, hostname } = new URL(installation.publicUrl);
  return [
    tenantService,
    createIamService({
      ask: installation.ask,
      secrets: [installation.secret],
      issuer: origin,
      rpId: hostname,
      origins: [origin],
    }),
  ];
}

/** Every schema of the platform, for the migrator and the doctor. */
export function migrationSets(services: readonly Service[]): MigrationSet[] {
  return [
    jobsMigrations,
    hotMigrations,
    ...services.map(({ schema, migrations }) => ({ schema, folder: migrations })),
  ];
}
