import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packPackages } from '../pack.ts';
import { repositoryRoot } from './gate.ts';
import { packages, packagesGate } from './packages.ts';
import { plantedTree } from './planted-tree.ts';

const withoutExamples = packagesGate([]);

/** A workspace with one package, which has a door for each of these files. */
function workspace(files: Record<string, string>) {
  const doors = Object.keys(files)
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(path => [`./${path.slice(0, -'.ts'.length)}`, `./${path}`]);
  const manifest = { name: '@ghasi/a', version: '1.0.0', type: 'module', exports: Object.fromEntries(doors) };
  const tree = plantedTree({
    LICENSE: 'as you like',
    NOTICE: 'nothing to notice',
    'packages/a/package.json': JSON.stringify(manifest),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`packages/a/${path}`, text])),
  });
  tree.copy('tsconfig.json');
  symlinkSync(join(repositoryRoot, 'node_modules'), join(tree.root, 'node_modules'), 'junction');
  return tree;
}

test('a door that opens and types that stand by themselves pass the packages gate', async () => {
  using tree = workspace({
    'greeting.ts': 'export const greeting: string = "salaam";\n',
    'open.ts': "export { greeting } from './greeting.ts';\n",
  });
  expect(await withoutExamples.check(tree.root)).toEqual({
    looked: 2,
    of: 'doors of 1 installed packages',
    findings: [],
    notes: ['0 tests of 0 examples passed there'],
  });
});

test('a door that needs what stays in the repository, and types that nobody brings, fail the packages gate', async () => {
  using tree = workspace({
    'shut.ts': `import { readFileSync } from 'node:fs';
      export const text = readFileSync(new URL('./fixtures/text.txt', import.meta.url), 'utf8');\n`,
    'fixtures/text.txt': 'only here',
    'typed.ts': "import type { Pool } from 'pg';\nexport type Named = { name: string; pool: Pool };\n",
  });
  const { findings } = await withoutExamples.check(tree.root);
  expect(findings).toEqual([
    { where: '@ghasi/a/shut', what: expect.stringContaining('ENOENT') },
    { where: 'node_modules/@ghasi/a/typed.d.ts(1,27)', what: expect.stringContaining('TS2307') },
  ]);
});

test('an example that is not there fails the packages gate', async () => {
  using tree = workspace({ 'greeting.ts': 'export const greeting: string = "salaam";\n' });
  const { findings } = await packages.check(tree.root);
  expect(findings).toEqual([
    { where: 'examples/01-first-service', what: 'is not there' },
    { where: 'examples/03-run-it', what: 'is not there' },
  ]);
});

test('what does not compile is not packed', async () => {
  using tree = workspace({ 'wrong.ts': "export const one: number = 'one';\n" });
  await expect(withoutExamples.check(tree.root)).rejects.toThrow('TS2322');
});

test('a tarball has JavaScript, types, migrations, readme and licence; tests and fixtures stay, also as doors', async () => {
  using tree = workspace({
    'README.md': '# a\n',
    'migrations/0001_init.sql': 'select 1;\n',
    'worker.ts': 'export const ready = true;\n',
    'start.ts': "export const worker = (): URL => new URL('./worker.ts', import.meta.url);\n",
    'start.test.ts': 'export {};\n',
    'fixtures/shop.ts': 'export const shop = 1;\n',
  });
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  try {
    const packed = await packPackages(tree.root, folder);
    const tarball = join(folder, 'ghasi-a-1.0.0.tgz');
    expect(packed).toEqual([{ name: '@ghasi/a', tarball, doors: ['@ghasi/a/worker', '@ghasi/a/start'] }]);
    execFileSync('tar', ['-xzf', 'ghasi-a-1.0.0.tgz'], { cwd: folder });
    const inside = readdirSync(join(folder, 'package'), { recursive: true, withFileTypes: true });
    expect(
      inside
        .filter(file => file.isFile())
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      '0001_init.sql',
      'LICENSE',
      'NOTICE',
      'README.md',
      'package.json',
      'start.d.ts',
      'start.js',
      'worker.d.ts',
      'worker.js',
    ]);
    const { exports, engines } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    expect(engines).toEqual({ node: '>=24' });
    expect(exports['./start']).toEqual({ types: './start.d.ts', default: './start.js' });
    expect(readFileSync(join(folder, 'package/start.js'), 'utf8')).toContain("new URL('./worker.js'");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
