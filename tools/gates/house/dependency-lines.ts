import type { HouseRule, Refusal, Tree } from './rule.ts';

const page = 'docs/decisions/0008-dependencies.md';

type Manifest = Partial<
  Record<'dependencies' | 'optionalDependencies' | 'devDependencies' | 'peerDependencies', object>
>;

/** Every direct dependency has a line that says what it saves, and every line has its dependency. */
export const dependencyLines: HouseRule = {
  name: 'dependency-lines',
  why: 'a dependency nobody can justify is one nobody will watch',
  check(tree) {
    const used = usedIn(tree);
    const text = tree.files.find(({ path }) => path === page)?.text ?? '';
    const explained = new Set(
      [...text.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, names = '']) =>
        [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      ),
    );
    const missing = [...used].filter(([name]) => !explained.has(name));
    const stale = [...explained].filter(name => !used.has(name));
    return [
      ...missing.map(([name, path]): Refusal => ({ path, line: 0, what: `${name} has no line in ${page}` })),
      ...stale.map((name): Refusal => ({ path: page, line: 0, what: `explains ${name}, which nobody uses` })),
    ];
  },
};

/** The first package.json that names each package of others. bench/ has peers of its own, which never ship. */
function usedIn({ files }: Tree): Map<string, string> {
  const used = new Map<string, string>();
  for (const { path, text } of files) {
    if (!/^(?:(?:packages|services|apps)\/[^/]+\/)?package\.json$/.test(path)) continue;
    const manifest = JSON.parse(text) as Manifest;
    const names = Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
    });
    for (const name of names) {
      if (!/^@(ghasi|melmastoon)\//.test(name) && !used.has(name)) used.set(name, path);
    }
  }
  return used;
}
