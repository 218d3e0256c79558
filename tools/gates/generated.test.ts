import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileSet, type Page, table, withHeader } from '../generators/generator.ts';
import { writePages } from '../generators/write-pages.ts';
import { generatedGate } from './generated.ts';
import { plantedTree } from './planted-tree.ts';

const page: Page = { path: 'docs/x.md', title: 'X', source: '`x.ts`', make: async () => 'body' };

test('a generated file that is missing is refused', async () => {
  using tree = plantedTree({});
  const { findings } = await generatedGate([page]).check(tree.root);
  expect(findings).toEqual([{ where: 'docs/x.md', what: 'is missing: run npm run generate' }]);
});

test('a generated file that was edited is refused', async () => {
  using tree = plantedTree({ 'docs/x.md': `${withHeader(page, 'body')}edited\n` });
  const { findings } = await generatedGate([page]).check(tree.root);
  expect(findings).toEqual([{ where: 'docs/x.md', what: 'is stale: run npm run generate' }]);
});

test('a generated file that is up to date passes', async () => {
  using tree = plantedTree({ 'docs/x.md': withHeader(page, 'body') });
  expect(await generatedGate([page]).check(tree.root)).toEqual({
    looked: 1,
    of: 'generated files',
    findings: [],
  });
});

test('a generator that fails is a finding, and the others are still compared', async () => {
  using tree = plantedTree({ 'docs/x.md': withHeader(page, 'body'), 'docs/y.md': 'old\n' });
  const broken: Page = { ...page, make: () => Promise.reject(new Error('no source')) };
  const { findings } = await generatedGate([broken, { ...page, path: 'docs/y.md' }]).check(tree.root);
  expect(findings.map(({ what }) => what)).toEqual([
    'cannot be made: no source',
    'is stale: run npm run generate',
  ]);
});

test('what was just written is up to date, and a page that cannot be made is counted', async () => {
  using tree = plantedTree({});
  expect(await writePages([page], tree.root)).toBe(0);
  expect((await generatedGate([page]).check(tree.root)).findings).toEqual([]);
  expect(await writePages([{ ...page, make: () => Promise.reject(new Error('no source')) }], tree.root)).toBe(
    1,
  );
});

const set: FileSet = {
  name: 'schemas',
  owns: path => path.startsWith('schemas/'),
  makeAll: async () =>
    new Map([
      ['schemas/a.json', '{}\n'],
      ['schemas/b.json', '[]\n'],
    ]),
};

test('each file of a set is compared, and one that nobody makes any more is refused', async () => {
  using tree = plantedTree({ 'schemas/a.json': '{}\n', 'schemas/b.json': 'old\n', 'schemas/c.json': '{}\n' });
  const { looked, findings } = await generatedGate([set]).check(tree.root);
  expect(looked).toBe(2);
  expect(findings).toEqual([
    { where: 'schemas/b.json', what: 'is stale: run npm run generate' },
    { where: 'schemas/c.json', what: 'is left over: run npm run generate' },
  ]);
});

test('writing a set removes what is left over', async () => {
  using tree = plantedTree({ 'schemas/c.json': '{}\n', 'docs/c.json': '{}\n' });
  expect(await writePages([set], tree.root)).toBe(0);
  expect((await generatedGate([set]).check(tree.root)).findings).toEqual([]);
  expect(existsSync(join(tree.root, 'schemas/c.json'))).toBe(false);
  expect(existsSync(join(tree.root, 'docs/c.json'))).toBe(true);
});

test('a cell with a pipe or a newline stays one cell', () => {
  expect(table(['A'], [['a | b\nc']])).toBe('| A |\n|---|\n| a \\| b c |');
});
