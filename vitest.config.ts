import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that start a dozen processes of their own: after all others, so that nobody has to wait for a processor. */
const crowds = ['packages/backbone/chaos.int.test.ts', 'packages/backbone/crash-points.int.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['./vitest.global.ts'],
    pool: 'forks',
    maxWorkers: 3, // two cores, and much of the time is spent waiting for PostgreSQL, Redis and child processes
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['{packages,services,apps,tools,examples}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...crowds],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'crowds', include: crowds, sequence: { groupOrder: 1 } } },
    ],
  },
});
