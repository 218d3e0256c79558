import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { type Finding, type Gate, type GateReport, isStarted, repositoryRoot, runGate } from './gate.ts';
import { isTestFile, repositoryFiles } from './tree.ts';

type Config = { forbidden: IForbiddenRuleType[]; options: ICruiseOptions };
type Manifest = Record<
  'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies',
  object
>;

/** Import rules of the design (.dependency-cruiser.cjs), over every TypeScript file git knows. */
export const imports: Gate = {
  name: 'imports',
  floor: 1_600,
  async check(root): Promise<GateReport> {
    const config = createRequire(import.meta.url)(join(repositoryRoot, '.dependency-cruiser.cjs')) as Config;
    const files = repositoryFiles(root).filter(path =>
      /^(?:(?:packages|services|apps|tools|bench|examples)\/.*|[^/]+)\.tsx?$/.test(path),
    );
    if (files.length === 0) return { looked: 0, of: 'modules', findings: [] };
    const { output } = await cruise(files, {
      ...config.options,
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: config.forbidden },
    });
    const result = output as ICruiseResult;
    const own = result.modules.filter(module => files.includes(module.source));
    const edges = own.reduce((sum, module) => sum + module.dependencies.length, 0);
    const blind = own.length > 20 && edges < own.length / 2;
    const findings = withoutDoubles([...refused(result), ...undeclared(root, own)]);
    // files without imports exist, a tree of them does not: the parser has gone blind
    if (blind)
      findings.push({
        where: 'imports',
        what: `${edges} imports in ${own.length} modules: the parser sees nothing`,
      });
    return { looked: own.length, of: `modules with ${edges} imports`, findings };
  },
};

/** Importing a file twice, once for its types, is one mistake. */
function withoutDoubles(findings: Finding[]): Finding[] {
  return [...new Map(findings.map(finding => [`${finding.where} ${finding.what}`, finding])).values()];
}

function refused({ summary }: ICruiseResult): Finding[] {
  return summary.violations.map(({ from, to, rule, cycle, comment }) => ({
    where: from,
    what: `${rule.name}: imports ${cycle?.map(step => step.name).join(' → ') ?? to}${comment === undefined ? '' : ` (${comment})`}`,
  }));
}

/** A workspace imports what its own package.json names; tests may also use the root's development tools. */
function undeclared(root: string, modules: ICruiseResult['modules']): Finding[] {
  const rootTools = declaredIn(root, '.');
  return modules.flatMap(({ source, dependencies }) => {
    const folder = /^(?:packages|services|apps)\/[^/]+/.exec(source)?.[0];
    if (folder === undefined) return [];
    const known = declaredIn(root, folder);
    return dependencies
      .map(dependency => ({ name: packageName(dependency.module), types: dependency.dependencyTypes }))
      .filter(({ name, types }) => name !== undefined && !types.includes('core') && !known.has(name))
      .filter(
        ({ name = '' }) =>
          !(isTestFile(source) || folder === 'packages/testing') || !isForTests(name, rootTools),
      )
      .map(({ name }) => ({ where: source, what: `declared: ${name} is not in ${folder}/package.json` }));
  });
}

function isForTests(name: string, rootTools: Set<string>): boolean {
  return name === '@ghasi/testing' || rootTools.has(name);
}

function packageName(specifier: string): string | undefined {
  if (/^[./]|^node:/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function declaredIn(root: string, folder: string): Set<string> {
  const path = join(root, folder, 'package.json');
  if (!existsSync(path)) return new Set();
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Partial<Manifest> & { name?: string };
  return new Set([
    ...(manifest.name === undefined ? [] : [manifest.name]),
    ...Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
      ...manifest.devDependencies,
    }),
  ]);
}

if (isStarted(import.meta.url)) await runGate(imports);
