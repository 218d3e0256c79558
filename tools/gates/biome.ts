import type { GateReport } from './gate.ts';
import { runTool } from './run-tool.ts';

/** Runs biome over the tree. Its summary line says how many files it read; no line means it read none. */
export async function biomeReport(mode: 'format' | 'lint', root: string): Promise<GateReport> {
  const strict = mode === 'lint' ? ['--error-on-warnings'] : [];
  const { exitCode, output } = await runTool(
    '@biomejs/biome',
    'biome',
    [mode, '--colors=off', '--max-diagnostics=200', ...strict, '.'],
    root,
  );
  const looked = Number(/Checked (\d+) files?/.exec(output)?.[1] ?? 0);
  if (exitCode === 0) return { looked, of: 'files', findings: [] };
  const places = [...output.matchAll(/^(\S+?)(?::(\d+):\d+)? ((?:lint|format|parse|assist)\S*)/gm)];
  const findings = places.map(([, path, line, rule]) => ({
    where: line === undefined ? `${path}` : `${path}:${line}`,
    what: rule ?? mode,
  }));
  // a crash or a bad biome.json names no place: show what it said
  if (findings.length === 0) findings.push({ where: 'biome', what: output.trim() });
  return { looked, of: 'files', findings, notes: [`npx biome check --write mends most of it`] };
}
