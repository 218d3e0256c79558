import { execFileSync } from 'node:child_process';
import type { HouseRule, Refusal, Tree } from './rule.ts';

/** A migration that others may have run is history: correct it with the next number. */
export const mergedMigrations: HouseRule = {
  name: 'merged-migrations',
  why: 'databases that ran it would refuse its new checksum; write the next migration',
  check: tree => {
    const base = mergedCommit(tree.root);
    return base === undefined ? [] : changedSince(tree, base);
  },
};

/** Where merged work ends: the fork point from origin/main, the first parent on main itself, else the last commit. */
function mergedCommit(root: string): string | undefined {
  const head = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD');
  const main = git(root, 'rev-parse', '--verify', '--quiet', 'origin/main');
  if (head === undefined || main === undefined) return head;
  if (head === main) return git(root, 'rev-parse', '--verify', '--quiet', 'HEAD^1') ?? head;
  return git(root, 'merge-base', 'HEAD', 'origin/main') ?? head;
}

function changedSince({ root }: Tree, base: string): Refusal[] {
  const list = git(
    root,
    'diff',
    '--name-status',
    '--no-renames',
    base,
    '--',
    '*/migrations/*.sql',
    'migrations/*.sql',
  );
  return (list ?? '')
    .split('\n')
    .map(line => line.split('\t'))
    .filter(([status, path]) => path !== undefined && status !== 'A')
    .map(([status, path = '']) => ({
      path,
      line: 0,
      what: status === 'D' ? 'was merged and is now deleted' : 'was merged and is now edited',
    }));
}

function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
