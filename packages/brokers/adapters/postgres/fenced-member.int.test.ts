import type { Database } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { done, newPlace, publishAll, recorder } from '../../conformance-world.conformance.ts';
import { ensureCursors } from './leases.ts';
import { Fenced, type ParkedMessage, parkBehind, parkFailure, unparkHead } from './parked.ts';
import { PostgresBroker } from './postgres-broker.ts';

let database: TestDatabase;
let checker: Database;
beforeAll(async () => {
  database = await testDatabase();
  checker = database.openAs('relay');
});
afterAll(() => database.drop());

test('a member that was fenced asks at once who holds what, instead of trying again and again', async () => {
  const { service, topic, message } = newPlace();
  const hour = 3_600_000;
  const broker = new PostgresBroker({
    db: database.openAs('relay'),
    times: { heartbeatMs: hour, leaseMs: hour, pollMs: hour },
  });
  const epochs: number[] = [];
  await broker.subscribe([
    {
      name: service,
      topics: [topic],
      concurrency: 4,
      order: 'required',
      async handle(batch, fence) {
        epochs.push(...(fence?.epochs ?? []));
        const { rowCount } = await checker.pool.query(
          'select from brokers.cursor where subscription = $1 and shard = $2 and epoch = $3',
          [service, fence?.shards[0], fence?.epochs[0]],
        );
        return batch.map(() => (rowCount === 1 ? { kind: 'done' } : { kind: 'fenced' }));
      },
    },
  ]);
  const [before] = await database.admin<{ epoch: bigint }>('select max(epoch) as epoch from brokers.cursor');
  await database.admin('update brokers.cursor set epoch = epoch + 1'); // as a seek does
  await publishAll(broker, [message('a', 1)]);
  const after = Number(before?.epoch) + 1;
  await waitUntil('it works under the new number', () => epochs.includes(after));
  expect(epochs).toEqual([after - 1, after]);
  await broker.close();
});

test('ORD-02: whoever lost a shard parks nothing of it, puts nothing behind a parked key and frees none', async () => {
  const { service, message } = newPlace();
  await ensureCursors(checker, [service]);
  await database.admin('update brokers.cursor set epoch = 1 where subscription = $1', [service]);
  const [first, second] = [1, 2].map(version => {
    const { enqueuedAt, ...own } = message('a', version);
    return { ...own, id: `${version}`, off: version, shard: 0, enqueuedAt, publishedAt: enqueuedAt };
  }) as [ParkedMessage, ParkedMessage];
  const keyOf = (epoch: number) => ({
    ...{ subscription: service, parkKey: first.orderingKey, tenantId: first.tenantId },
    ...{ shard: 0, epoch },
  });
  const retry = { minBackoffMs: 1, maxBackoffMs: 1, maxAttempts: 7 };
  const failure = { attempts: 1, error: 'not yet', giveUp: false, retry };
  const kept = async () =>
    (
      await database.admin<{ off: number }>(
        'select off::float8 as off from brokers.parked_message where subscription = $1 order by off',
        [service],
      )
    ).map(({ off }) => off);
  const [lost, held] = [keyOf(0), keyOf(1)];

  await expect(parkFailure(checker, lost, first, failure)).rejects.toThrow(Fenced);
  expect(await kept()).toEqual([]);
  await parkFailure(checker, held, first, failure);
  await expect(parkBehind(checker, lost, [second])).rejects.toThrow(Fenced);
  expect(await kept()).toEqual([1]);
  await parkBehind(checker, held, [second]);
  await expect(unparkHead(checker, lost, 1)).rejects.toThrow(Fenced);
  expect(await kept()).toEqual([1, 2]);
  expect(await unparkHead(checker, held, 1)).toBe(false);
  expect(await kept()).toEqual([2]);
});

test('a clock that is set back by an hour stops no subscription that pauses just then', async () => {
  const { service, topic, message } = newPlace();
  const broker = new PostgresBroker({ db: database.openAs('relay') });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { subscriber, tried } = recorder(service, [topic], {
    decide: () => (tried.length === 1 ? { kind: 'pause', error: 'not now', forMs: 20 } : done),
  });
  await broker.subscribe([subscriber]);
  await publishAll(broker, [message('a', 1)]);
  await waitUntil('it pauses', () => tried.length === 1);
  vi.useRealTimers();
  await waitUntil('it goes on', () => tried.length === 2);
  await broker.close();
});
