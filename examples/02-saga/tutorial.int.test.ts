import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = import.meta.dirname;
const page = fileURLToPath(new URL('../../docs/tutorial/saga.md', import.meta.url));

/** Blocks below a file name in bold: the file as the page shows it. */
async function shownFiles(): Promise<Map<string, string>> {
  const text = await readFile(page, 'utf8');
  const blocks = text.matchAll(/^\*\*`(.+)`\*\*\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, file = '', content = '']) => [file, content]));
}

test('the tutorial shows every file of the example that is no test, as it is', async () => {
  const files = globSync('**/*.{ts,sql}', { cwd: here }).filter(
    path => !/\.test\.ts$|^fixtures\//.test(path),
  );
  const shown = await shownFiles();
  expect([...shown.keys()].sort()).toEqual(files.sort());
  for (const [file, content] of shown) expect(content).toBe(await readFile(join(here, file), 'utf8'));
});

test('all of it is 250 lines of code at most', async () => {
  const code = [...(await shownFiles())]
    .filter(([file]) => file.endsWith('.ts'))
    .map(([, content]) => content);
  const lines = code.join('\n').split('\n');
  const counted = lines.filter(line => !/^\s*($|\/\/|\/\*\*|\*)/.test(line));
  expect(counted.length).toBeLessThanOrEqual(250);
});
