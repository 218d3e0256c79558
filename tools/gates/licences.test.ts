import { expect, test } from 'vitest';
import { isAllowed, licences } from './licences.ts';
import { plantedTree } from './planted-tree.ts';

/** A lock file in which package `a` of ours needs the given packages. */
function lockOf(needs: string[], packages: Record<string, object>): string {
  const dependencies = Object.fromEntries(needs.map(name => [name, '1.0.0']));
  return JSON.stringify({ packages: { '': {}, 'packages/a': { dependencies }, ...packages } });
}

test('a package under the GPL deep among the dependencies is refused', async () => {
  using tree = plantedTree({
    'package-lock.json': lockOf(['fine'], {
      'node_modules/fine': { version: '1.0.0', license: 'MIT', dependencies: { copyleft: '2' } },
      'node_modules/copyleft': { version: '1.0.0', license: 'MIT' },
      'node_modules/fine/node_modules/copyleft': { version: '2.0.0', license: 'MIT' },
    }),
    // the package itself is believed before the lock file
    'node_modules/fine/node_modules/copyleft/package.json': '{ "license": "AGPL-3.0-only" }',
  });
  expect(await licences.check(tree.root)).toMatchObject({
    looked: 2,
    findings: [
      {
        where: 'node_modules/fine/node_modules/copyleft@2.0.0',
        what: 'licence AGPL-3.0-only is not on the list',
      },
    ],
  });
});

test('a package reached through another workspace, an optional or a peer dependency is looked at', async () => {
  using tree = plantedTree({
    'package-lock.json': lockOf(['@ghasi/b'], {
      'node_modules/@ghasi/b': { link: true, resolved: 'packages/b' },
      'packages/b': { optionalDependencies: { one: '1' }, peerDependencies: { two: '1' } },
      'node_modules/one': { version: '1.0.0', license: 'GPL-3.0-only' },
      'node_modules/two': { version: '1.0.0', license: 'GPL-3.0-only' },
    }),
  });
  expect((await licences.check(tree.root)).findings).toHaveLength(2);
});

test('development tools and what only packages/testing needs never ship', async () => {
  using tree = plantedTree({
    'package-lock.json': lockOf([], {
      '': { devDependencies: { tool: '1' } },
      'packages/testing': { dependencies: { runner: '1' } },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
      'node_modules/runner': { version: '1.0.0', license: 'MPL-2.0' },
    }),
  });
  expect(await licences.check(tree.root)).toMatchObject({ looked: 0, findings: [] });
});

test('a package without a licence is refused', async () => {
  using tree = plantedTree({
    'package-lock.json': lockOf(['nameless'], { 'node_modules/nameless': { version: '1.0.0' } }),
  });
  expect((await licences.check(tree.root)).findings).toHaveLength(1);
});

test('ANTI-09: a saga framework among the dependencies is refused', async () => {
  using tree = plantedTree({
    'package-lock.json': lockOf(['@temporalio/workflow'], {
      'node_modules/@temporalio/workflow': { version: '1.0.0', license: 'MIT' },
    }),
  });
  expect((await licences.check(tree.root)).findings).toEqual([
    { where: 'node_modules/@temporalio/workflow@1.0.0', what: 'is a saga framework (ANTI-09)' },
  ]);
});

test('of two licences one must suit, of joined licences both', () => {
  expect(isAllowed('(MIT OR GPL-3.0-only)')).toBe(true);
  expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false);
  expect(isAllowed('(MIT AND Apache-2.0)')).toBe(true);
  expect(isAllowed('SEE LICENSE IN LICENSE.md')).toBe(false);
});
