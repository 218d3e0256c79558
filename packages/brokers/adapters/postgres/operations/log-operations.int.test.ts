import type { Database } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  appendToLog,
  everything,
  type RecordingConsumer,
  startConsumer,
} from '../../../fixtures/recording-consumer.ts';
import { listDeadLetters } from './dead-letters.ts';
import { placeAt } from './log-range.ts';
import { look } from './operation.ts';
import { replayRange } from './replay-range.ts';
import { seek } from './seek.ts';
import { replayDeadLetters } from './settle-letters.ts';
import { subscriptionStatus } from './subscriptions.ts';

let database: TestDatabase;
let db: Database;
let rooms: RecordingConsumer;
let bills: RecordingConsumer;
beforeAll(async () => {
  database = await testDatabase();
  db = database.openAs('relay');
  rooms = await startConsumer(db, 'rooms-service');
  bills = await startConsumer(db, 'bills-service');
});
afterAll(async () => {
  await rooms.stop();
  await bills.stop();
  await database.drop();
});
beforeEach(async () => {
  await nothingIsBehind();
  for (const { applied, deliveries } of [rooms, bills]) {
    applied.length = 0;
    deliveries.length = 0;
  }
});

const change = { actor: 'nadia@desk', reason: 'INC-18: projection mended' };
const clock = async () =>
  (await database.admin<{ now: Date }>('select clock_timestamp() as now'))[0]?.now as Date;
/** A moment between what was published before and what comes after: the clock has moved on by a whole millisecond. */
async function moment(): Promise<Date> {
  const before = await clock();
  await waitUntil('the next millisecond', async () => (await clock()) > before);
  return clock();
}
const entries = (action: string) =>
  database.admin<{ detail: Record<string, unknown> }>(
    'select actor, reason, detail from brokers.operation where action = $1 order by at',
    [action],
  );
async function nothingIsBehind() {
  await waitUntil('the cursors are at the end', async () =>
    (await subscriptionStatus(db)).every(({ lag }) => lag?.count === 0),
  );
}
/** Until both consumers have applied these, and their cursors say so. */
async function bothApplied(texts: readonly string[]) {
  await waitUntil('both applied everything', () =>
    [rooms, bills].every(one => one.applied.length >= texts.length),
  );
  await nothingIsBehind();
}

describe('seek', () => {
  test('DLQ-26, DLQ-27: a subscription moved back in time gets what was published since then once more, in order', async () => {
    const tenantId = newTenantId();
    await appendToLog(db, [{ tenantId, key: 'a', text: 'before' }]);
    const to = await moment();
    const texts = ['one', 'two', 'three'];
    await appendToLog(
      db,
      texts.map(text => ({ tenantId, key: 'a', text })),
    );
    await bothApplied(['before', ...texts]);
    const sought = await seek(db, change, { subscription: 'rooms', to });
    expect(sought).toMatchObject({
      subscription: 'rooms-service',
      again: { count: 3, isMore: false },
      skipped: { count: 0 },
    });
    await waitUntil('it came again', () => rooms.applied.length === 7);
    expect(rooms.applied).toEqual(['before', ...texts, ...texts]);
    expect(bills.applied).toEqual(['before', ...texts]);
    expect((await entries('subscription.seek')).at(-1)).toMatchObject({
      actor: 'nadia@desk',
      reason: change.reason,
      detail: { subscription: 'rooms-service', to: to.toISOString(), position: sought.position },
    });
  });

  test('DLQ-26: start means the oldest message that is kept, end means nothing that is there now', async () => {
    const before = rooms.applied.length;
    const everyText = (await database.admin('select from brokers.log')).length;
    await seek(db, change, { subscription: 'rooms-service', to: 'start' });
    await waitUntil('the whole log came again', () => rooms.applied.length >= before + everyText);
    await rooms.stop();
    await appendToLog(db, [{ tenantId: newTenantId(), key: 'b', text: 'never' }]);
    const { skipped } = await seek(db, change, { subscription: 'rooms-service', to: 'end' });
    expect(skipped).toEqual({ count: 1, isMore: false });
    rooms = await startConsumer(db, 'rooms-service');
    await appendToLog(db, [{ tenantId: newTenantId(), key: 'b', text: 'after' }]);
    await waitUntil('the next message', () => rooms.applied.length > 0);
    expect(rooms.applied).toEqual(['after']);
  });

  test('DLQ-26: what was in flight when the subscription was moved may not acknowledge any more', async () => {
    await nothingIsBehind();
    const epochs = () =>
      database.admin<{ epoch: bigint }>(
        `select epoch from brokers.cursor where subscription = 'rooms-service' order by shard`,
      );
    const before = await epochs();
    await seek(db, change, { subscription: 'rooms-service', to: 'end' });
    expect((await epochs()).map(({ epoch }) => epoch)).toEqual(before.map(({ epoch }) => epoch + 1n));
    const [first] = (await database.admin<{ epoch: bigint }>(
      `select epoch from brokers.cursor where subscription = 'rooms-service' and shard = 0`,
    )) as [{ epoch: bigint }];
    const stale = await db.pool.query(
      `update brokers.cursor set off = off + 100 where subscription = 'rooms-service' and shard = 0 and epoch = $1`,
      [first.epoch - 1n],
    );
    expect(stale.rowCount).toBe(0);
  });

  test('DLQ-26: a seek across a dead letter gives its key another chance in order, and the same message is dead after it', async () => {
    const tenantId = newTenantId();
    const to = await moment();
    rooms.poison.add('bad');
    const texts = ['one', 'two', 'bad', 'after'];
    const [, , bad] = await appendToLog(
      db,
      texts.map(text => ({ tenantId, key: 'a', text })),
    );
    const letters = () => listDeadLetters(db, { tenantId, subscription: 'rooms-service' });
    const isDead = async () => (await letters())[0]?.waiting === 1;
    await waitUntil('it is dead', isDead);
    await nothingIsBehind();
    const tries = () => rooms.deliveries.filter(({ envelope }) => envelope.includes('bad')).length;
    const before = tries();
    await seek(db, change, { subscription: 'rooms', to });
    await waitUntil('it was tried again', () => tries() > before);
    await waitUntil('it is dead again', isDead);
    expect((await letters()).map(({ id, error }) => [id, error])).toEqual([[bad, 'bad is impossible']]);
    // Twice, or once more where a lease changed hands meanwhile; always in order.
    const rounds = rooms.applied.length / 2;
    expect(rounds).toBeGreaterThanOrEqual(2);
    expect(rooms.applied).toEqual(Array.from({ length: rounds }, () => ['one', 'two']).flat());
    rooms.poison.clear();
    await replayDeadLetters(db, change, { tenantId });
    await waitUntil('all are applied', () => rooms.applied.includes('after'));
    expect(rooms.applied.slice(2 * rounds)).toEqual(['bad', 'after']);
  });

  test('DLQ-26: a dry run counts and changes no table', async () => {
    const tenantId = newTenantId();
    const to = await moment();
    await appendToLog(db, [{ tenantId, key: 'a', text: 'one' }]);
    await bothApplied(['one']);
    const before = await everything(database.admin);
    const sought = await seek(db, { ...change, dryRun: true }, { subscription: 'rooms', to });
    expect(sought).toMatchObject({ again: { count: 1 }, dryRun: true });
    expect(await everything(database.admin)).toBe(before);
  });

  test.each([
    ['nobody', 'end', 'No service consumes as nobody; there are: bills-service; rooms-service'],
    ['rooms', new Date(Date.now() + 60_000), 'it is in the future; "end" means'],
    ['rooms', new Date('2020-01-01T00:00:00Z'), 'the log is kept 7 days and begins at'],
  ] as const)('DLQ-26: a bad seek of %s (%s) is refused in words: %s', async (subscription, to, message) => {
    await expect(seek(db, change, { subscription, to })).rejects.toThrow(message);
  });

  test('DLQ-26: the first message of a moment is found wherever it is', async () => {
    const rows = await database.admin<{ off: bigint; published_at: Date }>(
      'select off, published_at from brokers.log order by off',
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { published_at: at } of rows) {
      const first = rows.find(row => row.published_at >= at)?.off;
      const { off } = await look(db, tx => placeAt(tx, at));
      // Several rows may share a millisecond; the first of them is meant, and no row lies between.
      expect(rows.find(row => row.off > BigInt(off))?.off).toBe(first);
    }
  });
});

describe('replay of a range', () => {
  test('DLQ-15, X-068: it reaches the target alone, in order, with the same event ids', async () => {
    const [ours, theirs] = [newTenantId(), newTenantId()];
    const since = await moment();
    await appendToLog(db, [
      { tenantId: ours, key: 'a', text: 'one' },
      { tenantId: theirs, key: 'a', text: 'other tenant' },
      { tenantId: ours, key: 'a', text: 'other topic', topic: 'test.things.thing.removed.v1' },
      { tenantId: ours, key: 'a', text: 'two' },
    ]);
    const until = await moment();
    await appendToLog(db, [{ tenantId: ours, key: 'a', text: 'too late' }]);
    await bothApplied(['one', 'other tenant', 'two', 'too late']);
    const first = rooms.deliveries.slice();
    const wanted = {
      subscription: 'rooms',
      topics: ['test.things.thing.changed.v1'],
      since,
      until,
      tenantId: ours,
    };
    const progress: [number, number][] = [];
    const { events } = await replayRange(db, change, wanted, (done, total) => progress.push([done, total]));
    expect([events, progress]).toEqual([2, [[2, 2]]]);
    await waitUntil('both came again', () => rooms.applied.length === 6);
    await nothingIsBehind();
    expect(rooms.applied.slice(4)).toEqual(['one', 'two']);
    expect(bills.applied).toHaveLength(4);
    const again = rooms.deliveries.slice(4);
    const originals = ['one', 'two'].map(text =>
      first.find(({ envelope }) => envelope === JSON.stringify({ text })),
    );
    expect(again.map(({ eventId }) => eventId)).toEqual(originals.map(one => one?.eventId));
    expect(again.map(({ envelope }) => envelope)).toEqual(originals.map(one => one?.envelope));
    expect(again[0]?.attributes).toEqual({
      ...originals[0]?.attributes,
      replayTarget: 'rooms-service',
      replayOf: originals[0]?.id,
    });
  });

  test('DLQ-15: a second replay of the same range does not replay the copies of the first', async () => {
    const tenantId = newTenantId();
    const since = await moment();
    await appendToLog(db, [{ tenantId, key: 'a', text: 'one' }]);
    const wanted = { subscription: 'rooms', since, tenantId };
    expect((await replayRange(db, change, wanted)).events).toBe(1);
    expect((await replayRange(db, change, wanted)).events).toBe(1);
  });

  test('DLQ-14: a long range goes in batches of 500 that say how far they are, each with its audit entry', async () => {
    const tenantId = newTenantId();
    const since = await moment();
    const texts = Array.from({ length: 1_201 }, (_, n) => `m${n}`);
    await appendToLog(
      db,
      texts.map(text => ({ tenantId, key: 'a', text })),
    );
    await bothApplied(texts);
    const progress: [number, number][] = [];
    const { run } = await replayRange(db, change, { subscription: 'rooms', since, tenantId }, (...at) =>
      progress.push(at),
    );
    expect(progress).toEqual([
      [500, 1_201],
      [1_000, 1_201],
      [1_201, 1_201],
    ]);
    await waitUntil('all came again', () => rooms.applied.length === 2_402);
    expect(rooms.applied.slice(1_201)).toEqual(texts);
    const counts = (await entries('log.replay')).filter(({ detail }) => detail.run === run);
    expect(counts.map(({ detail }) => detail.count)).toEqual([500, 500, 201]);
  });

  test('DLQ-14: a dry run counts and changes no table', async () => {
    const tenantId = newTenantId();
    const since = await moment();
    await appendToLog(db, [{ tenantId, key: 'a', text: 'one' }]);
    await bothApplied(['one']);
    const before = await everything(database.admin);
    const plan = { ...change, dryRun: true };
    expect(await replayRange(db, plan, { subscription: 'rooms', since })).toMatchObject({
      events: 1,
      dryRun: true,
    });
    expect(await everything(database.admin)).toBe(before);
  });

  test('DLQ-31: a range from before the beginning of the log is refused, not replayed in part', async () => {
    const since = new Date(Date.now() - 8 * 86_400_000);
    const [oldest] = await database.admin<{ at: Date }>('select min(published_at) as at from brokers.log');
    for (const rebuildable of [false, true])
      await expect(replayRange(db, change, { subscription: 'rooms', since, rebuildable })).rejects.toThrow(
        `the log is kept 7 days and begins at ${oldest?.at.toISOString()}; what was published before is gone`,
      );
    const kept = new Date(Date.now() - 6 * 86_400_000); // nothing of these days was ever dropped
    const plan = { ...change, dryRun: true };
    expect((await replayRange(db, plan, { subscription: 'rooms', since: kept })).events).toBeGreaterThan(0);
  });

  test('X-061, DLQ-30: a range beyond the memory of the inbox is refused unless the consumer can be rebuilt', async () => {
    // A subscription that does not read holds the log back: it may begin long ago.
    await database.admin(
      `insert into brokers.log
         (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at, published_at)
       select day, 0, 0, 'test.things.thing.removed.v1', 'k', gen_random_uuid(), gen_random_uuid(), '{}', '{}', 'things',
              now(), now() - interval '40 days'
       from brokers.log_day`,
    );
    const since = new Date(Date.now() - 31 * 86_400_000);
    await expect(replayRange(db, change, { subscription: 'rooms', since })).rejects.toThrow(
      'inboxes forget after 30 days, so rooms-service would apply older events twice',
    );
    const plan = { ...change, dryRun: true };
    const { events } = await replayRange(db, plan, { subscription: 'rooms', since, rebuildable: true });
    expect(events).toBeGreaterThan(0);
  });

  test.each([
    ['an unknown target', { subscription: 'nobody', since: new Date() }, 'No service consumes as nobody'],
    [
      'a range that ends before it begins',
      { since: new Date('2026-01-02'), until: new Date('2026-01-01'), rebuildable: true },
      'end before it begins',
    ],
    ['a range in the future', { since: new Date(Date.now() + 60_000) }, 'it is in the future'],
  ])('DLQ-14: %s is refused by name', async (_, wanted, message) => {
    await expect(replayRange(db, change, { subscription: 'rooms', ...wanted })).rejects.toThrow(message);
  });
});

describe('status', () => {
  test('OBS-15: a subscription says who serves it, how far behind it is and what waits for a decision', async () => {
    const tenantId = newTenantId();
    await rooms.stop();
    await appendToLog(
      db,
      ['one', 'two'].map(text => ({ tenantId, key: 'a', text })),
    );
    await appendToLog(db, [{ tenantId: newTenantId(), key: 'a', text: 'one' }]);
    const of = async (options = {}) =>
      (await subscriptionStatus(db, options)).find(({ subscription }) => subscription === 'rooms-service');
    expect(await of()).toMatchObject({ owners: [], lag: { count: 3, isMore: false }, dead: 0 });
    expect((await of())?.lagSeconds).toBeGreaterThan(0);
    expect(await of({ tenantId })).toMatchObject({ lag: { count: 2 } });
    expect(await of({ topicsOf: async () => ['test.things.thing.removed.v1'] })).toMatchObject({
      lag: { count: 0 },
    });
    rooms = await startConsumer(db, 'rooms-service');
    rooms.poison.add('one');
    await waitUntil('two keys wait', async () => (await of())?.dead === 2 && (await of())?.lag?.count === 0);
    expect(await of()).toMatchObject({ owners: [{ shards: 16 }], dead: 2, waiting: 1, lagSeconds: 0 });
    expect(await of({ tenantId })).toMatchObject({ dead: 1, waiting: 1 });
  });
});
