import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file git knows or would add, by its path from the root: ignored files are nobody's source. */
export function repositoryFiles(root: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = new Set(list.split('\0').filter(path => path !== ''));
  // a file deleted but not yet staged is still listed by --cached
  return [...paths].filter(path => existsSync(join(root, path))).sort();
}

/** The text of a file of the tree. */
export function readText(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Tests, conformance suites and what only they load. */
export function isTestFile(path: string): boolean {
  return /\.(test|conformance|fixture)\.ts$/.test(path) || /(^|\/)fixtures\//.test(path);
}
