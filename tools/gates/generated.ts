import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, type Generator, leftOver, nameOf } from '../generators/generator.ts';
import { generators } from '../generators/list.ts';
import { writePages } from '../generators/write-pages.ts';
import { type Finding, type Gate, type GateReport, isStarted, repositoryRoot, runGate } from './gate.ts';
import { readText, repositoryFiles } from './tree.ts';

/** The gate over any list of generators: what they make now must be what is committed. */
export function generatedGate(list: Generator[], floor = list.length): Gate {
  return {
    name: 'generated',
    floor,
    async check(root): Promise<GateReport> {
      const findings: Finding[] = [];
      const committed = repositoryFiles(root);
      let looked = 0;
      for (const generator of list) {
        try {
          const made = await filesOf(generator, root);
          looked += made.size;
          for (const [path, text] of made) findings.push(...difference(root, path, text));
          for (const path of leftOver(generator, made, committed))
            findings.push({ where: path, what: 'is left over: run npm run generate' });
        } catch (error) {
          const what = `cannot be made: ${error instanceof Error ? error.message : error}`;
          findings.push({ where: nameOf(generator), what });
        }
      }
      return { looked, of: 'generated files', findings };
    },
  };
}

function difference(root: string, path: string, text: string): Finding[] {
  if (!existsSync(join(root, path))) return [{ where: path, what: 'is missing: run npm run generate' }];
  return readText(root, path) === text ? [] : [{ where: path, what: 'is stale: run npm run generate' }];
}

/** Schemas, pages of services and reference pages; fewer means that a generator went blind. */
const leastFiles = 120;

if (isStarted(import.meta.url)) {
  if (process.argv.includes('--write'))
    process.exitCode = (await writePages(generators, repositoryRoot)) === 0 ? 0 : 1;
  else await runGate(generatedGate(generators, leastFiles));
}
