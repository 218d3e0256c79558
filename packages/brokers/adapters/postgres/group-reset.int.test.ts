import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { holdAt } from '@ghasi/testing/failpoints';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Delivery, defaultRetry, type Outcome } from '../../broker.ts';
import { Group } from './group.ts';
import { ensureCursors, type Held } from './leases.ts';
import type { LogRow, Page } from './log-reader.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const day = '2026-03-21';
const tenantId = uuid7();
const rows = (from: number, to: number): LogRow[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    ...{ off: from + index, id: String(from + index), day, shard: 0, topic: 't', orderingKey: 'k', tenantId },
    ...{ eventId: uuid7(), envelope: '{}', attributes: {}, enqueuedAt: new Date(), publishedAt: new Date() },
    attempt: 1,
  }));

const page = (first: number, last: number, without: readonly string[] = []): Page => {
  const at = (off: number) => ({ off, day });
  return {
    rows: without.length > 0 ? [] : rows(first, last),
    from: at(first - 1),
    upTo: at(last),
    isMore: false,
    isPastEnd: false,
    without,
  };
};

/** A group with what it handled. */
function openGroup() {
  const handled: number[] = [];
  const group = new Group({
    db: database.openAs('relay'),
    retry: defaultRetry,
    log: undefined,
    onRoom() {},
    onDead() {},
    onRetried() {},
    subscriber: {
      name: 'some-service',
      topics: ['t'],
      concurrency: 1,
      order: 'required',
      async handle(batch: readonly Delivery[]): Promise<Outcome[]> {
        handled.push(...batch.map(({ id }) => Number(id)));
        return batch.map(() => ({ kind: 'done' }));
      },
    },
  });
  return { group, handled };
}

test('ORD-02: what was read for a flooding tenant before a change of hands does not overtake what is read after it', async () => {
  const { group, handled } = openGroup();
  const held = [{ shard: 0, epoch: 1, off: 0, day }];
  await group.reset(held);
  group.accept(page(1, 2_500)); // more than a tenant may keep: the rest is to be read later
  group.dispatch();
  const hungry = await waitUntil('the tenant has room again', () => group.hungry()[0]);
  const late = rows(2_001, 2_500);

  await group.reset([{ shard: 0, epoch: 2, off: 0, day }]);
  handled.length = 0;
  group.refill(hungry, late, 2_500);
  group.accept(page(1, 500));
  group.dispatch();
  await waitUntil('all of the first page is handled', () => handled.includes(500) && group.low === 500);
  expect(handled).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
});

test('what was acknowledged while shards changed hands is not taken for how far the new ones came', async () => {
  const { group, handled } = openGroup();
  await ensureCursors(database.openAs('relay'), ['some-service']);
  await database.admin('update brokers.cursor set epoch = 1');
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     values (brokers.log_today(), 10, 0, 't', 'k', gen_random_uuid(), $1, '{}', '{}', 'test', now())`,
    [tenantId],
  );
  const [first, second] = [0, 1].map(shard => ({ shard, epoch: 1, off: 0, day }));
  await group.reset([first as Held]);
  group.accept(page(1, 10));
  group.dispatch();
  await waitUntil('all are handled', () => handled.length === 10 && group.low === 10);
  const acknowledging = holdAt('broker.before-ack');
  const flushed = group.flush(true);
  await acknowledging.reached;
  await group.reset([first as Held, second as Held]);
  acknowledging.release();
  await flushed;

  group.accept(page(1, 10));
  group.dispatch();
  await waitUntil('all are handled again', () => handled.length === 20 && group.low === 10);
  await group.flush(true);
  const cursors = await database.admin('select off::int from brokers.cursor where shard < 2 order by shard');
  expect(cursors).toEqual([{ off: 10 }, { off: 10 }]);
});

test('ORD-04: a page that left out a flooding tenant hides nothing of it, when the tenant was refilled meanwhile', async () => {
  const { group, handled } = openGroup();
  await group.reset([{ shard: 0, epoch: 1, off: 0, day }]);
  group.accept(page(1, 2_100)); // 100 too many
  group.dispatch();
  const hungry = await waitUntil('the tenant has room again', () => group.hungry()[0]);
  const onItsWay = page(2_101, 2_200, [hungry.tenantId]);
  group.refill(hungry, rows(2_001, 2_100), 2_100);
  group.accept(onItsWay);
  group.dispatch();
  await waitUntil('what was read is handled', () => handled.includes(2_100) && group.low === 2_100);
  const again = await waitUntil('it wants the rest', () => group.hungry()[0]);
  expect(again.after).toBe(2_100);
  group.refill(again, rows(2_101, 2_200), 2_200);
  group.dispatch();
  await waitUntil('all are handled', () => handled.includes(2_200) && group.low === 2_200);
  expect(handled).toEqual(Array.from({ length: 2_200 }, (_, index) => index + 1));
});

test('ORD-04: a page that comes while shards change hands hides nothing of the tenant it left out', async () => {
  const { group, handled } = openGroup();
  await group.reset([{ shard: 0, epoch: 1, off: 0, day }]);
  group.accept(page(1, 2_500));
  expect(group.spilled()).toEqual([tenantId]);
  const onItsWay = page(2_501, 2_600, [tenantId]);

  const changed = group.reset([{ shard: 0, epoch: 2, off: 0, day }]); // nothing was acknowledged: from the beginning
  group.accept(onItsWay);
  await changed;
  group.accept(page(1, 500));
  group.dispatch();
  await waitUntil('what was read is handled', () => group.low === 500);
  expect(handled).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
});
