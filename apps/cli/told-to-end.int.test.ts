import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openClient } from '@ghasi/db/database';
import { runningEmbeddedPostgres } from '@ghasi/db/embedded';
import { testDatabase } from '@ghasi/testing/database';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Melm, melm } from './fixtures/run-melm.ts';

const MIGRATION_LOCK = 7_236_114_001n;

/** Starts it, has `act` happen once it has said `text`, and gives how it ended. */
async function startUntil(text: string, args: string[], env?: Record<string, string>, act = terminate) {
  const started = melm(['start', '--port', '0', ...args], env);
  let said = '';
  started.child.stderr?.on('data', chunk => (said += chunk));
  await waitUntil(`it says ${text}`, () => said.includes(`melm: ${text}`));
  await act(started);
  return started.ended;
}

const terminate = async ({ child }: Melm) => void child.kill('SIGTERM');

describe('a start that is told to end', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await memoryFolder('melm-told-');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // One after the other on the same folder: each finds what the one before has left. They take seconds from here to their end.
  test.each([
    'starting the embedded PostgreSQL', // makes the database
    'migrating',
    'filling the demo hotels in',
  ])('while it is %s begins nothing more and stops its PostgreSQL', async step => {
    const dataDir = join(folder, 'data');
    const { code, stdout, stderr } = await startUntil(step, ['--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/melm: stopping\nmelm: stopped\n$/);
    const running = await runningEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), password: 'any' });
    expect(running).toBeUndefined();
    expect(existsSync(join(dataDir, 'postgres.lock'))).toBe(false);
  });

  test('while another process migrates does not wait for it', async () => {
    const database = await testDatabase();
    const other = await openClient(database.adminUrl, 'test-migrator');
    try {
      await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
      const waits = `select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      const ended = await startUntil('migrating', ['--no-demo'], env, async started => {
        await waitUntil('it waits', async () => (await database.admin(waits)).length === 1);
        await terminate(started);
      });
      expect(ended).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/melm: stopped\n$/) });
    } finally {
      await other.end();
      await database.drop();
    }
  });

  test('while its PostgreSQL says nothing does not wait for it', async () => {
    const silent = createServer(socket => void socket.on('error', () => {}));
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const env = {
      DATABASE_URL: `postgres://a@127.0.0.1:${port}/b`,
      MELM_SECRET: 'q8Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6Fy0Aa',
    };
    const ended = await startUntil('connecting to PostgreSQL', ['--no-demo'], env);
    silent.close();
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/melm: stopped\n$/) });
  });
});
