import { type Finding, inspect } from '@ghasi/db/doctor';
import { settings } from './settings.ts';
import { besideRunning } from './with-database.ts';

/** Flags of `melm doctor`. */
export type DoctorFlags = { dataDir?: string; json?: boolean };

/** Names every difference between the database and this release, with the statement that repairs it. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const findings = await besideRunning(settings(flags), ({ adminUrl, sets }) => inspect(adminUrl, sets));
  if (flags.json) console.log(JSON.stringify({ healthy: findings.length === 0, findings }));
  else
    console.log(
      findings.length === 0 ? 'The database is exactly as this release makes it.' : report(findings),
    );
  if (findings.length > 0) process.exitCode = 1;
}

function report(findings: readonly Finding[]): string {
  const one = ({ problem, kind, name, expected, found, repair }: Finding) =>
    [
      `✗ ${problem} ${kind}: ${name}`,
      expected === undefined ? '' : `    expected  ${brief(expected)}`,
      found === undefined ? '' : `    found     ${brief(found)}`,
      repair === '' ? '' : `    repair    ${repair.trim()}`,
    ]
      .filter(line => line !== '')
      .join('\n');
  return [
    ...findings.map(one),
    '',
    `${findings.length} differences. Look at each repair before you run it.`,
  ].join('\n');
}

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}
