import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that start processes of their own and keep every core busy for minutes: `npm run campaigns`. CI runs them after
 * all others, one after the other, so that nobody has to wait for a processor.
 */
const campaigns = ['{packages,services,apps}/**/*.campaign.test.ts'];

/** What every random test begins from. CI gives the same to the same commit; by hand each run tries something else. */
const seed = process.env.TEST_SEED ?? String(Math.floor(Math.random() * 2 ** 31));

export default defineConfig({
  test: {
    globalSetup: ['./vitest.global.ts'],
    setupFiles: ['./vitest.seed.ts'],
    env: { TEST_SEED: seed },
    pool: 'forks',
    maxWorkers: 3, // two cores, and much of the time is spent waiting for PostgreSQL, Redis and child processes
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['{packages,services,apps,tools,bench,examples}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...campaigns],
          sequence: { groupOrder: 0 },
          isolate: false, // files of a worker share loaded code: loading it anew was a third of the time
        },
      },
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: campaigns,
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
          testTimeout: 1_800_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
