import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { platformRegistry } from '@melmastoon/server/services';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describedServices } from './commands/with-database.ts';
import { run } from './fixtures/run-melm.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await testDatabase();
  env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
});
afterAll(() => database.drop());

test('REG-04, X-080: it tells the processes that run already which schemas this release writes, of every event', async () => {
  expect((await run(['migrate'], env)).code).toBe(0);
  const rows = await database.admin<{ uri: string }>(
    `select subject || '#' || hash as uri from brokers.released_schema`,
  );
  const registry = platformRegistry(describedServices());
  const today = registry.events.map(({ subject }) => `${subject}#${registry.schemaUri(subject)?.slice(-64)}`);
  expect(today.length).toBeGreaterThan(90);
  expect(rows.map(({ uri }) => uri)).toEqual(expect.arrayContaining(today));
});

test('REG-08, X-079: what this release cannot read stops a deployment, until somebody says why it may be lost', async () => {
  await database.admin(
    `insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, enqueued_at)
     values (brokers.log_today(), nextval('brokers.log_off'), 0, 'gone', 'k', gen_random_uuid(), gen_random_uuid(), '{}', '{}', 'by hand', now())`,
  );
  const refused = await run(['migrate', '--json'], env);
  expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
    1,
    expect.objectContaining({
      applied: [],
      readable: false,
      problems: [expect.objectContaining({ subject: 'unknown' })],
    }),
  ]);
  expect((await run(['migrate'], env)).stdout).toContain('1 cannot be read by this release');
  expect((await run(['migrate', '--unread-anyway', ' '], env)).code).toBe(2);
  const reason = 'INC-7: test data of a trade fair';
  expect((await run(['migrate', '--unread-anyway', reason, '--actor', 'zmaray'], env)).code).toBe(0);
  expect(await database.admin('select actor, action, reason, detail from brokers.operation')).toEqual([
    { actor: 'zmaray', action: 'release.unread', reason, detail: { unread: 1 } },
  ]);
});
