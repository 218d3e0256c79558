import { backboneMigrations } from '@ghasi/backbone/migrations';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import type { MigrationSet } from '@ghasi/db/migrate';
import { jobsMigrations } from '@ghasi/jobs/migrations';
import type { TestProject } from 'vitest/node';
import { startTestServers } from './cluster.ts';

const backbone = [jobsMigrations, backboneMigrations, brokerMigrations];

/**
 * Starts the run's PostgreSQL and Redis and tells the test files where they are. Vitest calls it when this file is named
 * in `globalSetup`; a set-up of your own may call it with the schemas of your services, which saves each test file from
 * migrating them (`startSystem` migrates what is missing).
 */
export async function setup(
  project: Pick<TestProject, 'provide'>,
  services: readonly MigrationSet[] = [],
): Promise<() => Promise<void>> {
  const { servers, stop } = await startTestServers([...backbone, ...services]);
  project.provide('servers', servers);
  return stop;
}
