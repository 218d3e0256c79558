import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { flagsOf } from '@ghasi/testing/flags';
import { isStarted, repositoryRoot } from './gates/gate.ts';

/** One step of the check: a file that prints "<name>: looked at …" and exits 0 when content. */
export type Step = { name: string; file: string };

/** Everything `npm run ci` checks, cheapest first. */
export const steps: Step[] = [
  { name: 'format', file: 'tools/gates/format.ts' },
  { name: 'lint', file: 'tools/gates/lint.ts' },
  { name: 'house', file: 'tools/gates/house.ts' },
  { name: 'types', file: 'tools/gates/typecheck.ts' },
  { name: 'imports', file: 'tools/gates/imports.ts' },
  { name: 'licences', file: 'tools/gates/licences.ts' },
  { name: 'generated', file: 'tools/gates/generated.ts' },
  { name: 'events', file: 'tools/gates/events.ts' },
  { name: 'links', file: 'tools/gates/links.ts' },
  { name: 'packages', file: 'tools/gates/packages.ts' },
  { name: 'ledger', file: 'tools/ledger.ts' },
  { name: 'tests', file: 'tools/gates/tests.ts' },
];

/** Runs every step even after a failure, prints as it goes, and returns how many failed. */
export async function runSteps(chosen: Step[], root: string, print: (line: string) => void = console.log) {
  const results: Array<{ name: string; passed: boolean; seconds: number }> = [];
  for (const [index, step] of chosen.entries()) {
    print(`\n▶ ${step.name} (${index + 1} of ${chosen.length})`);
    const started = performance.now();
    const { exitCode, output } = await run(step, root, print);
    const seconds = (performance.now() - started) / 1000;
    // a gate that ends well without having looked is a gate that did not run
    const looked = new RegExp(`^${step.name}: looked at \\d`, 'm').test(output);
    if (!looked) print(`  ${step.name} never said what it looked at`);
    results.push({ name: step.name, passed: exitCode === 0 && looked, seconds });
  }
  print('');
  for (const { name, passed, seconds } of results) {
    print(`${passed ? '✔' : '✘'} ${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s`);
  }
  const failed = results.filter(({ passed }) => !passed).length;
  print(`${results.length - failed} passed, ${failed} failed`);
  return { failed };
}

function run(
  step: Step,
  root: string,
  print: (line: string) => void,
): Promise<{ exitCode: number; output: string }> {
  const child = spawn(process.execPath, [join(root, step.file)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let unfinished = '';
  const take = (chunk: string) => {
    output += chunk;
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) print(line);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      if (unfinished !== '') print(unfinished);
      resolve({ exitCode: code ?? 1, output });
    });
  });
}

async function main(): Promise<void> {
  const { values } = flagsOf('npm run ci -- [--only gate …]', {
    options: { only: { type: 'string', multiple: true } },
  });
  const names = values.only ?? steps.map(({ name }) => name);
  const unknown = names.filter(name => !steps.some(step => step.name === name));
  if (unknown.length > 0) {
    console.error(
      `no gate called ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`,
    );
    process.exitCode = 2;
    return;
  }
  const { failed } = await runSteps(
    steps.filter(({ name }) => names.includes(name)),
    repositoryRoot,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

if (isStarted(import.meta.url)) await main();
