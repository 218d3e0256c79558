import { ensureCursors } from '@ghasi/brokers/leases';
import { type Database, openClient } from '@ghasi/db/database';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { shopMigrations } from './fixtures/shop.ts';
import { Mover } from './mover.ts';
import { type BacklogOptions, readBacklog } from './observe-backlog.ts';
import { backlogStatement, LOOKED_AT, MOST_DEAD, MOST_IN_OUTBOX } from './observe-backlog-statement.ts';

const retention = { 't.hot.v1': 'hot', 't.warm.v1': 'warm', 't.cold.v1': 'cold' } as const;
type Topic = keyof typeof retention;

let database: TestDatabase;
let relay: Database;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  relay = database.openAs('relay');
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.admin(`delete from orders.outbox`);
  await database.admin(`delete from brokers.parked_message`);
  await database.admin(`delete from brokers.parked_key`);
  await database.admin(
    `update brokers.cursor set off = (select last_value from brokers.log_off), day = (select day from brokers.log_day)`,
  );
});

/** What a subscription of these topics, made now, has before it after `publish`. */
async function backlogOf(
  topics: readonly Topic[],
  publish: () => Promise<unknown>,
  more: Partial<BacklogOptions> = {},
) {
  const name = `reader${newTenantId().slice(-12)}-service`;
  await ensureCursors(relay, [name]);
  await publish();
  const backlog = await readBacklog({ ...options(more), subscriptions: [{ name, topics }] });
  return { ...backlog.subscriptions.get(name), ageOf: backlog.ageOf, name };
}

function options(more: Partial<BacklogOptions> = {}): BacklogOptions {
  return {
    db: relay,
    metrics: createMetrics(),
    services: [
      { name: 'orders-service', schema: 'orders' },
      { name: 'stock-service', schema: 'stock' },
    ],
    subscriptions: [],
    seen: () => ({ after: 0, holes: '{}' }),
    retentionOf: topic => retention[topic as Topic],
    ...more,
  };
}

const append = (topic: Topic, count: number, more: { ageSeconds?: number; attributes?: object } = {}) =>
  database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at, published_at)
     select brokers.log_today(), nextval('brokers.log_off'), brokers.shard_of('k' || n), $1, 'k' || n, gen_random_uuid(), $2, '{}', $3, 'test', now(),
            now() - make_interval(secs => $4)
     from generate_series(1, $5) n`,
    [topic, newTenantId(), JSON.stringify(more.attributes ?? {}), more.ageSeconds ?? 0, count],
  );

const enqueue = (count: number) =>
  database.admin(
    `insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes, idempotency_key)
     select $1, 'order', 'o' || n, 1, 't.hot.v1', 'k' || n, '{}', '{}', 'i' || n from generate_series(1, $2) n`,
    [newTenantId(), count],
  );

test('OBS-15, OBS-25: a subscription is behind by the messages of its own topics, and as old as the oldest of them', async () => {
  const found = await backlogOf(['t.hot.v1', 't.cold.v1'], async () => {
    await append('t.warm.v1', 5, { ageSeconds: 900 });
    await append('t.hot.v1', 3, { ageSeconds: 600 });
    await append('t.cold.v1', 2, { ageSeconds: 300 });
  });
  expect(found).toMatchObject({ lag: 5, undelivered: 5 });
  const minutesOf = (seconds = 0) => Math.floor(seconds / 60); // it takes a while until somebody looks
  expect(minutesOf(found.lagSeconds)).toBe(10);
  expect(Object.entries(found.ageOf).map(([one, age]) => [one, minutesOf(age)])).toEqual([
    ['hot', 10],
    ['warm', 0],
    ['cold', 5],
  ]);
});

test('OBS-15: a row with a NUL in its attributes counts like others', async () => {
  const found = await backlogOf(['t.hot.v1'], () =>
    append('t.hot.v1', 3, { attributes: { traceparent: '\0' } }),
  );
  expect(found).toMatchObject({ lag: 3 });
});

test('OBS-15: what is replayed for somebody else, and what is behind the cursor of its shard, does not count', async () => {
  const found = await backlogOf(['t.hot.v1'], () =>
    append('t.hot.v1', 4, { attributes: { replayTarget: 'another-service' } }),
  );
  expect(found).toMatchObject({ lag: 0, lagSeconds: 0 });
  const { name } = found;
  await append('t.hot.v1', 32);
  const shards = await database.admin<{ shard: number; n: number }>(
    `select shard, count(*)::int as n from brokers.log where source = 'test'
     and off > (select min(off) from brokers.cursor where subscription = $1) and attributes ->> 'replayTarget' is null
     group by 1`,
    [name],
  );
  const done = shards[0]?.shard;
  await database.admin(
    'update brokers.cursor set off = (select last_value from brokers.log_off) where subscription = $1 and shard = $2',
    [name, done],
  );
  const topics = ['t.hot.v1'];
  const after = await readBacklog(options({ subscriptions: [{ name, topics }] }));
  expect(after.subscriptions.get(name)?.lag).toBe(32 - (shards[0]?.n ?? 0));
});

test('OBS-25: far behind, the rest is taken to be like the oldest thousand', async () => {
  const found = await backlogOf(['t.hot.v1'], async () => {
    for (let round = 0; round < 30; round++) {
      await append('t.hot.v1', 100);
      await append('t.warm.v1', 300);
    }
  });
  const exact = 30 * 100;
  expect(30 * 400).toBeGreaterThan(LOOKED_AT);
  expect(found.lag).toBeGreaterThan(exact * 0.75);
  expect(found.lag).toBeLessThan(exact * 1.35);
});

test('OBS-15: a consumer that stands still is as late as what it has not looked at, though nothing there may be its own', async () => {
  const found = await backlogOf(['t.cold.v1'], async () => {
    await append('t.warm.v1', LOOKED_AT + 1, { ageSeconds: 300 });
    await append('t.cold.v1', 1, { ageSeconds: 200 });
  });
  expect(found.lag).toBe(0);
  expect(found.lagSeconds).toBeGreaterThanOrEqual(200);
});

test('OBS-09: an outbox counts to its cap and no further', async () => {
  await enqueue(MOST_IN_OUTBOX + 500);
  const { outboxes } = await readBacklog(options());
  expect(outboxes.get('orders-service')?.count).toBe(MOST_IN_OUTBOX);
  expect(outboxes.get('stock-service')).toEqual({ count: 0, oldestSeconds: 0 });
});

test('OBS-24: parked keys, dead letters by topic, and no more of them than the cap', async () => {
  const found = await backlogOf(['t.hot.v1'], async () => {});
  const { name } = found;
  const park = (state: 'retrying' | 'dead', topic: Topic, keys: number) =>
    database.admin(
      `with key as (
         insert into brokers.parked_key (subscription, park_key, tenant_id, shard, state, attempts, retry_at, last_error)
         select $1, $2 || n, $3, 0, $4, 1, now(), 'x' from generate_series(1, $5) n
         returning park_key
       )
       insert into brokers.parked_message (subscription, park_key, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, published_at)
       select $1, k.park_key, n, 0, $2, 'k', gen_random_uuid(), $3, '{}', '{}', now()
       from key k cross join generate_series(1, 2) n`,
      [name, topic, newTenantId(), state, keys],
    );
  await park('retrying', 't.hot.v1', 7);
  await park('dead', 't.cold.v1', 3);
  await park('dead', 't.warm.v1', 2);
  const shape = { subscriptions: [{ name, topics: ['t.hot.v1'] }] };
  const read = async () => (await readBacklog(options(shape))).subscriptions.get(name);
  expect(await read()).toEqual({
    lag: 0,
    lagSeconds: 0,
    parkedKeys: 7,
    undelivered: 7 * 2 + 5, // the second message of each dead key waits; the first is a dead letter
    deadLetters: new Map([
      ['t.cold.v1', 3],
      ['t.warm.v1', 2],
    ]),
  });
  await park('dead', 't.cold.v1', MOST_DEAD + 100);
  const depth = [...((await read())?.deadLetters.values() ?? [])].reduce((sum, n) => sum + n, 0);
  expect(depth).toBe(MOST_DEAD);
});

test('OBS-15, OBS-24: of another broker the log says nothing, and while it is away only what it knows is unknown', async () => {
  const [name, topics] = ['far-service', ['t.hot.v1']];
  await ensureCursors(relay, [name], 'redis-streams');
  await append('t.hot.v1', 5);
  const read = async (unread: BacklogOptions['unread']) => {
    const look = options({ subscriptions: [{ name, topics }], ...(unread && { unread }) });
    return (await readBacklog(look)).subscriptions.get(name);
  };
  const rest = { lagSeconds: undefined, parkedKeys: 0, deadLetters: new Map() };
  expect(await read(async () => new Map([[name, 3]]))).toEqual({ ...rest, lag: 3, undelivered: 3 });
  expect(await read(() => Promise.reject(new Error('away')))).toEqual({
    ...rest,
    lag: undefined,
    undelivered: undefined,
  });
});

test('OBS-10: an old snapshot that keeps moved rows in the index makes the look no dearer', async () => {
  const old = await openClient(database.adminUrl, 'old-snapshot');
  await old.query('begin isolation level repeatable read');
  await old.query('select from orders.outbox');
  const mover = new Mover(relay, 'orders');
  for (let round = 0; round < 5; round++) {
    await enqueue(400);
    while ((await mover.pass()) > 0);
  }
  await enqueue(3);
  const look = await openClient(database.adminUrl, 'look');
  const blocks = async (seen: BacklogOptions['seen']) => {
    const { text, values } = backlogStatement({ services: options().services, subscriptions: [] }, seen);
    await look.query('begin; set local enable_seqscan = off');
    const { rows } = await look.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    await look.query('commit');
    const top = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    return (top['Shared Hit Blocks'] ?? Number.NaN) + (top['Shared Read Blocks'] ?? Number.NaN);
  };
  const above = await blocks(() => ({ after: mover.seen, holes: '{}' }));
  const fromTheStart = await blocks(() => ({ after: 0, holes: '{}' }));
  const { outboxes } = await readBacklog(options({ seen: () => ({ after: mover.seen, holes: '{}' }) }));
  await old.query('rollback');
  await old.end();
  await look.end();
  expect(outboxes.get('orders-service')?.count).toBe(3);
  expect(fromTheStart).toBeGreaterThan(above * 3);
});
