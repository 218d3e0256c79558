import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '@ghasi/backbone/registry';
import { recordedSchemas } from '@ghasi/backbone/registry-released';
import { testDatabase } from '@ghasi/testing/database';
import { quickLoad } from '@ghasi/testing/quick-load';
import { waitUntil } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { OrderPlaced } from '../01-first-service/orders/contract.ts';

test('the shop starts from nothing, reserves what is ordered, ends on Ctrl-C, and remembers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'));
  const env = { SHOP_FOLDER: join(folder, 'postgres') };
  try {
    const shop = await openShop(env);
    await shop.says('order o1 tea 3', 'order o1 is placed');
    await shop.says('order o2 tea 4', 'order o2 is placed');
    await shop.says('order o2 tea 4', 'refused');
    await shop.comesToSay('stock tea', '7 of tea are reserved');
    await shop.close('SIGINT');

    const next = await openShop(env);
    await next.says('stock tea', '7 of tea are reserved');
    await next.close('SIGTERM');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the shop works on a PostgreSQL of its owner, and ends with its input', async () => {
  const database = await testDatabase({ empty: true });
  const shop = await openShop({ DATABASE_URL: database.adminUrl, SHOP_SECRET: database.secret });
  await shop.says('order o1 tea 3', 'order o1 is placed');
  await shop.comesToSay('stock tea', '3 of tea are reserved');
  await shop.close('end of input');
  await database.drop();
});

test('the shop writes down its payload schemas, so that its next release can read what this one stored', async () => {
  const database = await testDatabase({ empty: true });
  const shop = await openShop({ DATABASE_URL: database.adminUrl, SHOP_SECRET: database.secret });
  await shop.close('end of input');
  expect(await recordedSchemas(database.openAs('relay'))).toEqual(createRegistry([OrderPlaced]).schemas());
  await database.drop();
});

/** A running shop: a process, as a reader starts it. */
async function openShop(env: Record<string, string>) {
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main], { env: { ...quickLoad, PATH: process.env.PATH, ...env } });
  const exited = once(child, 'exit');
  const said = listenTo(child);
  await said('The shop is open');
  const says = async (line: string, reply: string) => {
    child.stdin.write(`${line}\n`);
    expect(await said('')).toContain(reply);
  };
  return {
    says,
    /** Events are handled soon, not at once. */
    comesToSay: (line: string, reply: string) =>
      waitUntil(`the shop says "${reply}"`, async () => {
        child.stdin.write(`${line}\n`);
        return (await said('')).includes(reply);
      }),
    async close(how: 'SIGINT' | 'SIGTERM' | 'end of input') {
      if (how === 'end of input') child.stdin.end();
      else child.kill(how);
      expect(await said('')).toBe('The shop is closed');
      expect(await exited).toEqual([0, null]);
    },
  };
}

/** The next line of a process that has these words; what it writes to stderr goes with the failure. */
function listenTo(child: ChildProcessWithoutNullStreams): (words: string) => Promise<string> {
  const lines: string[] = [];
  let unfinished = '';
  child.stdout.setEncoding('utf8').on('data', chunk => {
    const all = (unfinished + chunk).split('\n');
    unfinished = all.pop() ?? '';
    lines.push(...all);
  });
  let trouble = '';
  child.stderr.setEncoding('utf8').on('data', chunk => (trouble += chunk));
  return async words => {
    let found: string | undefined;
    const isThere = async () => {
      if (child.exitCode !== null && lines.length === 0) throw new Error(`the shop ended: ${trouble}`);
      for (let line = lines.shift(); line !== undefined && found === undefined; line = lines.shift())
        if (line.includes(words)) found = line;
      return found !== undefined;
    };
    await waitUntil(`a line with "${words}"`, isThere, { timeoutMs: 60_000 });
    return found ?? '';
  };
}
