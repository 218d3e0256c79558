import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { run, runTool } from './run-tool.ts';

type VitestReport = {
  numTotalTests: number;
  numPassedTests: number;
  numPendingTests: number;
  success: boolean;
  testResults: Array<{
    name: string;
    status: string;
    message: string;
    assertionResults: Array<{ status: string; fullName: string }>;
  }>;
};

/** The whole test suite, and how many of its tests really ran; `echo` shows vitest at work. */
export const testsGate = ({ echo }: { echo: boolean }): Gate => ({
  name: 'tests',
  floor: 7_300,
  async check(root): Promise<GateReport> {
    const folder = mkdtempSync(join(tmpdir(), 'tests-gate-'));
    process.env.TEST_SEED ??= await seedOfCommit(root);
    try {
      const file = join(folder, 'report.json');
      const args = [
        'run',
        '--root',
        root,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ];
      const { exitCode } = await runTool('vitest', 'vitest', args, root, { echo });
      const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
      const findings = failures(root, report);
      if (exitCode !== 0 && findings.length === 0)
        findings.push({ where: 'vitest', what: `exit code ${exitCode}` });
      const notes =
        report.numPendingTests > 0 ? [`${report.numPendingTests} tests were left out, see above`] : [];
      return { looked: report.numPassedTests, of: 'passing tests', findings, notes };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** The time of the commit: what passed once passes again, and the next commit tries something else. */
async function seedOfCommit(root: string): Promise<string> {
  const { exitCode, output } = await run('git', ['log', '-1', '--format=%ct'], root);
  return exitCode === 0 ? output.trim() : '1'; // an unpacked archive has no commit
}

function failures(root: string, { testResults }: VitestReport): Finding[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const where = relative(root, name);
    const failed = assertionResults.filter(result => result.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName }) => ({ where, what: `failed: ${fullName}` }));
    return status === 'failed' ? [{ where, what: `failed: ${message.split('\n')[0]}` }] : [];
  });
}

if (isStarted(import.meta.url)) {
  // Pictures of pages are build output for people; by hand they are taken when somebody names a folder.
  process.env.SCREENSHOTS_FOLDER ??= join(tmpdir(), 'melmastoon-screenshots');
  await runGate(testsGate({ echo: true }));
}
