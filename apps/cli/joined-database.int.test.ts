import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openClient } from '@ghasi/db/database';
import { runningEmbeddedPostgres } from '@ghasi/db/embedded';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { waitUntil } from '@ghasi/testing/signal';
import { joinPlatformDatabase } from '@melmastoon/server/database';
import { readEnvironment } from '@melmastoon/server/environment';
import { installationSecret } from '@melmastoon/server/secret';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { melm, run } from './fixtures/run-melm.ts';

let folder: string;
beforeAll(async () => {
  folder = await memoryFolder('melm-joined-');
  expect((await run(['migrate', '--data-dir', folder])).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a command that came while another one started its server joins it, and that one stops it only when both are done', async () => {
  const env = readEnvironment({ MELM_DATA_DIR: folder });
  const secret = await installationSecret(env);
  const first = melm(['doctor', '--data-dir', folder]);
  let said = '';
  first.child.stderr?.on('data', chunk => (said += chunk));
  await waitUntil('it holds the folder', () => existsSync(join(folder, 'postgres.lock')));

  const second = await joinPlatformDatabase(env, secret);
  await waitUntil(
    'the first is done',
    () => first.child.exitCode !== null || said.includes('waiting for it'),
  );
  const client = await openClient(second.adminUrl, 'test-second');
  expect((await client.query('select 1 as alive')).rows).toEqual([{ alive: 1 }]);
  await client.end();
  await second.stop();

  expect(await first.ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('exactly as this release'),
  });
  const running = { dataDir: join(folder, 'postgres'), password: 'any' };
  expect(await runningEmbeddedPostgres(running)).toBeUndefined();
});

test('two commands at once both do their work', async () => {
  const both = await Promise.all(
    [['dlq', 'list'], ['outbox']].map(args => run([...args, '--data-dir', folder])),
  );
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(existsSync(join(folder, 'postgres.lock'))).toBe(false);
});

test('Ctrl-C while it waits for the other one stops the server at once', async () => {
  const { first, second } = await joined();
  first.child.kill('SIGINT');
  expect((await first.ended).code).toBe(130);
  expect((await first.ended).stderr).toMatch(/^melm: another melm still uses .*\n$/);
  await second.stop();
  expect(existsSync(join(folder, 'postgres/postmaster.pid'))).toBe(false);
});

/** A command that waits for a second one; one that was done before the second came is tried again. */
async function joined() {
  const env = readEnvironment({ MELM_DATA_DIR: folder });
  const secret = await installationSecret(env);
  for (;;) {
    const first = melm(['doctor', '--data-dir', folder]);
    const waits = new Promise<true>(resolve => {
      first.child.stderr?.on('data', chunk => String(chunk).includes('waiting for it') && resolve(true));
    });
    await waitUntil('it holds the folder', () => existsSync(join(folder, 'postgres.lock')));
    const second = await joinPlatformDatabase(env, secret);
    if ((await Promise.race([waits, first.ended])) === true) return { first, second };
    await second.stop();
  }
}
