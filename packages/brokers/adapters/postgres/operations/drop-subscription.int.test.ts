import type { Database } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendToLog, everything, startConsumer } from '../../../fixtures/recording-consumer.ts';
import { ensureCursors } from '../leases.ts';
import { listDeadLetters, listSettledLetters } from './dead-letters.ts';
import { dropSubscription } from './drop-subscription.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = database.openAs('relay');
});
afterAll(() => database.drop());

const change = { actor: 'nadia@desk', reason: 'INC-21: renamed to rooms-service' };
const cursors = (subscription: string) =>
  database.admin<{ epoch: number; off: number }>(
    'select epoch::int as epoch, off::int as off from brokers.cursor where subscription = $1 order by shard',
    [subscription],
  );

test('DLQ-03, OUTBOX-34: days of the log that only a dropped subscription had not read can go', async () => {
  await ensureCursors(db, ['gone-service']);
  await database.admin(
    `create table brokers.log_20200101 partition of brokers.log for values from ('2020-01-01') to ('2020-01-02')`,
  );
  await database.admin(`update brokers.cursor set day = '2020-01-01' where subscription = 'gone-service'`);
  const dropDays = async () =>
    (await database.admin<{ n: number }>(`select brokers.drop_partitions(interval '7 days') as n`))[0]?.n;
  expect(await dropDays()).toBe(0);
  await ensureCursors(db, ['elsewhere-service'], 'redis-streams'); // whose cursors stay where they began
  await database.admin(
    `update brokers.cursor set day = '2020-01-01' where subscription = 'elsewhere-service'`,
  );
  const dropped = await dropSubscription(db, change, { subscription: 'gone' });
  expect(dropped).toEqual({
    subscription: 'gone-service',
    broker: 'postgres',
    lag: { count: 0, isMore: false },
    dead: 0,
    kept: 0,
    dryRun: false,
  });
  expect(await dropDays()).toBe(1);
  expect(await cursors('gone-service')).toEqual([]);
  expect(
    await database.admin(`select actor, reason from brokers.operation where action = 'subscription.drop'`),
  ).toEqual([change]);
  await expect(dropSubscription(db, change, { subscription: 'gone' })).rejects.toThrow(
    'No service consumes as gone',
  );
});

test('DLQ-03, DLQ-16: it is refused while a process serves it or dead letters wait; then copies of all that was parked are kept', async () => {
  const consumer = await startConsumer(db, 'rooms-service');
  const [first, second] = [newTenantId(), newTenantId()];
  consumer.poison.add('bad');
  await appendToLog(db, [
    { tenantId: first, key: 'a', text: 'bad' },
    { tenantId: first, key: 'a', text: 'behind' },
    { tenantId: second, key: 'a', text: 'bad' },
  ]);
  const letters = () => listDeadLetters(db, { subscription: consumer.name });
  await waitUntil('two are dead, one waits', async () => {
    const [one, two] = await letters();
    return one !== undefined && two !== undefined && one.waiting + two.waiting === 1;
  });
  const wanted = { subscription: 'rooms', withLetters: true };
  await expect(dropSubscription(db, change, wanted)).rejects.toThrow(
    /Nothing was changed: the process \S+ serves rooms-service and was heard of 0 s ago\. Stop it first\./,
  );
  await consumer.stop();
  const before = await everything(database.admin);
  await expect(dropSubscription(db, change, { subscription: 'rooms' })).rejects.toThrow(
    'rooms-service has dead letters that wait for a decision (2). See "melm dlq list --subscription rooms-service"',
  );
  const plan = await dropSubscription(db, { ...change, dryRun: true }, wanted);
  expect(plan).toMatchObject({ dead: 2, kept: 3, dryRun: true });
  expect(await everything(database.admin)).toBe(before);

  expect(await dropSubscription(db, change, wanted)).toEqual({ ...plan, dryRun: false });
  expect(await letters()).toEqual([]);
  expect(await database.admin('select from brokers.parked_message')).toEqual([]);
  const copies = await listSettledLetters(db, { subscription: 'rooms-service' });
  expect(copies.map(({ tenantId, how, error, reason }) => [tenantId, how, error, reason]).sort()).toEqual(
    [first, first, second].map(tenantId => [tenantId, 'skipped', 'bad is impossible', change.reason]).sort(),
  );
});

test('DLQ-03: made again, it begins at the end of the log, and whoever served it before may not write any more', async () => {
  const name = 'bills-service';
  await ensureCursors(db, [name]);
  await database.admin(`update brokers.cursor set epoch = 7 where subscription = $1`, [name]);
  await dropSubscription(db, change, { subscription: name });
  const [last] = await appendToLog(db, [{ tenantId: newTenantId(), key: 'a', text: 'meanwhile' }]);
  await ensureCursors(db, [name]);
  expect(await cursors(name)).toEqual(Array.from({ length: 16 }, () => ({ epoch: 8, off: last })));
  expect(
    await database.admin('select distinct epoch::int as epoch from brokers.fence where subscription = $1', [
      name,
    ]),
  ).toEqual([{ epoch: 8 }]);
});
