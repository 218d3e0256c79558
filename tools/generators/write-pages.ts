import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFiles } from '../gates/tree.ts';
import { filesOf, type Generator, leftOver, nameOf } from './generator.ts';

/** Writes every file it can make, removes left-over ones and says which it could not make; returns how many those are. */
export async function writePages(list: Generator[], root: string): Promise<number> {
  let failed = 0;
  const committed = repositoryFiles(root);
  for (const generator of list) {
    try {
      const made = await filesOf(generator, root);
      for (const [path, text] of made) write(join(root, path), text);
      for (const path of leftOver(generator, made, committed)) rmSync(join(root, path));
      console.log(
        made.size === 1 ? `wrote ${nameOf(generator)}` : `wrote ${made.size} files of ${nameOf(generator)}`,
      );
    } catch (error) {
      console.error(`could not make ${nameOf(generator)}:`, error);
      failed += 1;
    }
  }
  return failed;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
