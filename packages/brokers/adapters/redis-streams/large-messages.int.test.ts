import { randomUUID } from 'node:crypto';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newPlace, publishAll, recorder, upTo } from '../../conformance-world.conformance.ts';
import { Connection } from './connection.ts';
import { openRedisStreamsBroker } from './redis-streams-broker.ts';
import type { RawEntry } from './stream-entry.ts';
import { firstOf, Wholes } from './stream-item.ts';
import { Streams } from './streams.ts';

const MB = 1_048_576;
const A_LOOK = 16 * MB; // half of it, and what one stream gives at once
const large = (key: string, n: number) => ({
  envelope: JSON.stringify({ key, n, fill: 'x'.repeat(200_000) }),
});
const sizeOf = (entries: readonly { raw: RawEntry }[]) =>
  entries.reduce((sum, { raw: [, fields] }) => sum + fields.join('').length, 0);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describeWithRedis('large messages in Redis Streams', url => {
  test('300 events of 200 KB are read and taken over in pieces that fit into memory', async () => {
    const connection = new Connection({ url, log: undefined });
    onTestFinished(() => connection.close());
    await connection.open();
    const streams = new Streams(connection, `test-${randomUUID()}`);
    await streams.beginEra();
    const { message, service } = newPlace();
    await streams.makeGroup(service, 'end');
    const keys = Array.from({ length: 300 }, (_, at) => `k${at}`);
    await streams.add(keys.map(key => message(key, 1, large(key, 1))));
    const held = (epoch: number) => Array.from({ length: 16 }, (_, shard) => ({ shard, epoch }));
    const first = { group: service, consumer: 'first' };
    let read = 0;
    for (let isMore = true; isMore; ) {
      const look = await streams.read(first, held(1), 256);
      expect(sizeOf(look.entries)).toBeLessThan(A_LOOK);
      expect(look.isAll).toBe(!look.isMore);
      isMore = look.isMore;
      read += look.entries.length;
    }
    expect(read).toBe(300);
    const taken = new Set<string>();
    for (const one of held(2))
      for await (const page of streams.takeOver({ group: service, consumer: 'second' }, one)) {
        expect(sizeOf(page)).toBeLessThan(A_LOOK);
        for (const { raw } of page) taken.add(raw[0]);
      }
    expect(taken.size).toBe(300);
    await Promise.all(held(2).map(({ shard }) => streams.acknowledge(service, shard, [...taken])));
    expect(await streams.trim()).toBe(300);
  });

  test('more large messages than fit into memory arrive, in order', async () => {
    const { message, service, topic } = newPlace();
    const broker = await openRedisStreamsBroker({
      url,
      db: database.openAs('relay'),
      namespace: `test-${randomUUID()}`,
    });
    onTestFinished(() => broker.close());
    await broker.recover(async () => {});
    await broker.prepare([service]);
    for (let n = 1; n <= 400; n += 20)
      await publishAll(
        broker,
        Array.from({ length: 20 }, (_, at) => message('a', n + at, large('a', n + at))),
      );
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    await waitUntil('all arrived', () => tried.length >= 400);
    expect(tried).toEqual(upTo('a', 400));
    await waitUntil('all is acknowledged', async () => (await broker.backlog()).get(service) === 0);
    expect(await broker.streams.trim()).toBe(400);
  });
});

test('what a group keeps whole has an end in characters; of the rest it keeps numbers', () => {
  const { message } = newPlace();
  const more = { id: '1-0', off: 1, shard: 0, publishedAt: new Date() };
  const one = { ...message('a', 1, large('a', 1)), ...more, eventId: uuid7() };
  const wholes = new Wholes();
  const items = Array.from({ length: 1_000 }, () => wholes.keep(one));
  expect(wholes.size).toBeLessThanOrEqual(64 * MB);
  expect(items.filter(item => item.message !== undefined)).toHaveLength(335);
  expect(firstOf(items)).toHaveLength(20);
  expect(firstOf([{ ...(items[0] as (typeof items)[number]), size: 5 * MB }])).toHaveLength(1);
  for (const item of items) wholes.drop(item);
  expect(wholes.size).toBe(0);
});
