import { createConnection, createServer, type Socket } from 'node:net';
import { openDatabase } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Delivery, Outcome, Subscriber } from '../../broker.ts';
import { ensureCursors, Membership } from './leases.ts';
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
