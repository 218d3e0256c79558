import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning } from '@ghasi/db/embedded';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { quickLoad } from '@ghasi/testing/quick-load';
import { redisUrl } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await memoryFolder('melm-told-');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.for(['run.ts', 'soak.ts'])(
  'Ctrl-C of chaos/%s leaves no PostgreSQL and no folder behind',
  async script => {
    const env = { ...quickLoad, PATH: process.env.PATH, TMPDIR: folder, REDIS_URL: redisUrl() };
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL(`fixtures/chaos/${script}`, import.meta.url))],
      {
        env,
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    const postgres = await waitUntil('its PostgreSQL runs', async () => {
      const [name] = (await readdir(folder)).filter(entry => entry.startsWith('melm-test-'));
      const lines = await readFile(join(folder, name ?? '', 'pg/postmaster.pid'), 'utf8').catch(() => '');
      return Number(lines.split('\n')[0]);
    });
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(await isRunning(postgres, 'postgres')).toBe(false);
    expect((await readdir(folder)).filter(entry => entry.startsWith('melm-test-'))).toEqual([]);
  },
);
