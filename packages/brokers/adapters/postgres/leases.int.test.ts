import { createConnection, createServer, type Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { openDatabase } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Delivery, Outcome, Subscriber } from '../../broker.ts';
import { newPlace } from '../../conformance-world.conformance.ts';
import { append } from './append.ts';
import { ensureCursors, Membership, moveCursors } from './leases.ts';
import { PostgresBroker } from './postgres-broker.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const done = async (batch: readonly Delivery[]): Promise<Outcome[]> => batch.map(() => ({ kind: 'done' }));

function startBroker(member: string, handle: Subscriber['handle']) {
  const broker = new PostgresBroker({ db: database.openAs('relay'), member, times: { heartbeatMs: 50 } });
  const subscriber: Subscriber = {
    name: 'slow-service',
    topics: ['t'],
    concurrency: 2,
    order: 'required',
    handle,
  };
  return broker.subscribe([subscriber]);
}

const heartbeatOf = async (member: string) => {
  const rows = await database.admin('select heartbeat_at::text from brokers.member where id = $1', [member]);
  return rows[0]?.heartbeat_at;
};

test('a process stays alive while shards are shared out anew and a handler of it takes long', async () => {
  const handling = signal();
  const release = signal();
  const first = await startBroker('first', async batch => {
    handling.fire();
    await release.promise;
    return done(batch);
  });
  const broker = new PostgresBroker({ db: database.openAs('relay') });
  const message = { topic: 't', tenantId: uuid7(), envelope: '{}', attributes: {}, enqueuedAt: new Date() };
  await broker.publish(
    Array.from({ length: 50 }, (_, n) => ({ ...message, orderingKey: `k${n}`, eventId: uuid7() })),
  );
  await handling.promise;
  const second = await startBroker('second', done); // the first must give half of its shards away, and waits for its handler
  for (let beats = 0; beats < 3; beats++) {
    const before = await heartbeatOf('first');
    await waitUntil(
      'the first process says that it lives',
      async () => (await heartbeatOf('first')) !== before,
    );
  }
  release.fire();
  await first.stop();
  await second.stop();
});

test('a subscription gets the shards of a process that left, whatever another subscription still waits for', async () => {
  const [handling, release] = [signal(), signal()];
  const seen = new Set<string>();
  const subscriber = (name: string, topic: string, handle: Subscriber['handle']): Subscriber => ({
    ...{ name, topics: [topic], concurrency: 2, order: 'required' as const, handle },
  });
  const start = async (member: string, stuck: Subscriber['handle'], free: Subscriber['handle']) => {
    const broker = new PostgresBroker({ db: database.openAs('relay'), member, times: { heartbeatMs: 50 } });
    return broker.subscribe([
      subscriber('stuck-service', 'stuck.v1', stuck),
      subscriber('free-service', 'free.v1', free),
    ]);
  };
  const stays = await start(
    'stays',
    async batch => {
      handling.fire();
      await release.promise;
      return done(batch);
    },
    async batch => {
      for (const { orderingKey } of batch) seen.add(orderingKey);
      return done(batch);
    },
  );
  const leaves = await start('leaves', done, done);
  const owned = async (member: string) =>
    (await database.admin('select from brokers.cursor where owner = $1', [member])).length;
  await waitUntil('each has half of the shards', async () => (await owned('leaves')) === 16);
  const broker = new PostgresBroker({ db: database.openAs('relay') });
  const publish = (topic: string) => {
    const about = { topic, tenantId: uuid7(), envelope: '{}', attributes: {}, enqueuedAt: new Date() };
    const keys = Array.from({ length: 50 }, (_, n) => ({ orderingKey: `k${n}`, eventId: uuid7() }));
    return broker.publish(keys.map(key => ({ ...about, ...key })));
  };
  await publish('stuck.v1');
  await handling.promise;
  await leaves.stop();
  await publish('free.v1');
  await waitUntil('messages of all shards have come', () => seen.size === 50);
  release.fire();
  await stays.stop();
});

test('what a process holds of a subscription that it no longer serves is free', async () => {
  await ensureCursors(database.openAs('relay'), ['kept-service', 'dropped-service']);
  const member = (id: string) => new Membership(database.openAs('relay'), { id, leaseMs: 3_600_000 });
  const before = member('named');
  await before.balance(['kept-service', 'dropped-service']);
  const after = member('named'); // started again under its name, with one service less
  await after.beat(['kept-service']);
  const heir = member('heir-of-one');
  const { held } = await heir.balance(['dropped-service', 'kept-service']);
  expect(held.get('dropped-service')).toHaveLength(16);
  expect(held.get('kept-service')).toEqual([]);
  for (const one of [heir, after, before]) await one.leave();
});

test('how far a shard was read is said by whoever holds it, and never taken back', async () => {
  const db = database.openAs('relay');
  const { service, message } = newPlace();
  await ensureCursors(db, [service]);
  const published = await append(
    db,
    [1, 2, 3].map(version => message('a', version)),
  );
  const [one = 0, two = 0, three = 0] = published.map(answer => (answer.ok ? Number(answer.id) : 0));
  const cursor = async () => {
    const [found] = await database.admin<{ off: number; day: string }>(
      'select off::float8 as off, day from brokers.cursor where subscription = $1 and shard = 0',
      [service],
    );
    return found as { off: number; day: string };
  };
  const { off: began, day } = await cursor();
  const move = async (epoch: number, off: number) => {
    await moveCursors(db, service, [{ shard: 0, epoch, off: began, day }], { off, day });
    return (await cursor()).off;
  };
  expect(await move(0, two)).toBe(two);
  expect(await move(0, one)).toBe(two);
  await database.admin('update brokers.cursor set epoch = epoch + 1 where subscription = $1', [service]);
  expect(await move(0, three)).toBe(two);
  expect(await move(1, three)).toBe(three);
});

test('what is left of processes that crashed days ago goes when another one begins', async () => {
  await database.admin(
    `insert into brokers.member (id, subscriptions, heartbeat_at)
     select 'crashed-' || days, '{}', now() - make_interval(days => days) from unnest('{0, 2, 30}'::integer[]) days`,
  );
  const membership = new Membership(database.openAs('relay'), { id: 'begins', leaseMs: 10_000 });
  await membership.beat([]);
  const left = await database.admin("select id from brokers.member where id like 'crashed-%'");
  expect(left).toEqual([{ id: 'crashed-0' }]);
  await membership.leave();
});

test('a process that stops keeps its shards until the last handler of it has ended, however long a lease is', async () => {
  const [handling, release] = [signal(), signal()];
  const stops = new PostgresBroker({
    db: database.openAs('relay'),
    member: 'stops',
    times: { heartbeatMs: 20 },
  });
  await stops.subscribe([
    {
      ...{ name: 'last-service', topics: ['last.v1'], concurrency: 1, order: 'required' },
      async handle(batch) {
        handling.fire();
        await release.promise;
        return done(batch);
      },
    },
  ]);
  const message = {
    topic: 'last.v1',
    tenantId: uuid7(),
    envelope: '{}',
    attributes: {},
    enqueuedAt: new Date(),
  };
  await stops.publish([{ ...message, orderingKey: 'k', eventId: uuid7() }]);
  await handling.promise;
  const closed = stops.close();
  // As if a lease had passed since: it has to say once more that it lives.
  await database.admin(
    `update brokers.member set heartbeat_at = heartbeat_at - interval '1 hour' where id = 'stops'`,
  );
  await waitUntil('it says that it lives', async () => {
    const [own] = await database.admin<{ lives: boolean }>(
      `select heartbeat_at > now() - interval '1 minute' as lives from brokers.member where id = 'stops'`,
    );
    return own?.lives;
  });
  const heir = new Membership(database.openAs('relay'), { id: 'heir', leaseMs: 10_000 });
  const shards = async () => (await heir.balance(['last-service'])).held.get('last-service')?.length;
  expect(await shards()).toBe(0);
  release.fire();
  await closed;
  expect(await shards()).toBe(16);
  await heir.leave();
});

/** A line to the server that can break on this side alone, as when a network is lost: the server keeps its session. */
async function breakableLine(url: string) {
  const clients = new Set<Socket>();
  const servers = new Set<Socket>();
  const listener = createServer(client => {
    const server = createConnection(Number(new URL(url).port), '127.0.0.1');
    clients.add(client);
    servers.add(server);
    client.on('data', chunk => server.write(chunk)).on('error', () => {});
    server.on('data', chunk => client.destroyed || client.write(chunk)).on('error', () => {});
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((listener.address() as { port: number }).port);
  onTestFinished(() => {
    for (const socket of [...clients, ...servers]) socket.destroy();
    listener.close();
  });
  return {
    url: through.href,
    breakHere() {
      for (const client of clients) client.destroy();
    },
  };
}

test('a process that lost its network comes back at once, whatever the server still believes of its old session', async () => {
  const line = await breakableLine(database.roleUrl('relay'));
  const db = openDatabase({ url: line.url, service: 'relay', max: 2 });
  const membership = new Membership(db, { id: 'traveller', leaseMs: 10_000 });
  await ensureCursors(db, ['far-service']);
  const shards = async () => (await membership.balance(['far-service'])).held.get('far-service')?.length;
  expect(await shards()).toBe(16);
  line.breakHere();
  await waitUntil('it holds its shards again', () => shards().catch(() => undefined), { timeoutMs: 8_000 });
  await membership.leave();
  await db.close();
});

test('a process that says for months that it lives keeps nothing of it in memory', async () => {
  const db = database.openAs('relay');
  const member = new Membership(db, { id: 'old', leaseMs: 10_000 });
  const arrays = () => queryObjects(Array, { format: 'count' }); // after it has collected what nobody holds
  await member.beat(['s']);
  const before = arrays();
  for (let beats = 0; beats < 1_000; beats++) await member.beat(['s']);
  expect(arrays() - before).toBeLessThan(500);
  await member.leave();
});

test('a process that cannot say goodbye leaves no connection open: nothing else would keep it from ending', async () => {
  const db = database.openAs('relay');
  const member = new Membership(db, { id: 'hasty', leaseMs: 10_000 });
  const sessions = () =>
    database.admin(
      `select from pg_stat_activity where datname = current_database() and application_name = 'melm-member'`,
    );
  const before = (await sessions()).length;
  await member.beat(['s']);
  expect(await sessions()).toHaveLength(before + 1);
  await db.close();
  await expect(member.leave()).rejects.toThrow();
  await waitUntil('its session is over', async () => (await sessions()).length === before);
});
