import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Database } from '@ghasi/db/database';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { failAt } from '@ghasi/testing/failpoints';
import { describeWithRedis } from '@ghasi/testing/redis';
import { type RedisServer, startRedisServer } from '@ghasi/testing/redis-server';
import { waitUntil } from '@ghasi/testing/signal';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BrokerForgot, type Delivery, type Outcome, type Outgoing, type Subscriber } from '../../broker.ts';
import { firstsOf, newPlace, publishAll, recorder, upTo } from '../../conformance-world.conformance.ts';
import { listDeadLetters } from '../postgres/operations/dead-letters.ts';
import { replayDeadLetters } from '../postgres/operations/settle-letters.ts';
import { Connection } from './connection.ts';
import { openRedisStreamsBroker, type RedisStreamsBroker } from './redis-streams-broker.ts';
import { readScript } from './scripts.ts';
import { shardOf, toArguments } from './stream-entry.ts';
import { GroupMissing, type HeldShard, ShardLost, Streams } from './streams.ts';
import { missingSince } from './subscriptions.ts';

const times = { leaseMs: 2_000, heartbeatMs: 100, pollMs: 50, markMs: 50, trimMs: 60_000, skewMs: 0 };
const cleanUps: (() => unknown)[] = [];
const later = <T>(thing: T, cleanUp: (thing: T) => unknown): T => {
  cleanUps.push(() => cleanUp(thing));
  return thing;
};
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

let database: TestDatabase;
let relay: Database;
beforeAll(async () => {
  database = await testDatabase();
  relay = database.openAs('relay');
});
afterEach(() => database.admin('delete from brokers.cursor')); // a test's subscriptions are nobody else's
afterAll(() => database.drop());

async function openBroker(url: string, namespace = `test-${randomUUID()}`): Promise<RedisStreamsBroker> {
  const broker = await openRedisStreamsBroker({ url, db: relay, namespace, times });
  return later(broker, it => it.close());
}

/** What an outbox would do: remembers what was published and when, and publishes again what a broker forgot. */
function outboxOf(broker: RedisStreamsBroker) {
  let published: { message: Outgoing; at: Date }[] = [];
  const forgotten: number[] = [];
  const publish = async (messages: readonly Outgoing[]): Promise<void> => {
    try {
      await publishAll(broker, messages);
      const at = new Date();
      published.push(...messages.map(message => ({ message, at })));
    } catch (error) {
      if (!(error instanceof BrokerForgot)) throw error;
      let missing: Outgoing[] = [];
      await broker.recover(async since => {
        const isMissing = ({ at }: { at: Date }) => since !== undefined && at >= since;
        missing = published.filter(isMissing).map(({ message }) => message);
        published = published.filter(one => !isMissing(one));
      });
      forgotten.push(missing.length);
      await publish([...missing, ...messages]);
    }
  };
  return { publish, forgotten };
}

/** What somebody would have to say to Redis to put a message on its stream without us. */
function byHand(namespace: string, message: Outgoing, place: number): [string, string, ...string[]] {
  const [, t, k, e, n, a, q, b] = toArguments(message, 0) as [string, ...string[]];
  const fields = { t, k, e, n, a, q, b } as Record<string, string>;
  const id = `${(Date.now() + 60_000) * 1000 + place}-0`; // after all that was published
  return [`${namespace}:broker:shard:${shardOf(message.orderingKey)}`, id, ...Object.entries(fields).flat()];
}

describeWithRedis('Redis Streams', url => {
  const openStreams = async (namespace = `test-${randomUUID()}`) => {
    const connection = later(new Connection({ url, log: undefined }), it => it.close());
    await connection.open();
    const streams = new Streams(connection, namespace);
    await streams.beginEra();
    return streams;
  };

  test('whoever lost a shard reads nothing from it, so nothing is missing for the new owner', async () => {
    const { message, service } = newPlace();
    const streams = await openStreams();
    await streams.makeGroup(service, 'end');
    await streams.add([message('a', 1), message('a', 2)]);
    const all = (epoch: number) => Array.from({ length: 16 }, (_, shard) => ({ shard, epoch }));
    const first = { group: service, consumer: 'first' };
    const second = { group: service, consumer: 'second' };
    const read = await streams.read(first, all(1), 1);
    expect(read.entries).toHaveLength(1);
    const takeOver = async (reader: typeof first, held: HeldShard) => {
      const entries = [];
      for await (const page of streams.takeOver(reader, held)) entries.push(...page);
      return entries;
    };
    const taken = (await Promise.all(all(2).map(held => takeOver(second, held)))).flat();
    expect(taken).toEqual(read.entries);
    await expect(streams.read(first, all(1), 1)).rejects.toThrow(ShardLost);
    await expect(takeOver(first, { shard: 0, epoch: 1 })).rejects.toThrow(ShardLost);
    expect((await streams.read(second, all(2), 10)).entries).toHaveLength(1);
  });

  test('a group that was never made is told from an empty one', async () => {
    const streams = await openStreams();
    const reader = { group: 'nobody', consumer: 'me' };
    await expect(streams.read(reader, [{ shard: 0, epoch: 1 }], 1)).rejects.toThrow(GroupMissing);
    expect(await streams.trim()).toBe(0);
  });

  test('OUTBOX-34: only what every subscription has acknowledged is trimmed', async () => {
    const { message, service } = newPlace();
    const streams = await openStreams();
    const [fast, slow] = [`${service}-fast`, `${service}-slow`];
    await streams.makeGroup(fast, 'end');
    await streams.makeGroup(slow, 'end');
    await streams.add([1, 2, 3].map(n => message('a', n)));
    const take = async (group: string, most: number) => {
      const held = Array.from({ length: 16 }, (_, shard) => ({ shard, epoch: 1 }));
      return (await streams.read({ group, consumer: 'me' }, held, most)).entries;
    };
    const acknowledge = (group: string, entries: Awaited<ReturnType<typeof take>>) =>
      Promise.all(entries.map(({ shard, raw: [id] }) => streams.acknowledge(group, shard, [id])));
    await acknowledge(fast, await take(fast, 10));
    expect(await streams.trim()).toBe(0); // the slow one has seen nothing
    const [first, second] = await take(slow, 2);
    expect(await streams.trim()).toBe(0); // given out is not acknowledged
    await acknowledge(slow, second === undefined ? [] : [second]);
    expect(await streams.trim()).toBe(0); // the first is still open
    await acknowledge(slow, first === undefined ? [] : [first]);
    expect(await streams.trim()).toBe(2);
    expect(await streams.unread(slow)).toBe(1);
    await acknowledge(slow, await take(slow, 10));
    expect(await streams.trim()).toBe(1);
  });

  test('what somebody wrote to a stream by hand is kept aside, said aloud and held back by nobody', async () => {
    const { message, service, topic } = newPlace();
    const namespace = `test-${randomUUID()}`;
    const broker = await openBroker(url, namespace);
    await broker.recover(async () => {});
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    const raw = later(new Redis(url), it => it.disconnect());
    for (let shard = 0; shard < 16; shard++)
      await raw.xadd(`${namespace}:broker:shard:${shard}`, '1-0', 'what', 'ever');
    await publishAll(broker, [message('a', 1)]);
    await waitUntil('a real message passed', () => tried.length > 0);
    await waitUntil('nothing is left', async () => {
      await broker.flush();
      return (await broker.backlog()).get(service) === 0;
    });
    const kept = await broker.streams.deadLetters('unreadable');
    expect(kept).toHaveLength(16);
    expect(kept[0]).toEqual({ id: '1-0', subscription: service, fields: '["what","ever"]' });
  });

  test('TEN-18, X-094: recovering leaves no lock to a session that a pooler gives to others', async () => {
    const broker = await openBroker(url);
    const holders: { state: string }[] = [];
    await broker.recover(async () => {
      holders.push(
        ...(await database.admin<{ state: string }>(
          `select a.state
           from pg_locks l
           join pg_stat_activity a using (pid)
           where l.locktype = 'advisory' and l.objid = 7310024 and a.datname = current_database()`,
        )),
      );
    });
    expect(holders).toEqual([{ state: 'idle in transaction' }]);
  });

  test('OUTBOX-38: messages whose answer was lost on the way come again, before the later ones of their key', async () => {
    const { message, service, topic } = newPlace();
    const namespace = `test-${randomUUID()}`;
    const producer = await openBroker(url, namespace);
    await producer.recover(async () => {});
    await producer.prepare([service]);
    await publishAll(
      producer,
      [1, 2, 3].map(n => message('a', n)),
    );
    let cuts = 0;
    const judge = (chunk: Buffer) => (chunk.includes(readScript.sha) && cuts++ === 0 ? 'cut-after' : 'pass');
    const proxy = later(await tcpProxy({ target: targetOf(url), judge }), it => it.close());
    const { subscriber, tried } = recorder(service, [topic]);
    const consumer = await openBroker(proxy.through(url), namespace);
    await consumer.subscribe([subscriber]); // its first look takes all three, and hears nothing of them
    await waitUntil('the line was cut', () => cuts > 0);
    await publishAll(producer, [message('a', 4), message('a', 5)]);
    await waitUntil('the newest arrived', () => tried.includes('a:5'));
    expect(tried).toEqual(upTo('a', 5));
  });

  test('what a look took before it found that a group was gone is given again', async () => {
    const { message, service, topic } = newPlace();
    const namespace = `test-${randomUUID()}`;
    const broker = await openBroker(url, namespace);
    await broker.recover(async () => {});
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    await publishAll(broker, [message('first', 1)]);
    await waitUntil('it reads', () => tried.length === 1);
    const raw = later(new Redis(url), it => it.disconnect());
    const keys = Array.from({ length: 40 }, (_, at) => `k${at}`);
    // At once, so that one look meets both: new messages, and a shard whose group Redis has forgotten.
    const both = raw.multi().xgroup('DESTROY', `${namespace}:broker:shard:15`, service);
    for (const [at, key] of keys.entries()) both.xadd(...byHand(namespace, message(key, 1), at));
    await both.exec();
    await waitUntil('all arrived', () => new Set(tried).size === 1 + keys.length);
  });

  test.each([
    ['whose body is no JSON', { envelope: 'what ever' }],
    ['with a NUL in its key', { orderingKey: 'a\0b' }],
    ['that is no JSON, behind a key that is parked', { envelope: 'what ever', orderingKey: 'parked' }],
  ])('a message written by hand %s is kept aside, and everything else flows', async (_what, more) => {
    const { message, service, topic } = newPlace();
    const namespace = `test-${randomUUID()}`;
    const broker = await openBroker(url, namespace);
    await broker.recover(async () => {});
    const { subscriber, tried } = recorder(service, [topic]);
    const dead = { kind: 'dead', error: 'nobody can read it' } as const;
    const isBad = ({ eventId, orderingKey }: Delivery) => eventId === bad.eventId || orderingKey === 'parked';
    const handle: Subscriber['handle'] = async (batch, fence) => {
      const good = await subscriber.handle(
        batch.filter(one => !isBad(one)),
        fence,
      );
      return batch.map(one => (isBad(one) ? dead : (good[0] as Outcome)));
    };
    await broker.subscribe([{ ...subscriber, handle }]);
    const bad = message('a', 1, more);
    await publishAll(broker, [message('parked', 1, { orderingKey: 'parked' })]);
    const letters = () => broker.streams.deadLetters(topic);
    await waitUntil('a key is parked', async () => (await letters()).length === 1);
    const raw = later(new Redis(url), it => it.disconnect());
    await raw.xadd(...byHand(namespace, bad, 0));
    for (let n = 1; n <= 3; n++) await raw.xadd(...byHand(namespace, message('b', n), n));
    await waitUntil('the others passed', () => tried.includes('b:3'));
    await waitUntil('nothing is left', async () => {
      await broker.flush();
      return (await broker.backlog()).get(service) === 0;
    });
    const kept = (await letters()).filter(({ eventId }) => eventId === bad.eventId);
    expect(kept.at(-1)).toMatchObject({ envelope: bad.envelope, orderingKey: bad.orderingKey });
    expect(await listDeadLetters(relay, { subscription: service })).toHaveLength(1); // the parked one
  });

  test('more dead letters than slots are replayed one after the other, not one lot per heartbeat', async () => {
    const { message, service, topic } = newPlace();
    const hour = 3_600_000;
    const slow = { ...times, heartbeatMs: hour, leaseMs: hour };
    const broker = later(
      await openRedisStreamsBroker({ url, db: relay, namespace: `test-${randomUUID()}`, times: slow }),
      it => it.close(),
    );
    await broker.recover(async () => {});
    let isBroken = true;
    const { subscriber, tried } = recorder(service, [topic], {
      concurrency: 2,
      decide: () => (isBroken ? { kind: 'dead', error: 'not yet' } : { kind: 'done' }),
    });
    await broker.subscribe([subscriber]);
    await publishAll(
      broker,
      Array.from({ length: 30 }, (_, at) => message(`k${at}`, 1)),
    );
    const letters = () => listDeadLetters(relay, { subscription: service });
    await waitUntil('all are dead letters', async () => (await letters()).length === 30);
    isBroken = false;
    await replayDeadLetters(relay, { actor: 'usr_operator', reason: 'test' }, { subscription: service });
    await Promise.all([broker.retryParked(), broker.retryParked()]);
    await waitUntil('all were tried again', () => tried.length === 60);
  });

  test('an acknowledgement that did not get through is sent again', async () => {
    const { message, service, topic } = newPlace();
    const broker = await openBroker(url);
    await broker.recover(async () => {});
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    failAt('broker.before-ack');
    await publishAll(broker, [message('a', 1)]);
    await waitUntil('it was handled', () => tried.length > 0);
    await broker.flush();
    expect((await broker.backlog()).get(service)).toBe(1);
    disarmFailpoints();
    await waitUntil('it got through', async () => (await broker.backlog()).get(service) === 0);
    expect(tried).toEqual(['a:1']);
  });
});

const isHere = (process.env.PATH ?? '')
  .split(delimiter)
  .some(folder => existsSync(join(folder, 'redis-server')));
// house-ok patient-tests: the design asks that a run without Redis says what it left out
describe.runIf(isHere)('Redis Streams with a server of its own', () => {
  const ownRedis = async (...args: string[]): Promise<RedisServer & { admin: Redis }> => {
    const server = (await startRedisServer({ own: true, args })) as RedisServer;
    later(server, it => it.stop());
    return { ...server, admin: later(new Redis(server.url), it => it.disconnect()) };
  };

  test('safety-30: after FLUSHALL with consumers down, what was unread is published again before anything new', async () => {
    const redis = await ownRedis();
    const namespace = 'melm';
    const { message, service, topic } = newPlace();
    const producer = await openBroker(redis.url, namespace);
    await producer.prepare([service]);
    const outbox = outboxOf(producer);
    const before = recorder(service, [topic]);
    const first = await openBroker(redis.url, namespace);
    await first.subscribe([before.subscriber]);
    await outbox.publish([1, 2, 3].map(n => message('a', n)));
    await waitUntil('three are done', () => before.tried.length === 3);
    const doneAt = new Date();
    await waitUntil('it is noted that three are done', async () => {
      const since = await missingSince(relay, 0);
      return since !== undefined && since > doneAt;
    });
    await first.close();
    await outbox.publish([4, 5].map(n => message('a', n)));

    await redis.admin.flushall();
    await outbox.publish([message('a', 6)]);
    const busy = recorder(`${service}-busy`, [topic]); // somebody else who is done at once must not trim it away
    const third = await openBroker(redis.url, namespace);
    await third.subscribe([busy.subscriber]);
    await third.streams.trim();
    const after = recorder(service, [topic]);
    const second = await openBroker(redis.url, namespace);
    await second.subscribe([after.subscriber]);
    await waitUntil('the newest arrived', () => after.tried.includes('a:6'));
    expect(after.tried.slice(-3)).toEqual(['a:4', 'a:5', 'a:6']);
    expect(outbox.forgotten.at(-1)).toBeLessThanOrEqual(3); // what was done long before is not sent again
  });

  test('safety-30: after FLUSHALL under a running consumer it goes on, and misses nothing', async () => {
    const redis = await ownRedis();
    const { message, service, topic } = newPlace();
    const broker = await openBroker(redis.url);
    const outbox = outboxOf(broker);
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    for (let n = 1; n <= 30; n++) {
      if (n % 10 === 5) await redis.admin.flushall();
      await outbox.publish([message('a', n), message('b', n)]);
    }
    await waitUntil('all arrived', () => new Set(tried).size === 60);
    for (const key of ['a', 'b']) expect(firstsOf(tried, key)).toEqual(upTo(key, 30));
  });

  test('a stream that somebody deleted is noticed by whoever consumes it', async () => {
    const redis = await ownRedis();
    const { message, service, topic } = newPlace();
    const broker = await openBroker(redis.url, 'melm');
    await broker.prepare([service]);
    const outbox = outboxOf(broker);
    await outbox.publish([message('a', 1), message('a', 2)]);
    await redis.admin.del(...Array.from({ length: 16 }, (_, shard) => `melm:broker:shard:${shard}`));
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    // It looks, finds nothing more and notes how far it came: that must not count as having read what is gone.
    await redis.admin.xadd('melm:broker:shard:0', '1-0', 'what', 'ever');
    await waitUntil('it has looked', async () => (await broker.streams.deadLetters('unreadable')).length > 0);
    await broker.flush();
    await outbox.publish([message('a', 3)]);
    await waitUntil('all arrived', () => tried.length >= 3);
    expect(tried).toEqual(upTo('a', 3));
    await redis.admin.del(...Array.from({ length: 16 }, (_, shard) => `melm:broker:shard:${shard}`));
    await waitUntil('it was noticed', () =>
      broker.publish([]).then(
        () => false,
        error => error instanceof BrokerForgot,
      ),
    );
  });

  test('DLQ-39: a failover to a replica that lacks the last messages is noticed', async () => {
    const [primary, replica] = [await ownRedis(), await ownRedis()];
    const portOf = (server: RedisServer) => Number(new URL(server.url).port);
    await replica.admin.replicaof('127.0.0.1', portOf(primary));
    await waitUntil('it follows', async () =>
      (await replica.admin.info('replication')).includes('master_link_status:up'),
    );
    const target = { host: '127.0.0.1', port: portOf(primary) };
    const proxy = later(await tcpProxy({ target }), it => it.close());
    const { message, service, topic } = newPlace();
    const broker = await openBroker(proxy.through(primary.url));
    await broker.prepare([service]);
    const outbox = outboxOf(broker);
    await outbox.publish([message('a', 1)]);
    await primary.admin.wait(1, 0);
    await replica.admin.replicaof('NO', 'ONE');
    await outbox.publish([message('a', 2)]); // accepted, and never seen by the replica
    target.port = portOf(replica);
    proxy.cutAll();
    const reached = () =>
      outbox
        .publish([message('a', 3)])
        .then(() => true)
        .catch(() => false);
    await waitUntil('the new primary is reached', reached);
    const { subscriber, tried } = recorder(service, [topic]);
    await broker.subscribe([subscriber]);
    await waitUntil('the newest arrived', () => tried.includes('a:3'));
    expect(firstsOf(tried, 'a')).toEqual(upTo('a', 3));
  });

  test('a Redis that may evict is refused, and the message says which policy it has', async () => {
    const redis = await ownRedis('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
    await expect(openBroker(redis.url)).rejects.toThrow(
      'maxmemory-policy is allkeys-lru, it must be noeviction',
    );
  });

  test('no Redis there: opening says where and why, without the password', async () => {
    const opening = openBroker('redis://melm:secret@127.0.0.1:1');
    await expect(opening).rejects.toThrow(/127\.0\.0\.1:1 .*ECONNREFUSED/);
    await expect(opening).rejects.not.toThrow('secret');
  });

  test('OUTBOX-34: a full Redis refuses messages, and whoever comes new gets those it has and makes room', async () => {
    const redis = await ownRedis('--maxmemory', '5mb');
    const namespace = 'melm';
    const { message, service, topic } = newPlace();
    const producer = await openBroker(redis.url, namespace);
    await producer.prepare([service]);
    await producer.recover(async () => {});
    const big = (n: number) => {
      const envelope = JSON.stringify({ key: 'a', n, fill: 'x'.repeat(50_000) });
      return message('a', n, { envelope });
    };
    let taken = 0;
    const fill = async () => {
      for (let n = 1; n < 1_000; n++) if ((await producer.publish([big(n)]))[0]?.ok) taken = n;
    };
    await expect(fill()).rejects.toThrow('OOM');
    expect(taken).toBeGreaterThan(10);
    const { subscriber, tried } = recorder(service, [topic]);
    const fresh = recorder(`${service}-new`, [topic]); // its groups are not there yet
    const consumer = await openBroker(redis.url, namespace);
    await consumer.subscribe([subscriber, fresh.subscriber]);
    await waitUntil('what it took arrived', () => tried.length >= taken);
    expect(tried).toEqual(upTo('a', taken));
    await waitUntil('all is acknowledged', async () => (await consumer.backlog()).get(service) === 0);
    expect(await consumer.streams.trim()).toBe(taken);
    await publishAll(producer, [big(taken + 1)]);
    await waitUntil('both have the next', () => tried.length > taken && fresh.tried.length > 0);
    expect(fresh.tried).toEqual([`a:${taken + 1}`]);
  });

  test('safety-30: a Redis user without FLUSHALL, KEYS, CONFIG and EVAL is enough', async () => {
    const redis = await ownRedis();
    const allowed = '+@all -@admin -@dangerous -eval -eval_ro -function +info +evalsha +script|load';
    const user = ['melm', 'reset', 'on', '>secret', '~melm:*', '&melm:*', ...allowed.split(' ')];
    await redis.admin.call('ACL', 'SETUSER', ...user);
    const { message, service, topic } = newPlace();
    const broker = await openBroker(redis.url.replace('redis://', 'redis://melm:secret@'), 'melm');
    await broker.recover(async () => {});
    const { subscriber, tried } = recorder(service, [topic], {
      decide: what => (what === 'b:1' ? { kind: 'dead', error: 'never' } : { kind: 'done' }),
    });
    await broker.subscribe([subscriber]);
    await publishAll(broker, [message('a', 1), message('b', 1)]);
    await waitUntil('both were tried', () => tried.length >= 2);
    await waitUntil(
      'the dead letter has a record',
      async () => (await broker.streams.deadLetters(topic)).length > 0,
    );
    await waitUntil('both are acknowledged', async () => (await broker.backlog()).get(service) === 0);
    expect(await broker.streams.trim()).toBe(2);
  });
});
