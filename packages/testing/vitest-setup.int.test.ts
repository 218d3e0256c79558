import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const project = join(import.meta.dirname, 'fixtures/own-vitest');

test('a project that names the set-up in its vitest config has a system; the README shows that config', async () => {
  const { output, code } = await vitest('vitest.config.ts');
  expect(output).toContain('Tests 1 passed (1)');
  expect(code).toBe(0);
  const config = await readFile(join(project, 'vitest.config.ts'), 'utf8');
  expect(await readFile(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(config);
});

test('a project that does not is told in a sentence what to add', async () => {
  const { output, code } = await vitest('without-set-up.config.ts');
  expect(output).toContain(
    "This run has no test servers: add globalSetup: ['@ghasi/testing/vitest-setup'] to `test` in vitest.config.ts.",
  );
  expect(code).toBe(1);
});

/** Runs vitest as a reader would; the run around us is none of its business. */
async function vitest(config: string): Promise<{ output: string; code: number | null }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const args = ['vitest', 'run', '--root', project, '--config', join(project, config)];
  const child = spawn('npx', args, { env: { ...env, NO_COLOR: '1' } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', chunk => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { output: output.replaceAll(/ +/g, ' '), code };
}
