import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './gate.ts';

/** A throw-away repository with the given files, for tests that plant a violation. Removed when its scope ends. */
export function plantedTree(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'planted-'));
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root });
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return {
    root,
    write,
    /** Copies a file of this repository, for gates that read their own settings from the tree. */
    copy: (path: string) => cpSync(join(repositoryRoot, path), join(root, path)),
    /** Makes `name` importable, as npm does for a workspace. */
    link: (name: string, path: string) => {
      mkdirSync(dirname(join(root, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, path), join(root, 'node_modules', name), 'junction');
    },
    git: (...args: string[]) => {
      const author = ['-c', 'user.name=planted', '-c', 'user.email=planted@example.test'];
      return execFileSync('git', [...author, ...args], { cwd: root, encoding: 'utf8' });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
