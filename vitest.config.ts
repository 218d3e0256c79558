import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages,services,apps,tools,examples}/**/*.test.ts'],
    globalSetup: ['./vitest.global.ts'],
    pool: 'forks',
    maxWorkers: 3, // two cores, and much of the time is spent waiting for PostgreSQL, Redis and child processes
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
