import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Generator, withHeader } from '../generators/generator.ts';
import { generators } from '../generators/list.ts';
import { writePages } from '../generators/write-pages.ts';
import { type Finding, type Gate, type GateReport, isStarted, repositoryRoot, runGate } from './gate.ts';
import { readText } from './tree.ts';

/** The gate over any list of generators: what they make now must be what is committed. */
export function generatedGate(list: Generator[], floor = list.length): Gate {
  return {
    name: 'generated',
    floor,
    async check(root): Promise<GateReport> {
      const findings: Finding[] = [];
      for (const generator of list) {
        const what = await problem(generator, root);
        if (what !== undefined) findings.push({ where: generator.path, what });
      }
      return { looked: list.length, of: 'generated files', findings };
    },
  };
}

async function problem(generator: Generator, root: string): Promise<string | undefined> {
  if (!existsSync(join(root, generator.path))) return 'is missing: run npm run generate';
  try {
    const made = withHeader(generator, await generator.make(root));
    return readText(root, generator.path) === made ? undefined : 'is stale: run npm run generate';
  } catch (error) {
    return `cannot be made: ${error instanceof Error ? error.message : error}`;
  }
}

if (isStarted(import.meta.url)) {
  if (process.argv.includes('--write'))
    process.exitCode = (await writePages(generators, repositoryRoot)) === 0 ? 0 : 1;
  else await runGate(generatedGate(generators));
}
