import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { Logger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { CHANNEL, openWakeUps, type Wake } from './wake-up.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

function openLine(log?: Logger) {
  const heard: Wake[] = [];
  const line = openWakeUps({ url: database.roleUrl('relay'), log, onWake: wake => heard.push(wake) });
  onTestFinished(() => line.stop());
  return { line, heard };
}

test('what is no tenant is not listened to: every role that signs in may say something here', async () => {
  const { line, heard } = openLine();
  await waitUntil('it hears', () => line.hears);
  const tenantId = uuid7();
  const say = (words: string) =>
    database.openAs('svc_iam').pool.query('select pg_notify($1, $2)', [CHANNEL, `somebody ${words}`]);
  await say(`outbox:orders:junk outbox:orders:${tenantId}x outbox:orders:${tenantId} outbox:orders: log`);
  await waitUntil('the last word', () => heard.some(({ kind }) => kind === 'log'));
  expect(heard).toEqual([
    { kind: 'outbox', schema: 'orders', tenantId },
    { kind: 'outbox', schema: 'orders' },
    { kind: 'log' },
  ]);
});

test('a connection on which nobody may listen is not left open', async () => {
  await database.admin('revoke execute on function pg_notify(text, text) from public');
  let failures = 0;
  openLine({ debug: () => failures++ } as unknown as Logger);
  await waitUntil('it has tried twice', () => failures === 2);
  await waitUntil('no connection is left', async () => {
    const open = await database.admin(
      "select from pg_stat_activity where application_name = 'melm-wake' and datname = current_database()",
    );
    return open.length === 0;
  });
});
