import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { done, newPlace, publishAll, recorder } from '../../conformance-world.conformance.ts';
import { ensureCursors } from './leases.ts';
import { listDeadLetters } from './operations/dead-letters.ts';
import { replayDeadLetters } from './operations/settle-letters.ts';
import { dueKeys } from './parked.ts';
import { PostgresBroker } from './postgres-broker.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('more dead letters than slots are replayed one after the other, not one lot per heartbeat', async () => {
  const { service, topic, message } = newPlace();
  let isBroken = true;
  const { subscriber, tried } = recorder(service, [topic], {
    concurrency: 2,
    decide: () => (isBroken ? { kind: 'dead', error: 'not yet' } : done),
  });
  const db = database.openAs('relay');
  const hour = 3_600_000;
  const broker = new PostgresBroker({ db, times: { heartbeatMs: hour, leaseMs: hour } });
  await broker.subscribe([subscriber]);
  await publishAll(
    broker,
    Array.from({ length: 30 }, (_, at) => message(`k${at}`, 1)),
  );
  const letters = () => listDeadLetters(db, { subscription: service });
  await waitUntil('all are dead letters', async () => (await letters()).length === 30);
  isBroken = false;
  await replayDeadLetters(db, { actor: 'usr_operator', reason: 'test' }, { subscription: service });
  await Promise.all([broker.retryParked(), broker.retryParked()]); // the second finds every slot in use
  await waitUntil('all were tried again', () => tried.length === 60);
  await broker.close();
  expect(await letters()).toEqual([]);
});

test('keys that wait for another member do not hide those of this one', async () => {
  const db = database.openAs('relay');
  await ensureCursors(db, ['some-service']);
  const tenantId = uuid7();
  await database.admin(
    `insert into brokers.parked_key (subscription, park_key, tenant_id, shard, attempts, retry_at, last_error)
     select 'some-service', 'k' || n, $1, case when n = 300 then 1 else 0 end, 1, now() - (301 - n) * interval '1 second', 'x'
     from generate_series(1, 300) n`,
    [tenantId],
  );
  const due = await dueKeys(db, [{ subscription: 'some-service', shard: 1 }]);
  expect(due.map(({ parkKey }) => parkKey)).toEqual(['k300']);
});

test('DLQ-02, ORD-04: keys of one subscription do not hide those of another', async () => {
  const db = database.openAs('relay');
  await ensureCursors(db, ['flooded-service', 'quiet-service']);
  const tenantId = uuid7();
  await database.admin(
    `insert into brokers.parked_key (subscription, park_key, tenant_id, shard, attempts, retry_at, last_error)
     select case when n = 300 then 'quiet-service' else 'flooded-service' end, 'k' || n, $1, n % 2, 1,
            now() - (301 - n) * interval '1 second', 'x'
     from generate_series(1, 300) n`,
    [tenantId],
  );
  const held = ['flooded-service', 'quiet-service'].flatMap(subscription =>
    [0, 1].map(shard => ({ subscription, shard })),
  );
  const due = await dueKeys(db, held);
  expect(due.map(({ parkKey }) => parkKey)).toContain('k300');
  expect(due[0]?.parkKey).toBe('k1'); // the longest due first
});
