import { existsSync, readdirSync } from 'node:fs';
import { hotMigrations } from '@ghasi/hot/cache-metadata';
import { setup as startServers } from '@ghasi/testing/vitest-setup';
import type { TestProject } from 'vitest/node';

/** What everybody who tests with the kit runs, with every schema of the platform in the template. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_SEED } = project.config.env;
  project.vitest.logger.log(
    `random tests begin from seed ${TEST_SEED} (the same again: TEST_SEED=${TEST_SEED})`,
  );
  return startServers(project, [hotMigrations, ...serviceSets()]);
}

function serviceSets() {
  const services = new URL('services/', import.meta.url);
  return readdirSync(services)
    .map(name => ({
      schema: name.replace(/-service$/, '').replaceAll('-', '_'),
      folder: new URL(`${name}/migrations/`, services),
    }))
    .filter(({ folder }) => existsSync(folder));
}
