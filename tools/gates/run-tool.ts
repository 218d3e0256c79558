import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryRoot } from './gate.ts';

/** The JavaScript file behind a package's command: run by path, a tool works on this Node on every platform. */
export function toolPath(packageName: string, command: string): string {
  const manifestPath = join(repositoryRoot, 'node_modules', packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { bin?: Record<string, string> };
  const file = bin?.[command];
  if (file === undefined) throw new Error(`${packageName} has no command ${command}`);
  return join(dirname(manifestPath), file);
}

/** Runs a tool of node_modules in `cwd` and returns everything it printed; `echo` shows it while it runs. */
export async function runTool(
  packageName: string,
  command: string,
  args: string[],
  cwd: string,
  { echo = false }: { echo?: boolean } = {},
) {
  return run(process.execPath, [toolPath(packageName, command), ...args], cwd, echo);
}

/** Runs a program in `cwd` and returns everything it printed; `echo` shows it while it runs. */
export async function run(program: string, args: string[], cwd: string, echo = false) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  if (echo) {
    child.stdout.pipe(process.stdout, { end: false });
    child.stderr.pipe(process.stderr, { end: false });
  }
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve(code ?? 1));
  });
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, output: out + err };
}

/** Runs a program of Node's own in `cwd`. */
export function runNode(args: string[], cwd: string) {
  return run(process.execPath, args, cwd);
}

/** Runs npm on this Node, whichever it was started on: npm chooses releases that fit the Node it runs on. */
export async function runNpm(args: string[], cwd: string): Promise<void> {
  const npm = process.env.npm_execpath;
  const { exitCode, output } = await (npm === undefined
    ? run('npm', args, cwd)
    : runNode([npm, ...args], cwd));
  if (exitCode !== 0) throw new Error(`npm ${args[0]} ended with ${exitCode}:\n${output}`);
}
