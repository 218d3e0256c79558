import { execFileSync } from 'node:child_process';

/** Where merged work ends: the fork point from origin/main, the first parent on main itself, else the last commit. */
export function mergedCommit(root: string): string | undefined {
  const head = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD');
  const main = git(root, 'rev-parse', '--verify', '--quiet', 'origin/main');
  if (head === undefined || main === undefined) return head;
  if (head === main) return git(root, 'rev-parse', '--verify', '--quiet', 'HEAD^1') ?? head;
  return git(root, 'merge-base', 'HEAD', 'origin/main') ?? head;
}

/** A file as it was merged; undefined when nothing was merged yet, or not this file. */
export function mergedText(root: string, path: string): string | undefined {
  const commit = mergedCommit(root);
  return commit === undefined ? undefined : git(root, 'show', `${commit}:${path}`);
}

/** What git says, without the last newline; undefined when it fails. */
export function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    }).trim();
  } catch {
    return undefined;
  }
}
