import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { demoDatabase } from '@melmastoon/server/fixtures/demo-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './fixtures/run-melm.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await demoDatabase();
  env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
});
afterAll(() => database.drop());

/** A copy of a stored event, changed as an older release might have written it. */
const columns = 'day, shard, topic, ordering_key, tenant_id, attributes, source, enqueued_at';
const plantEvent = (path: string, value: string) =>
  database.admin(
    `insert into brokers.log (off, event_id, envelope, ${columns})
     select off + 1000000, gen_random_uuid(), jsonb_set(envelope::jsonb, $1, $2)::json, ${columns}
     from brokers.log where topic = 'melmastoon.tenant.tenant.created.v1' order by off limit 1
     returning off`,
    [path, value],
  );
const plantJob = (type: string, input: object) =>
  database.admin(
    `insert into jobs.job_common (name, data, state, policy, singleton_key, priority, start_after)
     values ('payment_gateway.default', $1, 'created', 'exclusive', gen_random_uuid()::text, 5, now() + interval '1 day')`,
    [{ type, input, actor: { type: 'system', id: 'test' } }],
  );

test('X-079: what the demo has stored can be read by the release that stored it', async () => {
  const { code, stdout } = await run(['stored', '--json'], env);
  const found = JSON.parse(stdout);
  expect([code, found.readable, found.problems]).toEqual([0, true, []]);
  const [kept] = await database.admin<{ n: number }>('select count(*)::int as n from brokers.log');
  expect(found.events).toBeGreaterThanOrEqual(kept?.n ?? Number.NaN); // and what waits in outboxes
  expect((await run(['stored'], env)).stdout).toMatch(
    /^This release can read all that is stored: [\d,]+ stored events and /,
  );
});

test('REG-06, X-079: events and jobs that this release cannot read are listed with their place, and it exits with 1', async () => {
  await plantEvent('{payload}', '{}');
  await plantJob('payment_gateway.vanished', {});
  const { code, stdout } = await run(['stored', '--json'], env);
  const { readable, problems } = JSON.parse(stdout) as { readable: boolean; problems: object[] };
  expect([code, readable]).toEqual([1, false]);
  expect(problems).toEqual([
    {
      where: expect.stringMatching(/^log \d{4}-\d\d-\d\d shard \d+ offset 1\d{6}$/),
      subject: 'melmastoon.tenant.tenant.created.v1',
      reason: expect.stringContaining('payload: '),
    },
    {
      where: expect.stringMatching(/^job [0-9a-f-]{36} of queue payment_gateway.default$/),
      job: 'payment_gateway.vanished',
      reason: 'no job of this name',
    },
  ]);
  const said = (await run(['stored'], env)).stdout;
  expect(said).toContain('melmastoon.tenant.tenant.created.v1');
  expect(said).toContain('2 cannot be read by this release');
});

test('REG-04, X-079: what a newer release wrote is no problem, and a database of an older one can be looked at too', async () => {
  const tolerated = async () => {
    const { stdout } = await run(['stored', '--json'], env);
    const { problems } = JSON.parse(stdout) as { problems: { reason: string }[] };
    return problems.every(({ reason }) => !reason.includes('schema drift'));
  };
  const hash = 'f'.repeat(64);
  await plantEvent('{schemaUri}', JSON.stringify(`schemas://tenant/tenant/created/v1#sha256-${hash}`));
  expect(await tolerated()).toBe(false);
  await database.admin(
    `insert into brokers.released_schema (subject, hash) values ('melmastoon.tenant.tenant.created.v1', $1)`,
    [hash],
  );
  expect(await tolerated()).toBe(true);
  await database.admin('drop table brokers.released_schema');
  expect(await tolerated()).toBe(false);
});

test('before the first migration there is nothing to read, and it says so', async () => {
  const empty = await testDatabase({ empty: true });
  try {
    const { code, stderr } = await run(['stored'], { ...env, DATABASE_URL: empty.adminUrl });
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  } finally {
    await empty.drop();
  }
});
