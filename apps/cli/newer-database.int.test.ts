import { rm } from 'node:fs/promises';
import { openClient } from '@ghasi/db/database';
import { migrate } from '@ghasi/db/migrate';
import { testDatabase } from '@ghasi/testing/database';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { openPlatformDatabase } from '@melmastoon/server/database';
import { readEnvironment } from '@melmastoon/server/environment';
import { installationSecret } from '@melmastoon/server/secret';
import { expect, test } from 'vitest';
import { run } from './fixtures/run-melm.ts';

/** Leaves what a newer release would. */
async function makeNewer(adminUrl: string): Promise<void> {
  const client = await openClient(adminUrl, 'test-newer');
  await client.query(`insert into app.schema_migrations (version, checksum) values ('9999_later', 'x')`);
  await client.end();
}

const refusals = async (args: string[], env: Record<string, string> = {}) => [
  await run(['start', '--port', '0', '--no-demo', ...args], env),
  await run(['migrate', ...args], env),
  await run(['seed', ...args], env),
];
const lastLine = (stderr: string) => stderr.trim().split('\n').at(-1);

test("an older release on somebody's PostgreSQL says to run a newer one, and nothing of removing the database", async () => {
  const database = await testDatabase();
  try {
    await makeNewer(database.adminUrl);
    const env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
    for (const { code, stderr } of await refusals([], env))
      expect({ code, last: lastLine(stderr) }).toEqual({
        code: 2,
        last: 'melm: The database has migration app/9999_later, which this release does not know. Run a newer release.',
      });
  } finally {
    await database.drop();
  }
});

test('an older release on its embedded database says how to start from nothing too', async () => {
  const folder = await memoryFolder('melm-newer-');
  try {
    const env = readEnvironment({ MELM_DATA_DIR: folder });
    const secret = await installationSecret(env);
    const database = await openPlatformDatabase(env, secret);
    await migrate(database.adminUrl, [], { secret });
    await makeNewer(database.adminUrl);
    await database.stop();
    for (const { code, stderr } of await refusals(['--data-dir', folder]))
      expect({ code, last: lastLine(stderr) }).toEqual({
        code: 2,
        last: `melm: The database has migration app/9999_later, which this release does not know. Run a newer release. Or have "melm start --reset" remove the embedded database in ${folder} and start from nothing.`,
      });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
