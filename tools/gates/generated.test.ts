import { expect, test } from 'vitest';
import { type Generator, table, withHeader } from '../generators/generator.ts';
import { writePages } from '../generators/write-pages.ts';
import { generatedGate } from './generated.ts';
import { plantedTree } from './planted-tree.ts';

const page: Generator = { path: 'docs/x.md', title: 'X', source: '`x.ts`', make: async () => 'body' };

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
  const broken: Generator = { ...page, make: () => Promise.reject(new Error('no source')) };
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

test('a cell with a pipe or a newline stays one cell', () => {
  expect(table(['A'], [['a | b\nc']])).toBe('| A |\n|---|\n| a \\| b c |');
});
