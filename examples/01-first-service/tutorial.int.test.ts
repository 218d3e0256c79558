import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = import.meta.dirname;
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'docs/tutorial/first-service.md');

/** What a reader is told to do, in order: write a file, or run a command and see these lines. */
type Step = { file: string; text: string } | { command: string; shows: string[] };

const MINUTES = 60_000;

test('whoever follows the tutorial gets the example, and it works', { timeout: 10 * MINUTES }, async () => {
  const steps = stepsOf(await readFile(page, 'utf8'));
  const folder = await mkdtemp(join(root, 'examples/tutorial-')); // inside the tree, so that imports resolve
  try {
    for (const step of steps) {
      if ('file' in step) {
        await mkdir(dirname(join(folder, step.file)), { recursive: true });
        await writeFile(join(folder, step.file), step.text);
      } else {
        const { output, code } = await run(step.command.replace('examples/my-shop', relative(root, folder)));
        for (const line of step.shows) expect(output).toContain(line);
        expect(code).toBe(0);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the tutorial shows every file of the example as it is', async () => {
  const told = stepsOf(await readFile(page, 'utf8')).filter(step => 'file' in step);
  const files = globSync('**/*.{ts,sql}', { cwd: here }).filter(path => path !== 'tutorial.int.test.ts');
  expect(told.map(({ file }) => file).sort()).toEqual(files.sort());
  for (const { file, text } of told) expect(text).toBe(await readFile(join(here, file), 'utf8'));
});

test('the tutorial names two commands and what they show', async () => {
  const commands = stepsOf(await readFile(page, 'utf8')).filter(step => 'command' in step);
  expect(commands.map(({ shows }) => shows.length)).toEqual([2, 2]);
});

/** A block below a file name in bold is that file; an `sh` block is a command, a `text` block after it what it shows. */
function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const match of markdown.matchAll(/(?:^\*\*`(.+)`\*\*\n)?^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [, file, language, text = ''] = match;
    const last = steps.at(-1);
    if (file !== undefined) steps.push({ file, text });
    else if (language === 'sh') steps.push({ command: text.trim(), shows: [] });
    else if (language === 'text' && last !== undefined && 'shows' in last)
      last.shows.push(...text.trim().split('\n'));
    else throw new Error(`a block of the tutorial is neither a file nor a command: ${text.slice(0, 80)}`);
  }
  return steps;
}

/** Runs a command as a reader would, in the root of the repository; the run around us is none of its business. */
async function run(command: string): Promise<{ output: string; code: number | null }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(command, { cwd: root, shell: true, env: { ...env, NO_COLOR: '1' } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', chunk => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { output: output.replaceAll(/ +/g, ' '), code };
}
