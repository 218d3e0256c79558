import { openDatabase } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { carriesCommit, targetOf, tcpProxy, type Verdict } from '@ghasi/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operate, record } from './operation.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('DLQ-25: a change of which nobody can say whether it was saved tells the operator where it shows', async () => {
  const judge = (chunk: Buffer): Verdict => (carriesCommit(chunk) ? 'cut-after' : 'pass');
  const proxy = await tcpProxy({ target: targetOf(database.adminUrl), judge });
  const db = openDatabase({ url: proxy.through(database.roleUrl('relay')), service: 'melm', max: 1 });
  const change = { actor: 'nadia@desk', reason: 'INC-21' };
  const cut = operate(db, change, async tx => {
    // As after a crash of the server: from then on "committed" may speak of somebody else's transaction.
    await database.admin('update app.boot set id = gen_random_uuid()');
    await record(tx, change, { action: 'dlq.skip', detail: {}, wake: undefined });
  });
  await expect(cut).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    message:
      'The database went away while this was being saved, and cannot say whether it was. "melm operations" shows what was done; give the command again for the rest.',
  });
  expect(await database.admin('select action from brokers.operation')).toEqual([{ action: 'dlq.skip' }]);
  await db.close();
  await proxy.close();
});
