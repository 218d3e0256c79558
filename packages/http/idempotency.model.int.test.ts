import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deskMigrations } from './fixtures/desk.ts';
import { idempotencyCommands, mustMeet } from './fixtures/idempotency-commands.ts';
import { type Model, System } from './fixtures/idempotency-model.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [deskMigrations] });
});
afterAll(() => database.drop());

// Nightly runs raise it; a failure prints seed and path.
const runs = Number(process.env.MODEL_RUNS ?? 200);

test('safety-13, M3: whatever is sent, repeated, cut off or aged, a key has one effect and one answer', async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.commands(idempotencyCommands, { maxCommands: 20, size: '+1' }), async commands => {
      const system = new System(database);
      await system.start();
      try {
        const model = (): Model => ({ keys: new Map(), effects: [0, 0], met });
        await fc.asyncModelRun(() => ({ model: model(), real: system }), commands);
      } finally {
        await system.stop();
      }
    }),
    { numRuns: runs },
  );
  expect([...met].sort()).toEqual([...mustMeet].sort());
}, 300_000);
