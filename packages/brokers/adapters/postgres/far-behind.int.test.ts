import { openDatabase } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newPlace, publishAll, recorder } from '../../conformance-world.conformance.ts';
import { FloodReader } from './flood-reader.ts';
import { type LogRow, readPage } from './log-reader.ts';
import { seek } from './operations/seek.ts';
import { PostgresBroker } from './postgres-broker.ts';

const WINDOW = 100_000;
const WINDOWS = 40;

let database: TestDatabase;
const { service, topic, other, tenantId, message } = newPlace();
/** Two rare messages, and 40 windows of offsets between them; to read past what is in them takes a second in all. */
beforeAll(async () => {
  database = await testDatabase();
  const broker = new PostgresBroker({ db: database.openAs('relay') });
  await broker.prepare([service]);
  await broker.publish([message('rare', 1)]);
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     select brokers.log_today(), n * $2, 0, 'somebody.else.v1', 'k', gen_random_uuid(), $1, '{}', '{}', 'test', now()
     from generate_series(1, $3 - 1) n`,
    [tenantId, WINDOW, WINDOWS],
  );
  await database.admin(`select setval('brokers.log_off', $1)`, [WINDOW * WINDOWS]);
  await broker.publish([message('rare', 2)]);
  // As if these rows were many, on a slow disk. "cost" has it looked at before the topic is.
  await database.admin(
    `create function public.slowly() returns boolean language plpgsql cost 0.000001
     as $$ begin perform pg_sleep(0.025); return true; end $$`,
  );
  await database.admin('grant usage on schema public to relay');
  await database.admin(
    `alter policy crosses_relay on brokers.log using (case when topic = 'somebody.else.v1' then public.slowly() else true end)`,
  );
});
afterAll(() => database.drop());

/** A role whose statements may not take long, as everywhere; here it is shorter than reading all of it takes. */
function openHurried() {
  const url = `${database.roleUrl('relay')}?options=${encodeURIComponent('-c statement_timeout=500')}`;
  const db = openDatabase({ url, service: 'relay', max: 4 });
  onTestFinished(() => db.close());
  return db;
}

test('a subscription that is sent back to the start arrives, however much lies before it for others, and holds nobody up', async () => {
  const operator = { actor: 'usr_operator', reason: 'test' };
  await seek(database.openAs('relay'), operator, { subscription: service, to: 'start' });
  const broker = new PostgresBroker({ db: openHurried(), times: { pollMs: 20 } });
  const rare = recorder(service, [topic]);
  const busy = recorder(`busy-${service}`, [other]);
  await broker.subscribe([rare.subscriber, busy.subscriber]);
  await publishAll(broker, [message('busy', 1, { topic: other })]);
  await waitUntil('the other subscription goes on', () => busy.tried.length === 1);
  await waitUntil('all of its topic has arrived', () => rare.tried.length === 2);
  expect(rare.tried).toEqual(['rare:1', 'rare:2']);
  await broker.close();
});

test('a read looks at 100,000 offsets at most, and says how far it looked', async () => {
  const db = database.openAs('relay');
  const [log] = await database.admin<{ first: number; last: number; day: string }>(
    'select min(off)::float8 as first, max(off)::float8 as last, min(day) as day from brokers.log where topic <> $1',
    [other],
  );
  const { first, last, day } = log as { first: number; last: number; day: string };
  const ends = Array.from({ length: WINDOWS }, (_, n) => Math.min(first - 1 + (n + 1) * WINDOW, last));
  const looked: number[] = [];
  let from = { off: first - 1, day };
  for (let isMore = true; isMore && from.off < last; ) {
    const page = await readPage(db, from, { limit: 10, topics: ['nobody.v1'], without: [] });
    looked.push(Math.min(page.upTo.off, last));
    [from, isMore] = [page.upTo, page.isMore];
  }
  expect(looked.slice(0, WINDOWS)).toEqual(ends);

  const reader = new FloodReader(db);
  const found: LogRow[] = [];
  const steps: number[] = [];
  for (let after = first - 1; after < last; after = steps.at(-1) as number) {
    const page = await reader.read({ tenantId, after, upTo: last, topics: new Set([topic]), limit: 10 });
    found.push(...page.rows);
    steps.push(page.upTo);
  }
  expect(steps.slice(0, WINDOWS)).toEqual(ends);
  expect(found.map(({ off }) => off)).toEqual([first, last]);
});
