import type { Database } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  appendToLog,
  everything,
  type RecordingConsumer,
  startConsumer,
} from '../../../fixtures/recording-consumer.ts';
import { listDeadLetters, listSettledLetters, showDeadLetter } from './dead-letters.ts';
import { replayDeadLetters, settleDeadLetters } from './settle-letters.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = database.openAs('relay');
});
afterAll(() => database.drop());

const running: RecordingConsumer[] = [];
afterEach(async () => {
  for (const consumer of running.splice(0)) await consumer.stop();
});

let consumers = 0;
async function start(...poison: string[]): Promise<RecordingConsumer> {
  consumers += 1;
  const consumer = await startConsumer(db, `things${consumers}-service`);
  for (const text of poison) consumer.poison.add(text);
  running.push(consumer);
  return consumer;
}

const change = { actor: 'nadia@desk', reason: 'INC-17: the vendor is back' };
const dead = ({ name: subscription }: RecordingConsumer) => listDeadLetters(db, { subscription });
const operations = (action: string) =>
  database.admin('select actor, reason, detail from brokers.operation where action = $1 order by at', [
    action,
  ]);

test('DLQ-13, DLQ-17: a dead letter is listed with what waits behind it, and shown with envelope and last error', async () => {
  const consumer = await start('two');
  const tenantId = newTenantId();
  const [, two, three] = await appendToLog(
    db,
    ['one', 'two', 'three'].map(text => ({ tenantId, key: 'a', text })),
  );
  await waitUntil('three waits behind the dead letter', async () => (await dead(consumer))[0]?.waiting === 1);
  const [letter] = await dead(consumer);
  expect(letter).toMatchObject({
    id: two,
    subscription: consumer.name,
    topic: 'test.things.thing.changed.v1',
    tenantId,
    orderingKey: `${tenantId}:a`,
    attempts: 2,
    error: 'two is impossible',
  });
  const shown = await showDeadLetter(db, { ids: [two ?? 0], subscription: consumer.name });
  expect(JSON.parse(shown.envelope)).toEqual({ text: 'two' });
  expect(shown.attributes).toMatchObject({ traceparent: '00-1-2-01' });
  expect(shown.behind.map(({ id }) => id)).toEqual([three]);
  expect(consumer.applied).toEqual(['one']);
});

test('DLQ-14, DLQ-15: a replayed dead letter keeps its id and is applied before what waited behind it', async () => {
  const consumer = await start('two');
  const tenantId = newTenantId();
  await appendToLog(
    db,
    ['one', 'two', 'three', 'four'].map(text => ({ tenantId, key: 'a', text })),
  );
  const [letter] = await waitUntil('a dead letter', async () => {
    const found = await dead(consumer);
    return found[0]?.waiting === 2 ? found : undefined;
  });
  consumer.poison.clear();
  const progress: [number, number][] = [];
  const { letters } = await replayDeadLetters(db, change, { subscription: consumer.name }, (done, total) =>
    progress.push([done, total]),
  );
  expect(letters.map(({ id }) => id)).toEqual([letter?.id]);
  expect(progress).toEqual([[1, 1]]);
  await waitUntil('all applied', () => consumer.applied.length === 4);
  expect(consumer.applied).toEqual(['one', 'two', 'three', 'four']);
  const replayed = consumer.deliveries.filter(({ id }) => id === String(letter?.id)).at(-1);
  expect(replayed).toMatchObject({ eventId: letter?.eventId, attempt: 1 });
  await waitUntil('the key is free', async () => (await dead(consumer)).length === 0);
});

test('DLQ-24: a message that dies again in the same run is not replayed a second time', async () => {
  const consumer = await start('bad');
  const tenantId = newTenantId();
  await appendToLog(db, [{ tenantId, key: 'a', text: 'bad' }]);
  await waitUntil('a dead letter', async () => (await dead(consumer)).length === 1);
  const { letters } = await replayDeadLetters(db, change, { subscription: consumer.name });
  expect(letters).toHaveLength(1);
  await waitUntil('it died again', async () => (await dead(consumer)).length === 1);
  expect(consumer.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2]);
});

test('DLQ-24: skip takes the head out, keeps a copy and lets the key go on', async () => {
  const consumer = await start('two');
  const tenantId = newTenantId();
  const [, two] = await appendToLog(
    db,
    ['one', 'two', 'three'].map(text => ({ tenantId, key: 'a', text })),
  );
  await waitUntil('three waits', async () => (await dead(consumer))[0]?.waiting === 1);
  const filter = { ids: [two ?? 0], subscription: consumer.name };
  await settleDeadLetters(db, change, { how: 'skipped', filter });
  await waitUntil('three is applied', () => consumer.applied.includes('three'));
  expect(consumer.applied).toEqual(['one', 'three']);
  const [settled] = await listSettledLetters(db, { subscription: consumer.name });
  expect(settled).toMatchObject({ id: two, how: 'skipped', settledBy: 'nadia@desk', reason: change.reason });
  await waitUntil('the key is free', async () => {
    const keys = await database.admin('select from brokers.parked_key where subscription = $1', [
      consumer.name,
    ]);
    return keys.length === 0;
  });
});

test('DLQ-16, DLQ-17, DLQ-23: quarantine keeps the whole message with its last error', async () => {
  const consumer = await start('bad');
  const tenantId = newTenantId();
  const [off = 0] = await appendToLog(db, [{ tenantId, key: 'a', text: 'bad' }]);
  await waitUntil('a dead letter', async () => (await dead(consumer)).length === 1);
  const before = await database.admin(
    'select subscription, off, topic, ordering_key, event_id, tenant_id, envelope::text, attributes::text, published_at from brokers.parked_message where subscription = $1',
    [consumer.name],
  );
  await settleDeadLetters(db, change, { how: 'quarantined', filter: { subscription: consumer.name } });
  const after = await database.admin(
    'select subscription, off, topic, ordering_key, event_id, tenant_id, envelope::text, attributes::text, published_at from brokers.settled_letter where subscription = $1',
    [consumer.name],
  );
  expect(after).toEqual(before);
  const shown = await showDeadLetter(db, { ids: [off], subscription: consumer.name });
  expect(shown).toMatchObject({ how: 'quarantined', error: 'bad is impossible', attempts: 2 });
  expect(JSON.parse(shown.envelope)).toEqual({ text: 'bad' });
});

test('DLQ-25, safety-28: every change leaves who, why and what in the audit trail, and no entry without the change', async () => {
  const consumer = await start('bad');
  const tenantId = newTenantId();
  const [off] = await appendToLog(db, [{ tenantId, key: 'a', text: 'bad' }]);
  const [letter] = await waitUntil('a dead letter', async () => {
    const found = await dead(consumer);
    return found.length === 1 ? found : undefined;
  });
  const who = { actor: 'audited@desk', reason: 'because' };
  await settleDeadLetters(db, who, { how: 'skipped', filter: { subscription: consumer.name } });
  const entries = await database.admin(
    `select action, reason, detail from brokers.operation where actor = 'audited@desk'`,
  );
  expect(entries).toEqual([
    {
      action: 'dlq.skip',
      reason: 'because',
      detail: {
        filter: { subscription: consumer.name },
        count: 1,
        letters: [{ id: off, subscription: consumer.name, eventId: letter?.eventId, tenantId }],
      },
    },
  ]);
  await settleDeadLetters(db, who, { how: 'skipped', filter: { subscription: consumer.name } });
  expect(await operations('dlq.skip')).toHaveLength(
    (await listSettledLetters(db)).filter(one => one.how === 'skipped').length,
  );
});

test('safety-28: a change without a reason is refused before anything is touched', async () => {
  const nobody = { actor: 'nadia@desk', reason: '  ' };
  await expect(replayDeadLetters(db, nobody, {})).rejects.toThrow('Say who changes this and why');
});

test('DLQ-24: a dry run says what it would do and changes no table', async () => {
  const consumer = await start('bad', 'worse');
  const tenantId = newTenantId();
  await appendToLog(db, [
    { tenantId, key: 'a', text: 'bad' },
    { tenantId, key: 'b', text: 'worse' },
  ]);
  await waitUntil('two dead letters', async () => (await dead(consumer)).length === 2);
  await consumer.stop();
  running.splice(0);
  const before = await everything(database.admin);
  const plan = { ...change, dryRun: true };
  const filter = { subscription: consumer.name };
  const replay = await replayDeadLetters(db, plan, filter);
  const skip = await settleDeadLetters(db, plan, { how: 'skipped', filter });
  expect([replay, skip].map(({ letters, dryRun }) => [letters.length, dryRun])).toEqual([
    [2, true],
    [2, true],
  ]);
  expect(await everything(database.admin)).toBe(before);
});

test('DLQ-24: a tenant filter touches no other tenant', async () => {
  const consumer = await start('bad');
  const [ours, theirs] = [newTenantId(), newTenantId()];
  await appendToLog(db, [
    { tenantId: ours, key: 'a', text: 'bad' },
    { tenantId: theirs, key: 'a', text: 'bad' },
  ]);
  await waitUntil('two dead letters', async () => (await dead(consumer)).length === 2);
  const filter = { subscription: consumer.name, tenantId: ours };
  const { letters } = await settleDeadLetters(db, change, { how: 'skipped', filter });
  expect(letters.map(({ tenantId }) => tenantId)).toEqual([ours]);
  expect((await dead(consumer)).map(({ tenantId }) => tenantId)).toEqual([theirs]);
});

test('DLQ-13: an id several subscriptions gave up on must be named with its subscription; the refusal says which', async () => {
  const [one, other, third] = [await start('bad'), await start('bad'), await start('bad')];
  const [off = 0] = await appendToLog(db, [{ tenantId: newTenantId(), key: 'a', text: 'bad' }]);
  await waitUntil('all gave up', async () => (await listDeadLetters(db, { ids: [off] })).length === 3);
  const names = [one.name, other.name, third.name].sort().join('; ');
  await expect(showDeadLetter(db, { ids: [off] })).rejects.toThrow(
    `Message ${off} is a dead letter of ${names}`,
  );
  await expect(replayDeadLetters(db, change, { ids: [off] })).rejects.toThrow(
    'say which with --subscription',
  );
  expect(await showDeadLetter(db, { ids: [off], subscription: other.name })).toMatchObject({
    subscription: other.name,
  });
});

test('DLQ-13: an id nobody knows is refused by name, and nothing of the same order is done', async () => {
  const consumer = await start('bad');
  const [off = 0] = await appendToLog(db, [{ tenantId: newTenantId(), key: 'a', text: 'bad' }]);
  await waitUntil('a dead letter', async () => (await dead(consumer)).length === 1);
  await expect(showDeadLetter(db, { ids: [99_999_999] })).rejects.toThrow('no dead letter 99999999');
  const filter = { ids: [off, 99_999_999] };
  await expect(settleDeadLetters(db, change, { how: 'skipped', filter })).rejects.toThrow(
    'no dead letter 99999999',
  );
  expect(await dead(consumer)).toHaveLength(1);
});

test('DLQ-24: two operators who skip the same dead letter take out one message', async () => {
  const consumer = await start('one', 'two');
  const tenantId = newTenantId();
  await appendToLog(
    db,
    ['one', 'two', 'three'].map(text => ({ tenantId, key: 'a', text })),
  );
  await waitUntil('two wait', async () => (await dead(consumer))[0]?.waiting === 2);
  await consumer.stop();
  running.splice(0);
  const skip = () =>
    settleDeadLetters(db, change, { how: 'skipped', filter: { subscription: consumer.name } });
  const said = await Promise.all([skip(), skip(), skip()]);
  expect(await listSettledLetters(db, { subscription: consumer.name })).toHaveLength(1);
  expect(said.flatMap(({ letters }) => letters)).toHaveLength(1);
});

test('DLQ-24, DLQ-25: a replay that comes while somebody skips the same dead letter says that it did nothing, and leaves no entry', async () => {
  const consumer = await start('one');
  await appendToLog(db, [{ tenantId: newTenantId(), key: 'a', text: 'one' }]);
  await waitUntil('it is dead', async () => (await dead(consumer)).length === 1);
  await consumer.stop();
  running.splice(0);
  const filter = { subscription: consumer.name };
  const other = await db.pool.connect();
  await other.query('begin');
  await other.query(`update brokers.parked_key set state = 'retrying' where subscription = $1`, [
    consumer.name,
  ]);
  const replayed = replayDeadLetters(db, change, { ...filter });
  await waitUntil('the replay waits for the other', async () => {
    const waiting = await database.admin(
      `select from pg_stat_activity where wait_event = 'transactionid' and datname = current_database()`,
    );
    return waiting.length > 0;
  });
  await other.query('commit');
  other.release();
  expect((await replayed).letters).toEqual([]);
  const entries = await operations('dlq.replay');
  expect(entries.filter(({ detail }) => JSON.stringify(detail).includes(consumer.name))).toEqual([]);
});
