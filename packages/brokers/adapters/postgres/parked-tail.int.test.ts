import { openClient } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Outcome, Outgoing } from '../../broker.ts';
import { done, fails, newPlace, publishAll, recorder } from '../../conformance-world.conformance.ts';
import { PostgresBroker } from './postgres-broker.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const HOUR_MS = 3_600_000;

/** A broker that tries parked keys when it is asked to, and goes on from there. */
const openBroker = () =>
  new PostgresBroker({
    db: database.openAs('relay'),
    retry: { minBackoffMs: 1, maxBackoffMs: 1, maxAttempts: 7 },
    times: { heartbeatMs: HOUR_MS, leaseMs: HOUR_MS },
  });

const parked = (service: string, count: number) =>
  waitUntil(`${count} messages are parked`, async () => {
    const rows = await database.admin('select from brokers.parked_message where subscription = $1', [
      service,
    ]);
    return rows.length === count;
  });

test('a process that stops ends the retry of a key after its oldest message, however many wait behind', async () => {
  const { service, topic, message } = newPlace();
  const [retried, release] = [signal(), signal()];
  const { subscriber, tried } = recorder(service, [topic], {
    async decide(_, { attempt }): Promise<Outcome> {
      if (tried.length === 1) return fails;
      if (attempt === 2) {
        retried.fire();
        await release.promise;
      }
      return done;
    },
  });
  const broker = openBroker();
  await broker.subscribe([subscriber]);
  await publishAll(
    broker,
    Array.from({ length: 201 }, (_, n) => message('a', n + 1)),
  );
  await parked(service, 201);
  await broker.retryParked();
  await retried.promise;
  const closed = broker.close();
  release.fire();
  await closed;
  expect(tried).toEqual(['a:1', 'a:1']);
  await parked(service, 200);
});

test('DLQ-02, ORD-04: keys with much behind them take turns with those of others', async () => {
  const { service, topic, message } = newPlace();
  const other = uuid7();
  let isBroken = true;
  const { subscriber, tried } = recorder(service, [topic], {
    concurrency: 1,
    decide: () => (isBroken ? fails : done),
  });
  const broker = openBroker();
  await broker.subscribe([subscriber]);
  const long = Array.from({ length: 20 }, (_, n) => [message('x', n + 1), message('y', n + 1)]);
  await publishAll(broker, [...long.flat(), message('z', 1, { tenantId: other })]);
  await parked(service, 41);
  await database.admin(
    `update brokers.parked_key
     set retry_at = now() - case when tenant_id = $2 then interval '1 second' else interval '2 seconds' end
     where subscription = $1`,
    [service, other],
  );
  isBroken = false;
  tried.length = 0;
  await broker.retryParked();
  await waitUntil('all came', () => tried.length === 41);
  expect(tried.slice(0, 3).toSorted()).toEqual(['x:1', 'y:1', 'z:1']);
  for (const key of ['x', 'y'])
    expect(tried.filter(what => what.startsWith(key))).toEqual(
      Array.from({ length: 20 }, (_, n) => `${key}:${n + 1}`),
    );
  await broker.close();
});

/** A service whose first message of key `a` is a dead letter. */
async function withDeadKey() {
  const place = newPlace();
  const { service, topic, message } = place;
  const seen = recorder(service, [topic], {
    concurrency: 1, // one lane: what is read together is one batch
    decide: what => (what === 'a:1' || what === 'b:1' ? { kind: 'dead', error: 'never' } : done),
  });
  const broker = openBroker();
  await broker.subscribe([seen.subscriber]);
  await publishAll(broker, [message('a', 1)]);
  await parked(service, 1);
  return { ...place, ...seen, broker };
}
const many = (count: number, make: (n: number) => Outgoing) =>
  Array.from({ length: count }, (_, n) => make(n + 2));

test('what waits behind a parked key, or behind a message of its batch, costs a transaction for all of it', async () => {
  const { service, message, broker } = await withDeadKey();
  await publishAll(broker, [
    ...many(60, n => message('a', n)),
    message('b', 1),
    ...many(60, n => message('b', n)),
  ]);
  await parked(service, 122);
  const transactions = await database.admin(
    'select distinct xmin::text from brokers.parked_message where subscription = $1',
    [service],
  );
  expect(transactions.length).toBeLessThanOrEqual(6); // four, were it not for a first page that is a small one
  await broker.close();
});

test('ORD-04: what waits behind a parked key holds up nothing of its batch', async () => {
  const { service, message, broker, tried } = await withDeadKey();
  const slow = await openClient(database.adminUrl, 'slow');
  onTestFinished(() => slow.end());
  await slow.query('begin');
  await slow.query('select from brokers.parked_key where subscription = $1 for update', [service]);
  await publishAll(broker, [...many(3, n => message('a', n)), message('c', 1)]);
  await waitUntil('the other key came', () => tried.includes('c:1'));
  await slow.query('commit');
  await parked(service, 4);
  await broker.close();
  expect(tried).toEqual(['a:1', 'c:1']);
});
