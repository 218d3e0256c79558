import { existsSync, readdirSync } from 'node:fs';
import { startTestServers } from '@ghasi/testing/cluster';
import type { TestProject } from 'vitest/node';

/** Starts the run's PostgreSQL and Redis and tells the test files where they are. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { servers, stop } = await startTestServers(migrationSets());
  project.provide('servers', servers);
  return stop;
}

function migrationSets() {
  const found = [];
  for (const [base, schemaOf] of [
    ['packages/', (name: string) => name],
    ['services/', (name: string) => name.replace(/-service$/, '').replaceAll('-', '_')],
  ] as const) {
    for (const name of readdirSync(new URL(base, import.meta.url))) {
      const folder = new URL(`${base}${name}/migrations/`, import.meta.url);
      if (name !== 'db' && existsSync(folder)) found.push({ schema: schemaOf(name), folder });
    }
  }
  return found;
}
