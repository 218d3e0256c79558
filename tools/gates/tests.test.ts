import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from './gate.ts';
import { plantedTree } from './planted-tree.ts';
import { testsGate } from './tests.ts';

const tests = testsGate({ echo: false });

function suite(source: string) {
  const tree = plantedTree({
    'package.json': '{ "type": "module" }',
    'a.test.ts': `import { expect, test } from 'vitest';\n${source}`,
  });
  symlinkSync(join(repositoryRoot, 'node_modules'), join(tree.root, 'node_modules'), 'junction');
  return tree;
}

test('a failing test fails the tests gate', { timeout: 60_000 }, async () => {
  using tree = suite("test('sums', () => expect(1 + 1).toBe(3));\ntest('holds', () => expect(1).toBe(1));\n");
  const { looked, findings } = await tests.check(tree.root);
  expect(looked).toBe(1);
  expect(findings).toEqual([{ where: 'a.test.ts', what: 'failed: sums' }]);
});

test('a test file that cannot be loaded fails the tests gate', { timeout: 60_000 }, async () => {
  using tree = suite("import './gone.ts';\n");
  const { looked, findings } = await tests.check(tree.root);
  expect(looked).toBe(0);
  expect(findings).toEqual([{ where: 'a.test.ts', what: expect.stringContaining('gone.ts') }]);
});
