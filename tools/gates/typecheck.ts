import { relative } from 'node:path';
import { type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { runTool } from './run-tool.ts';

/** The whole tree type-checks as one program. */
export const typecheck: Gate = {
  name: 'types',
  floor: 1_600,
  async check(root): Promise<GateReport> {
    const { exitCode, output } = await runTool(
      'typescript',
      'tsc',
      ['-p', 'tsconfig.json', '--listFiles'],
      root,
    );
    const lines = output.split('\n');
    const own = lines.filter(
      line => /\.tsx?$/.test(line) && !line.includes('node_modules') && !line.includes(': '),
    );
    const findings = lines.flatMap(line => {
      const match = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(line) ?? /^()()(error .*)$/.exec(line);
      if (match === null) return [];
      const [, path = '', at = '', what = ''] = match;
      return [{ where: path === '' ? 'tsconfig.json' : `${relative(root, `${root}/${path}`)}:${at}`, what }];
    });
    if (exitCode !== 0 && findings.length === 0)
      findings.push({ where: 'tsc', what: output.trim().slice(0, 2000) });
    return { looked: own.length, of: 'files', findings };
  },
};

if (isStarted(import.meta.url)) await runGate(typecheck);
