import { testDatabase } from '@ghasi/testing/database';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { expect, test } from 'vitest';
import { openClient } from './database.ts';

const TERMINATE = 'X'.charCodeAt(0);

test('a client ends also when its server does not answer the goodbye: a process that stops would wait for it for ever', async () => {
  const database = await testDatabase();
  const proxy = await tcpProxy({
    target: targetOf(database.adminUrl),
    judge: chunk => (chunk[0] === TERMINATE ? 'swallow' : 'pass'),
  });
  const client = await openClient(proxy.through(database.adminUrl), 'goodbye');
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  await proxy.close();
  await database.drop();
});
