import { inject } from 'vitest';
import type { TestServers } from './cluster.ts';

/** The servers of this run; throws a sentence where no set-up has started them. */
export function testServers(): TestServers {
  const servers = inject('servers') as TestServers | undefined; // what is provided is promised, not known
  if (servers !== undefined) return servers;
  throw new Error(
    "This run has no test servers: add globalSetup: ['@ghasi/testing/vitest-setup'] to `test` in vitest.config.ts.",
  );
}
