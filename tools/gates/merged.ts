import { execFileSync } from 'node:child_process';

/**
 * Commits that hold merged work, the oldest first: the fork point from origin/main; on main itself, and where nobody knows
 * origin/main, the last commit and the one before it, since the last may be what changed something merged. None before the
 * first commit; throws where git cannot say.
 */
export function mergedCommits(root: string): string[] {
  const head = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD');
  if (head === undefined) return [];
  const main = git(root, 'rev-parse', '--verify', '--quiet', 'origin/main');
  if (main !== undefined && main !== head) return [forkPoint(root)];
  const parent = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD^1'); // not there in a clone of one commit
  return parent === undefined ? [head] : [parent, head];
}

/** A file as it was merged, the oldest first: empty when nothing was merged yet, or not this file. */
export function mergedTexts(root: string, path: string): string[] {
  return mergedCommits(root)
    .filter(commit => git(root, 'ls-tree', '--name-only', commit, '--', path) === path)
    .flatMap(commit => git(root, 'show', `${commit}:${path}`) ?? []);
}

/** What git says, without the last newline; undefined when it says no, which is exit code 1. Throws when it fails. */
export function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    }).trim();
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: string };
    if (status === 1) return undefined;
    throw new Error(`git ${args[0]} failed: ${(stderr || String(error)).trim().split('\n')[0]}`, {
      cause: error,
    });
  }
}

function forkPoint(root: string): string {
  const commit = git(root, 'merge-base', 'HEAD', 'origin/main');
  if (commit === undefined)
    throw new Error('HEAD and origin/main have no common commit here: git fetch --unshallow');
  return commit;
}
