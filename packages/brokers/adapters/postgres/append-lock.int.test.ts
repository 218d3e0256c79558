import { openDatabase } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { carriesCommit, targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newPlace } from '../../conformance-world.conformance.ts';
import { append } from './append.ts';
import { ensureCursors, Membership } from './leases.ts';
import { replayRange } from './operations/replay-range.ts';
import { parkFailure } from './parked.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** A way to the database, and what left on it in one go, as far as it asked for the lock of those who append. */
async function watched() {
  const locking: Buffer[] = [];
  const url = database.roleUrl('relay');
  const proxy = await tcpProxy({
    target: targetOf(url),
    judge(chunk) {
      if (chunk.includes('append_lock')) locking.push(chunk);
      return 'pass';
    },
  });
  const db = openDatabase({ url: proxy.through(url), service: 'relay', max: 1 });
  onTestFinished(async () => {
    await db.close();
    await proxy.close();
  });
  return { db, locking };
}

const { service, topic, tenantId, message } = newPlace();
const parked = (off: number) => ({
  ...message('a', off),
  ...{ id: String(off), off, shard: 0, publishedAt: new Date() },
});

test('a dead letter is appended in the packet that commits it: nobody waits for this process', async () => {
  const { db, locking } = await watched();
  await ensureCursors(db, [service]);
  const failure = { attempts: 1, error: 'bad', giveUp: true };
  const retry = { minBackoffMs: 1, maxBackoffMs: 1, maxAttempts: 1 };
  const key = { subscription: service, parkKey: 'k', tenantId, shard: 0, epoch: 0 };
  expect(await parkFailure(db, key, parked(1), { ...failure, retry })).toBe('dead');
  expect(locking.map(carriesCommit)).toEqual([true]);
  expect(await database.admin('select from brokers.log where topic = $1', [`${topic}.dlq`])).toHaveLength(1);
});

test('so is what a replay copies, and a message that is appended needs no other packet at all', async () => {
  const { db, locking } = await watched();
  await ensureCursors(db, [service]);
  const [appended] = await append(db, [message('b', 1)]);
  expect(locking).toHaveLength(1);
  expect(locking[0]?.includes('insert into brokers.log')).toBe(true);
  expect(await database.admin('select off::text as id from brokers.log where topic = $1', [topic])).toEqual([
    { id: appended?.ok && appended.id },
  ]);
  const operator = { actor: 'usr_operator', reason: 'test' };
  const since = new Date(Date.now() - 3_600_000);
  const replay = await watched();
  const replayed = await replayRange(replay.db, operator, { subscription: service, since });
  expect(replayed.events).toBe(1);
  expect(replay.locking.map(carriesCommit)).toEqual([true]);
});

test('a process says that it lives although all its connections wait for that lock', async () => {
  const db = openDatabase({ url: database.roleUrl('relay'), service: 'relay', max: 1 });
  const busy = await db.pool.connect();
  const membership = new Membership(db, { id: 'busy', leaseMs: 10_000 });
  await membership.beat([service]);
  expect(await database.admin("select id from brokers.member where id = 'busy'")).toHaveLength(1);
  busy.release();
  await membership.leave();
  await db.close();
});
