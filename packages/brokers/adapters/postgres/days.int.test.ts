import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newPlace } from '../../conformance-world.conformance.ts';
import { append } from './append.ts';
import { ensureCursors } from './leases.ts';
import { readPage } from './log-reader.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const days = async () =>
  (
    await database.admin<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'brokers.log'::regclass order by 1`,
    )
  ).map(({ name }) => name);

/** Somebody who looks at the log and takes his time. */
async function openReport() {
  const reporter = await openClient(database.adminUrl, 'a-report');
  onTestFinished(() => reporter.end());
  await reporter.query('begin');
  await reporter.query('select count(*) from brokers.log');
  return reporter;
}

/** What a day of the log consists of: columns, indexes, triggers, rules and rights. */
const shapeOf = (name: string) =>
  database.admin(
    `select c.relrowsecurity, c.relforcerowsecurity, c.relacl::text, pg_get_userbyid(c.relowner) as owner,
            (select json_agg(json_build_array(a.attname, a.atttypid::regtype, a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
             from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = c.oid and a.attnum > 0) as columns,
            (select json_agg(replace(pg_get_indexdef(i.indexrelid), c.relname, 'DAY') order by replace(pg_get_indexdef(i.indexrelid), c.relname, 'DAY')) from pg_index i where i.indrelid = c.oid) as indexes,
            (select json_agg(json_build_array(t.tgname, t.tgfoid::regproc, t.tgtype) order by t.tgname) from pg_trigger t where t.tgrelid = c.oid) as triggers,
            (select json_agg(json_build_array(p.polname, p.polcmd) order by p.polname) from pg_policy p where p.polrelid = c.oid) as policies,
            (select json_agg(k.conname order by k.conname) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') as checks
     from pg_class c where c.oid = ('brokers.' || $1)::regclass`,
    [name],
  );

/** Those from today on: the run's template may have been made before midnight. */
const daysAhead = async () => {
  const [today] = await database.admin<{ name: string }>(
    `select 'log_' || to_char(brokers.log_today(), 'YYYYMMDD') as name`,
  );
  return (await days()).filter(name => name >= (today?.name as string));
};

test('while somebody looks at the log, days are made ahead, and everybody else appends and reads', async () => {
  const relay = database.openAs('relay');
  const before = await daysAhead();
  await openReport();
  const made = relay.pool.query('select brokers.make_partitions(8) as n');
  const { topic, message } = newPlace();
  await append(relay, [message('a', 1)]);
  const page = await readPage(
    relay,
    { off: 0, day: '1970-01-01' },
    { limit: 9, topics: [topic], without: [] },
  );
  expect(page.rows).toHaveLength(1);
  expect((await made).rows).toEqual([{ n: 9 - before.length }]);
  const after = await daysAhead();
  expect(after).toHaveLength(9);
  const [old] = await shapeOf(before[0] as string);
  expect(await shapeOf(after.at(-1) as string)).toEqual([old]);
  expect((await relay.pool.query("select current_setting('lock_timeout') as t")).rows).toEqual([
    { t: '10s' },
  ]);
});

test('DLQ-03: a day that is over stays while somebody looks at the log, and goes afterwards', async () => {
  const relay = database.openAs('relay');
  await ensureCursors(relay, ['some-service']);
  await database.admin(
    `create table brokers.log_20200101 partition of brokers.log for values from ('2020-01-01') to ('2020-01-02')`,
  );
  const reporter = await openReport();
  const drop = async () => (await relay.pool.query(`select brokers.drop_partitions('7 days') as n`)).rows;
  expect(await drop()).toEqual([{ n: 0 }]);
  expect(await days()).toContain('log_20200101');
  await reporter.query('commit');
  expect(await drop()).toEqual([{ n: 1 }]);
  expect(await days()).not.toContain('log_20200101');
});

test('DLQ-03, DLQ-26: a day stays that a seek goes back to while it is about to be dropped', async () => {
  const relay = database.openAs('relay');
  await ensureCursors(relay, ['some-service']);
  await database.admin(
    `create table brokers.log_20200101 partition of brokers.log for values from ('2020-01-01') to ('2020-01-02')`,
  );
  // As long as it takes to see that it waits.
  await database.admin(`alter function brokers.drop_partitions(interval) set lock_timeout = '20s'`);
  const seeker = await openReport();
  await seeker.query(`update brokers.cursor set day = '2020-01-01' where subscription = 'some-service'`);
  const dropped = relay.pool.query(`select brokers.drop_partitions('7 days') as n`);
  await waitUntil('it waits for whoever seeks', async () => {
    const waiting = await database.admin(
      `select from pg_locks l join pg_database d on d.oid = l.database
       where not l.granted and l.relation = 'brokers.log'::regclass and d.datname = current_database()`,
    );
    return waiting.length === 1;
  });
  await seeker.query('commit');
  expect((await dropped).rows).toEqual([{ n: 0 }]);
  expect(await days()).toContain('log_20200101');
});
