import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the page for those who took the packages shows letters.ts as it is', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/how-to/use-the-packages.md'), 'utf8');
  const [, shown = ''] = /^## Without melm\n[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const lines = shown.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(8);
  const source = await readFile(join(import.meta.dirname, 'letters.ts'), 'utf8');
  expect(lines.filter(line => !source.split('\n').includes(line))).toEqual([]);
});
