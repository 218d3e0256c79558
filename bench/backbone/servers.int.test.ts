import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isRunning } from '@ghasi/db/embedded';
import { quickLoad } from '@ghasi/testing/quick-load';
import { expect, test } from 'vitest';

test('SIGTERM to a benchmark leaves no PostgreSQL behind', async () => {
  const script = `import { startServers } from ${JSON.stringify(new URL('./servers.ts', import.meta.url).href)};
    console.log((await startServers(false)).postgresPid);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...quickLoad, PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [said] = await once(child.stdout, 'data');
  const postgres = Number(said);
  expect(await isRunning(postgres, 'postgres')).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(await isRunning(postgres, 'postgres')).toBe(false);
});
