import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { flagsOf } from '@ghasi/testing/flags';
import { isStarted, repositoryRoot } from './gates/gate.ts';
import { runNpm, runTool } from './gates/run-tool.ts';
import { isTestFile, readText, repositoryFiles } from './gates/tree.ts';

/** A package as npm installs it: its tarball, and the doors (`@ghasi/db/database`) that it opens. */
export type Packed = { name: string; tarball: string; doors: string[] };

type Manifest = { name: string; version: string; exports: Record<string, string>; devDependencies?: object };

/** Node strips no types below `node_modules`, so what is installed from a tarball is JavaScript beside its types. */
const isShipped = (path: string) =>
  !isTestFile(path) && !path.startsWith('fixtures/') && path !== 'package.json';

/**
 * Makes a tarball of every package of the workspace in `out`: what it exports as JavaScript and types, its migrations,
 * its README and the licence. Tests and fixtures stay here, also as doors.
 */
export async function packPackages(root: string, out: string): Promise<Packed[]> {
  const staging = mkdtempSync(join(tmpdir(), 'pack-'));
  try {
    const files = repositoryFiles(root).filter(path => path.startsWith('packages/'));
    const folders = [...new Set(files.map(path => path.split('/')[1] as string))].sort();
    const shipped = files.filter(path => isShipped(path.split('/').slice(2).join('/')));
    await emit(root, shipped, staging);
    const staged = folders.map(folder => {
      const manifest = JSON.parse(readText(root, `packages/${folder}/package.json`)) as Manifest;
      const rest = shipped.filter(path => path.startsWith(`packages/${folder}/`) && !path.endsWith('.ts'));
      for (const path of rest)
        cpSync(join(root, path), join(staging, path.slice('packages/'.length)), { recursive: true });
      for (const legal of ['LICENSE', 'NOTICE']) cpSync(join(root, legal), join(staging, folder, legal));
      const published = publishedManifest(manifest);
      writeFileSync(join(staging, folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
      return { folder, published };
    });
    mkdirSync(out, { recursive: true });
    for (const old of readdirSync(out)) if (old.endsWith('.tgz')) rmSync(join(out, old));
    await runNpm(
      ['pack', '--silent', '--pack-destination', resolve(out), ...folders.map(f => `./${f}`)],
      staging,
    );
    return staged.map(({ published: { name, version, exports } }) => ({
      name,
      tarball: join(out, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
      doors: Object.keys(exports).map(door => `${name}${door.slice(1)}`),
    }));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The manifest as it is published: doors lead to JavaScript and its types, and those to fixtures are shut. */
function publishedManifest({ devDependencies, ...manifest }: Manifest) {
  const open = Object.entries(manifest.exports).filter(([, file]) => isShipped(file.slice('./'.length)));
  const exports = open.map(([door, file]) => {
    const path = file.replace(/\.ts$/, '');
    return [door, { types: `${path}.d.ts`, default: `${path}.js` }] as const;
  });
  return { ...manifest, engines: { node: '>=24' }, exports: Object.fromEntries(exports) };
}

/** One run of the compiler over all packages. It rewrites the imports; what is left is names of files in types and URLs. */
async function emit(root: string, shipped: readonly string[], outDir: string): Promise<void> {
  const sources = shipped.filter(path => path.endsWith('.ts')).map(path => join(root, path));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    allowImportingTsExtensions: false,
    target: 'esnext',
    rootDir: join(root, 'packages'),
    typeRoots: [join(root, 'node_modules/@types')],
    outDir,
  };
  const config = join(outDir, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files: sources, include: [] }),
  );
  const { exitCode, output } = await runTool('typescript', 'tsc', ['-p', config], root);
  if (exitCode !== 0) throw new Error(`the packages could not be compiled:\n${output}`);
  for (const source of sources) {
    const path = join(outDir, source.slice(compilerOptions.rootDir.length)).replace(/\.ts$/, '');
    for (const file of [`${path}.js`, `${path}.d.ts`]) {
      const text = readFileSync(file, 'utf8').replaceAll(
        /(from |import\(|new URL\()(['"]\.[^'"]*)\.ts(?=['"])/g,
        '$1$2.js',
      );
      writeFileSync(file, text);
    }
  }
}

if (isStarted(import.meta.url)) {
  const { values } = flagsOf('npm run pack -- [--out folder]', {
    options: { out: { type: 'string', default: 'dist/packages' } },
  });
  const packed = await packPackages(repositoryRoot, values.out);
  for (const { name, tarball, doors } of packed)
    console.log(`${name.padEnd(26)} ${String(doors.length).padStart(3)} doors  ${tarball}`);
  console.log(
    `\nInstall them together, in a project of your own: npm install ${dirname(resolve(packed[0]?.tarball ?? ''))}/*.tgz`,
  );
}
