import { expect, test } from 'vitest';
import { format } from './format.ts';
import { lint } from './lint.ts';
import { plantedTree } from './planted-tree.ts';

function treeWith(files: Record<string, string>) {
  const tree = plantedTree({ '.gitignore': 'node_modules/\n', ...files });
  tree.copy('biome.json');
  return tree;
}

test('a file with another layout fails the format gate', async () => {
  using tree = treeWith({ 'packages/x/a.ts': 'export const a = {b:"c"}\n' });
  const { findings } = await format.check(tree.root);
  expect(findings).toEqual([{ where: 'packages/x/a.ts', what: 'format' }]);
});

test.each([
  ['any', 'export const a: any = 1;\n', 'noExplicitAny'],
  ['a default export', 'export default 1;\n', 'noDefaultExport'],
  ['an enum', 'export enum A {\n  B,\n}\n', 'noEnum'],
  ['a forgotten promise', 'async function f() {}\nf();\nexport const a = 1;\n', 'noFloatingPromises'],
  ['console in a package', 'console.log(1);\n', 'noConsole'],
])('%s fails the lint gate', async (_title, source, rule) => {
  using tree = treeWith({ 'packages/x/a.ts': source });
  const { findings } = await lint.check(tree.root);
  expect(findings.map(({ what }) => what)).toEqual([expect.stringContaining(rule)]);
});

test('a name in camel case fails the lint gate', async () => {
  using tree = treeWith({ 'packages/x/roomRate.ts': 'export const roomRate = 1;\n' });
  const { findings } = await lint.check(tree.root);
  expect(findings.map(({ what }) => what)).toEqual([expect.stringContaining('useFilenamingConvention')]);
});

test('both gates count the files they read', async () => {
  using tree = treeWith({
    'packages/x/a.ts': 'export const a = 1;\n',
    'packages/x/b.ts': 'export const b = 1;\n',
  });
  expect(await format.check(tree.root)).toMatchObject({ looked: 3, findings: [] });
  expect(await lint.check(tree.root)).toMatchObject({ looked: 3, findings: [] });
});
