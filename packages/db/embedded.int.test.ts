import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openClient } from './database.ts';
import { isRunning, startEmbeddedPostgres } from './embedded.ts';

let folder: string;
beforeEach(async () => {
  folder = await memoryFolder('melm-embedded-');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const options = () => ({ dataDir: join(folder, 'pg'), password: 'embedded-test-password' });

async function ask<T>(url: string, text: string): Promise<T[]> {
  const client = await openClient(url, 'test');
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

test('data survives a clean stop and start, and nothing runs in between', async () => {
  const first = await startEmbeddedPostgres(options());
  await ask(first.adminUrl, 'create table kept (n int); insert into kept values (1)');
  await first.stop();
  expect(await isRunning(first.pid, 'postgres')).toBe(false);
  const second = await startEmbeddedPostgres(options());
  expect(await ask(second.adminUrl, 'select n from kept')).toEqual([{ n: 1 }]);
  await second.stop();
});

test('durability is on, and the server listens on loopback only', async () => {
  const server = await startEmbeddedPostgres(options());
  const settings = await ask(
    server.adminUrl,
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'data_checksums') order by name`,
  );
  expect(settings).toEqual([
    { name: 'data_checksums', setting: 'on' },
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
  await server.stop();
});

test('a wrong password is refused', async () => {
  const server = await startEmbeddedPostgres(options());
  const url = new URL(server.adminUrl);
  url.password = 'guess';
  await expect(openClient(url.href, 'thief')).rejects.toThrow(/password authentication failed/);
  await server.stop();
});

test('a second start on the same folder is refused by name, and does no harm', async () => {
  const server = await startEmbeddedPostgres(options());
  const other = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures/start-embedded.ts'), options().dataDir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said = signal<string>();
  other.stdout.once('data', chunk => said.fire(String(chunk)));
  expect(await said.promise).toContain('EMBEDDED_BUSY');
  expect(await ask(server.adminUrl, 'select 1 as alive')).toEqual([{ alive: 1 }]);
  await server.stop();
});

test('after kill -9 of its parent the orphaned server is taken over and committed rows are there', async () => {
  const parent = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures/start-embedded.ts'), options().dataDir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said = signal<string>();
  parent.stdout.once('data', chunk => said.fire(String(chunk)));
  const { adminUrl, pid } = JSON.parse(await said.promise) as { adminUrl: string; pid: number };
  await ask(adminUrl, 'create table kept (n int); insert into kept values (7)');
  const gone = new Promise(resolve => parent.once('exit', resolve));
  parent.kill('SIGKILL');
  await gone;
  expect(await isRunning(pid, 'postgres')).toBe(true);

  const server = await startEmbeddedPostgres(options());
  expect(await ask(server.adminUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  expect(await isRunning(pid, 'postgres')).toBe(false);
  await server.stop();
});

test('after kill -9 of the server itself the next start recovers', async () => {
  const server = await startEmbeddedPostgres(options());
  await ask(server.adminUrl, 'create table kept (n int); insert into kept values (9)');
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  await server.stop();
  const again = await startEmbeddedPostgres(options());
  expect(await ask(again.adminUrl, 'select n from kept')).toEqual([{ n: 9 }]);
  await again.stop();
});

test('a process that a killed server left behind holds its memory: the next start waits for its end, and recovers', async () => {
  const server = await startEmbeddedPostgres(options());
  await ask(server.adminUrl, 'create table kept (n int); insert into kept values (9)');
  const client = await openClient(server.adminUrl, 'test-busy');
  client.on('error', () => {});
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const left = (rows[0] as { pid: number }).pid;
  process.kill(left, 'SIGSTOP');
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  await server.stop();
  const starting = startEmbeddedPostgres(options());
  const isHeld = async () =>
    (await readFile(`${options().dataDir}.log`, 'utf8')).includes('pre-existing shared memory block');
  try {
    await Promise.race([waitUntil('it is held', isHeld), starting]);
  } finally {
    process.kill(left, 'SIGCONT');
  }
  const again = await starting;
  expect(await ask(again.adminUrl, 'select n from kept')).toEqual([{ n: 9 }]);
  await client.end();
  await again.stop();
});

test('a start that is killed while it makes the database leaves half of one, which the next start does not take for a whole', async () => {
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const initdb = '#!/bin/sh\necho 18 > "$2/PG_VERSION"; echo $$ > "$2/pid"; exec sleep 100\n'; // as long as it takes
  await writeFile(join(programs, 'initdb'), initdb, { mode: 0o755 });
  const script = join(import.meta.dirname, 'fixtures/start-embedded.ts');
  const start = spawn(process.execPath, [script, options().dataDir, programs], { stdio: 'ignore' });
  const ended = once(start, 'exit');
  const making = await waitUntil('half of it is there', async () => {
    for (const name of await readdir(folder)) {
      const pid = await readFile(join(folder, name, 'pid'), 'utf8').catch(() => '');
      if (pid !== '') return Number(pid);
    }
    return undefined;
  });
  start.kill('SIGKILL');
  await ended;
  process.kill(making, 'SIGKILL');
  const server = await startEmbeddedPostgres(options());
  expect(await ask(server.adminUrl, 'select 1 as alive')).toEqual([{ alive: 1 }]);
  await server.stop();
  expect((await readdir(folder)).sort()).toEqual(['pg', 'pg.log', 'programs']);
});

test('a start that is told to end while it makes the database leaves nothing behind, and the next one is whole', async () => {
  const told = new AbortController();
  const start = startEmbeddedPostgres({ ...options(), signal: told.signal });
  await waitUntil('the database is being made', async () =>
    (await readdir(folder)).some(name => name.endsWith('.pw')),
  );
  told.abort(new Error('told to end'));
  await expect(start).rejects.toThrow('told to end');
  expect(await readdir(folder)).toEqual([]);
  const server = await startEmbeddedPostgres(options());
  expect(await ask(server.adminUrl, 'select 1 as alive')).toEqual([{ alive: 1 }]);
  await server.stop();
});

test('a folder that holds no database is an error with the reason, and the lock is given back', async () => {
  const server = await startEmbeddedPostgres(options());
  await server.stop();
  await rm(join(options().dataDir, 'global'), { recursive: true });
  await expect(startEmbeddedPostgres(options())).rejects.toMatchObject({ code: 'EMBEDDED_FAILED' });
  await waitUntil(
    'the lock is gone',
    async () => (await readFile(`${options().dataDir}.lock`).catch(() => 'gone')) === 'gone',
  );
});
