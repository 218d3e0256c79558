import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Generator, withHeader } from './generator.ts';

/** Writes every page it can make and says which it could not; returns how many those are. */
export async function writePages(list: Generator[], root: string): Promise<number> {
  let failed = 0;
  for (const generator of list) {
    const file = join(root, generator.path);
    try {
      const text = withHeader(generator, await generator.make(root));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      console.log(`wrote ${generator.path}`);
    } catch (error) {
      console.error(`could not make ${generator.path}:`, error);
      failed += 1;
    }
  }
  return failed;
}
