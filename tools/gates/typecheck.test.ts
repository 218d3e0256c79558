import { expect, test } from 'vitest';
import { plantedTree } from './planted-tree.ts';
import { typecheck } from './typecheck.ts';

const tsconfig = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, module: 'nodenext', types: [], erasableSyntaxOnly: true },
  include: ['packages'],
});

test('a wrong type fails the types gate at its line', async () => {
  using tree = plantedTree({
    'tsconfig.json': tsconfig,
    'packages/x/a.ts': "\nexport const a: number = 'b';\n",
  });
  const { findings } = await typecheck.check(tree.root);
  expect(findings).toEqual([{ where: 'packages/x/a.ts:2', what: expect.stringContaining('TS2322') }]);
});

test('a broken tsconfig fails the types gate', async () => {
  using tree = plantedTree({ 'tsconfig.json': '{ "include": ["nowhere"] }' });
  const { findings, looked } = await typecheck.check(tree.root);
  expect(looked).toBe(0);
  expect(findings).toHaveLength(1);
});

test('the types gate counts our files only', async () => {
  using tree = plantedTree({ 'tsconfig.json': tsconfig, 'packages/x/a.ts': 'export const a = 1;\n' });
  expect(await typecheck.check(tree.root)).toEqual({ looked: 1, of: 'files', findings: [] });
});
