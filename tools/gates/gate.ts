import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** One thing a gate refuses: where it is (`path` or `path:line`) and what to do about it. */
export type Finding = { where: string; what: string };

/** What a gate saw. `looked` counts units of `of` ("modules", "files"), so that a gate cannot pass on nothing. */
export type GateReport = { looked: number; of: string; findings: Finding[]; notes?: string[] };

/**
 * A check of the repository. `floor` is the least it must look at in this repository to be believed: about nine tenths of what
 * it sees, so that a gate that goes blind to a part says so.
 */
export type Gate = { name: string; floor: number; check(root: string): Promise<GateReport> };

/** The folder that holds package.json. */
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Whether a file is the one that was started. `import.meta.main` would do, but is younger than Node 24.0. */
export function isStarted(moduleUrl: string): boolean {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}

/** Turns a report into a verdict and the lines to print; too little looked at is a failure of its own. */
export function verdict(gate: Pick<Gate, 'name' | 'floor'>, report: GateReport) {
  const starved = report.looked < gate.floor;
  const lines = report.findings.map(finding => `  ${finding.where}  ${finding.what}`);
  if (starved) {
    lines.push(
      `  saw only ${report.looked} ${report.of}, fewer than its floor of ${gate.floor}: not believed`,
    );
  }
  for (const note of report.notes ?? []) lines.push(`  ${note}`);
  const problems = report.findings.length === 1 ? '1 problem' : `${report.findings.length} problems`;
  lines.push(`${gate.name}: looked at ${report.looked} ${report.of} (floor ${gate.floor}), ${problems}`);
  return { passed: report.findings.length === 0 && !starved, lines };
}

/** Runs one gate from the command line: prints what it saw and sets the exit code. `--root` and `--floor` serve tests. */
export async function runGate(gate: Gate): Promise<void> {
  const { values } = parseArgs({ options: { root: { type: 'string' }, floor: { type: 'string' } } });
  const floor = values.floor === undefined ? gate.floor : Number(values.floor);
  const report = await gate.check(resolve(values.root ?? repositoryRoot));
  const { passed, lines } = verdict({ name: gate.name, floor }, report);
  for (const line of lines) console.log(line);
  process.exitCode = passed ? 0 : 1;
}
