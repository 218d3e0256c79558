import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newPlace, publishAll, recorder } from '../../conformance-world.conformance.ts';
import { append } from './append.ts';
import { moveCursors } from './leases.ts';
import { PostgresBroker } from './postgres-broker.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

/** As if a replica had taken over that has the log up to this offset only, and cursors of that time; and then whatever `more` does. */
const takeOver = (lastOff: number, more = '') =>
  database.admin(`
    do $$ begin
      set local session_replication_role = replica;
      update brokers.cursor set off = least(off, ${lastOff});
      delete from brokers.log where off > ${lastOff};
      perform setval('brokers.log_off', ${lastOff});
      ${more}
    end $$`);

/** A subscription that has read ten messages and written that down. */
async function tenRead() {
  const { service, topic, message } = newPlace();
  const { subscriber, tried } = recorder(service, [topic]);
  const broker = new PostgresBroker({
    db: database.openAs('relay'),
    times: { heartbeatMs: 50, pollMs: 50, ackMs: 20 },
  });
  await broker.subscribe([subscriber]);
  const ten = Array.from({ length: 10 }, (_, n) => message(`old${n}`, 1));
  await publishAll(broker, ten);
  const offs = async () =>
    (await database.admin<{ off: number }>('select distinct off::float8 as off from brokers.cursor')).map(
      ({ off }) => off,
    );
  const [{ last = 0 } = {}] = await database.admin<{ last: number }>(
    'select max(off)::float8 as last from brokers.log',
  );
  await waitUntil('the cursors stand behind them', async () => `${await offs()}` === `${last}`);
  return { broker, tried, last, message, offs, service };
}

test('after a replica without the end of the log took over, new events with old numbers arrive', async () => {
  const { broker, tried, last, message, offs } = await tenRead();
  await takeOver(last - 5);
  await waitUntil('the broker has noticed', async () => {
    const epochs = await database.admin<{ epoch: number }>(
      'select min(epoch)::int as epoch from brokers.cursor',
    );
    return (epochs[0]?.epoch ?? 0) > 1;
  });
  await broker.flush();
  expect(await offs()).toEqual([last - 5]);
  await publishAll(broker, [message('new', 1), message('new', 2)]);
  await waitUntil('they arrive', () => tried.includes('new:2'));
  expect(tried.slice(10)).toEqual(['new:1', 'new:2']);
  await broker.close();
});

test('the same if the log is longer again before anybody has looked: with their connections, all lost their place', async () => {
  const { broker, tried, last, message } = await tenRead();
  const other = database.openAs('relay');
  await takeOver(
    last - 5,
    "perform pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'relay';",
  );
  await append(
    other,
    Array.from({ length: 9 }, (_, n) => message(`new${n}`, 1)),
  );
  await waitUntil('they arrive', () => new Set(tried.filter(what => what.startsWith('new'))).size === 9);
  await broker.close();
});

test('a cursor is never moved past the end of the log', async () => {
  const { broker, last, offs, service } = await tenRead();
  await broker.close();
  const cursors = await database.admin<{ shard: number; epoch: number; off: number; day: string }>(
    'select shard, epoch::int as epoch, off::float8 as off, day from brokers.cursor',
  );
  const to = (off: number) =>
    moveCursors(database.openAs('relay'), service, cursors, { off, day: cursors[0]?.day as string });
  await to(last + 1);
  expect(await offs()).toEqual([last]);
});
