import { randomUUID } from 'node:crypto';
import type { Database } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RecordingConsumer, startConsumer } from '../../../fixtures/recording-consumer.ts';
import { unread } from '../append.ts';
import { listDeadLetters } from './dead-letters.ts';
import { replayRange } from './replay-range.ts';
import { seek } from './seek.ts';
import { replayDeadLetters, settleDeadLetters } from './settle-letters.ts';

const TOPIC = 'test.things.thing.changed.v1';
const change = { actor: 'nadia@desk', reason: 'test' };
const tenantId = newTenantId();
let database: TestDatabase;
let db: Database;
let rooms: RecordingConsumer;
beforeAll(async () => {
  database = await testDatabase();
  db = database.openAs('relay');
  rooms = await startConsumer(db, 'rooms-service');
});
afterAll(async () => {
  await rooms.stop();
  await database.drop();
});

/** A row as somebody writes it by hand. The text is its key, too. */
const inject = (text: string, attributes: string, envelope = JSON.stringify({ text })) =>
  database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     values (brokers.log_today(), nextval('brokers.log_off'), brokers.shard_of($1), $2, $1, $3, $4, $5, $6, 'by hand', now())`,
    [text, TOPIC, randomUUID(), tenantId, envelope, attributes],
  );
const came = (text: string, times: number) =>
  waitUntil(`${text} came ${times} times`, () => rooms.applied.filter(one => one === text).length === times);

test.each([
  ['a NUL', String.raw`{"traceparent":"\u0000"}`],
  ['NULs behind each other', String.raw`{"traceparent":"\\\u0000\u0000"}`],
  ['half a character', String.raw`{"traceparent":"a\ud83d"}`],
  ['the other half', String.raw`{"traceparent":"a\uDE00b"}`],
])(
  'DLQ-15, DLQ-26: a row with %s in its attributes is replayed, sought past and counted like others',
  async (what, attributes) => {
    await inject(what, attributes);
    await came(what, 1);
    await seek(db, change, { subscription: 'rooms-service', to: 'start' });
    await unread(db, 'rooms-service', [TOPIC]);
    await came(what, 2);
    const since = new Date(Date.now() - 3_600_000);
    const { events } = await replayRange(db, change, { subscription: 'rooms-service', since, tenantId });
    expect(events).toBeGreaterThan(0);
    await came(what, 3);
  },
);

test('DLQ-15: of a row whose attributes are a list the copy is for one subscription as well', async () => {
  await inject('list', '[]');
  await came('list', 1);
  await replayRange(db, change, { subscription: 'rooms-service', since: new Date(Date.now() - 3_600_000) });
  const copies = await database.admin(
    `select attributes ->> 'replayTarget' as target from brokers.log where ordering_key = 'list' order by off`,
  );
  expect(copies).toEqual([{ target: null }, { target: 'rooms-service' }]);
});

test('DLQ-15, DLQ-16: a dead letter with a NUL in its attributes and in its body is tried again, and settled', async () => {
  rooms.poison.add('dead');
  await inject('dead', String.raw`{"traceparent":"\u0000"}`, String.raw`{"text":"dead","note":"\u0000"}`);
  const letters = (count: number) =>
    waitUntil(
      `${count} dead letters`,
      async () => (await listDeadLetters(db, { tenantId })).length === count,
    );
  await letters(1);
  const tried = rooms.deliveries.length;
  await replayDeadLetters(db, change, { tenantId });
  await waitUntil('it was tried again', () => rooms.deliveries.length > tried);
  await letters(1);
  await settleDeadLetters(db, change, { how: 'skipped', filter: { tenantId } });
  await letters(0);
});
