import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { defaultRetry } from '../../broker.ts';
import { done, newPlace, recorder, upTo } from '../../conformance-world.conformance.ts';
import { Connection } from './connection.ts';
import { shardOf } from './stream-entry.ts';
import { StreamGroup } from './stream-group.ts';
import { Streams } from './streams.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describeWithRedis('a group of Redis Streams', url => {
  test('DLQ-39: what Redis forgot after it gave it out is not done, and may be given again', async () => {
    const connection = new Connection({ url, log: undefined });
    onTestFinished(() => connection.close());
    await connection.open();
    const namespace = `test-${randomUUID()}`;
    const streams = new Streams(connection, namespace);
    await streams.beginEra();
    const { message, service, topic, tenantId } = newPlace();
    await streams.makeGroup(service, 'end');
    const sent = Array.from({ length: 4_100 }, (_, at) => message('a', at + 1)); // of the last hundred only numbers are kept
    const ids = (await streams.add(sent)).map(one => (one.ok ? one.id : ''));

    const gate = signal();
    const { subscriber, tried } = recorder(service, [topic], { decide: () => gate.promise.then(() => done) });
    let beginnings = 0;
    const group = new StreamGroup({
      ...{
        streams,
        db: database.openAs('relay'),
        member: 'me',
        subscriber,
        retry: defaultRetry,
        log: undefined,
      },
      onRoom() {},
      onRetried() {},
      onFenced: () => void beginnings++,
      onDead() {},
    });
    onTestFinished(() => group.stop());
    const held = Array.from({ length: 16 }, (_, shard) => ({ shard, epoch: 1 }));
    await group.reset(held);
    while (await group.read());
    expect(group.doneUntil).toBe(Number.parseInt(ids[0] ?? '', 10)); // nothing is left in Redis, and the first is not done

    // As with a server that takes over and lacks the newest messages.
    await connection.redis.xdel(`${namespace}:broker:shard:${shardOf(`${tenantId}:a`)}`, ...ids.slice(-50));
    await streams.endEra();
    gate.fire();
    await waitUntil('it begins again', () => beginnings > 0);
    expect(group.held).toEqual([]); // so nobody notes how far it came
    await group.reset(held);
    while (await group.read());
    await waitUntil('what is there is handled', () => tried.includes('a:4050'));
    expect([...new Set(tried)]).toEqual(upTo('a', 4_050));
    expect(group.doneUntil).toBeUndefined();
  });
});
