import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultRetry } from '../../broker.ts';
import { ensureCursors } from './leases.ts';
import { Parking } from './parking.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('a retry of a key that somebody freed in the meantime ends', async () => {
  const db = database.openAs('relay');
  await ensureCursors(db, ['some-service']);
  const handled: string[] = [];
  const parking = new Parking({
    db,
    subscription: 'some-service',
    order: 'required',
    retry: defaultRetry,
    log: undefined,
    epochOf: () => 0,
    async handle({ eventId }) {
      handled.push(eventId);
      return { kind: 'done' };
    },
    onDead() {},
  });
  await parking.load([0]);
  await parking.retry({ parkKey: 'freed', tenantId: uuid7(), shard: 0 });
  expect(handled).toEqual([]);
  expect(parking.retries).toBe(0);
});
