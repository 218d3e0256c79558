import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Packed, packPackages } from '../pack.ts';
import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { runNode, runNpm, runTool } from './run-tool.ts';

/** The tutorial is followed in the repository. */
const isOfRepository = (path: string) => /(package\.json|tutorial\.int\.test\.ts)$/.test(path);

const vitestConfig = `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globalSetup: ['@ghasi/testing/vitest-setup'], testTimeout: 120_000, hookTimeout: 120_000 },
});
`;

/** The packages work for whoever has nothing else of ours: installed from tarballs, in a project elsewhere with these examples. */
export const packagesGate = (examples: readonly string[]): Gate => ({
  name: 'packages',
  floor: 150,
  async check(root): Promise<GateReport> {
    const folder = mkdtempSync(join(tmpdir(), 'packages-gate-'));
    try {
      const packed = await packPackages(root, join(folder, 'tarballs'));
      const project = join(folder, 'project');
      const present = examples.filter(path => existsSync(join(root, path, 'package.json')));
      await installIn(project, packed, { root, present });
      const findings: Finding[] = [
        ...examples
          .filter(path => !present.includes(path))
          .map(path => ({ where: path, what: 'is not there' })),
        ...(await shutDoors(project, packed)),
        ...(await wrongTypes(project, packed)),
      ];
      const tests = findings.length > 0 || present.length === 0 ? noTests : await testsIn(project);
      findings.push(...tests.findings);
      const doors = packed.flatMap(one => one.doors);
      const notes = [`${tests.passed} tests of ${present.length} examples passed there`];
      return { looked: doors.length, of: `doors of ${packed.length} installed packages`, findings, notes };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** A project as its owner would make it: the examples, what they need of others, and our tarballs. */
async function installIn(
  project: string,
  packed: readonly Packed[],
  { root, present }: { root: string; present: readonly string[] },
): Promise<void> {
  const needed: Record<string, string> = {};
  for (const example of present) {
    const filter = (path: string) => !isOfRepository(path);
    cpSync(join(root, example), join(project, example), { recursive: true, filter });
    const { dependencies } = JSON.parse(readFileSync(join(root, example, 'package.json'), 'utf8'));
    Object.assign(needed, dependencies);
  }
  for (const { name, tarball } of packed) needed[name] = `file:${tarball}`;
  mkdirSync(project, { recursive: true });
  const manifest = { name: 'a-project-elsewhere', private: true, type: 'module', dependencies: needed };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  await runNpm(['install', '--no-audit', '--no-fund', '--prefer-offline'], project);
}

/** Doors that Node cannot open. */
async function shutDoors(project: string, packed: readonly Packed[]): Promise<Finding[]> {
  const doors = packed.flatMap(one => one.doors);
  const script = `for (const door of ${JSON.stringify(doors)})
    await import(door).catch(error => console.log('shut', door, error.message.split('\\n')[0]));`;
  writeFileSync(join(project, 'doors.js'), script);
  const { exitCode, output } = await runNode(['doors.js'], project);
  const findings = [...output.matchAll(/^shut (\S+) (.*)$/gm)].map(([, where = '', what = '']) => ({
    where,
    what,
  }));
  if (exitCode !== 0 && findings.length === 0)
    findings.push({ where: 'doors.js', what: output.slice(-2000) });
  return findings;
}

/** Type errors in our declarations, also in what a project with strict settings makes of them. */
async function wrongTypes(project: string, packed: readonly Packed[]): Promise<Finding[]> {
  const doors = packed.flatMap(one => one.doors);
  writeFileSync(join(project, 'doors.ts'), doors.map(door => `import type {} from '${door}';\n`).join(''));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'esnext',
    types: existsSync(join(project, 'node_modules/@types/node')) ? ['node'] : [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', 'examples'] }),
  );
  const { exitCode, output } = await runTool('typescript', 'tsc', ['-p', '.'], project);
  // Declarations of others are read too, and not all of them are without errors: those are not ours to mend.
  const ofOthers = /^node_modules\/(?!@ghasi\/)/;
  const lines = output.split('\n').filter(line => /error TS\d+/.test(line));
  if (exitCode !== 0 && lines.length === 0) return [{ where: 'tsc', what: output.slice(-2000) }];
  return lines
    .filter(line => !ofOthers.test(line))
    .map(line => {
      const [where = '', ...what] = line.split(': ');
      return { where, what: what.join(': ') };
    });
}

type Tests = { passed: number; findings: Finding[] };
const noTests: Tests = { passed: 0, findings: [] };

/** The tests of the examples, with the kit and the PostgreSQL that came with the packages. */
async function testsIn(project: string): Promise<Tests> {
  writeFileSync(join(project, 'vitest.config.ts'), vitestConfig);
  const { exitCode, output } = await runNode(['node_modules/vitest/vitest.mjs', 'run'], project);
  const passed = Number(/Tests\s.*?(\d+) passed/.exec(stripVTControlCharacters(output))?.[1] ?? 0);
  const findings = exitCode === 0 && passed > 0 ? [] : [{ where: 'examples', what: output.slice(-4000) }];
  return { passed, findings };
}

/** What a team of its own begins with: the first service, and the process that runs it. */
export const packages = packagesGate(['examples/01-first-service', 'examples/03-run-it']);

if (isStarted(import.meta.url)) await runGate(packages);
