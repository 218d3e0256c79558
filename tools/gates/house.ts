import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { dependencyLines } from './house/dependency-lines.ts';
import { fileShape } from './house/file-shape.ts';
import { lockFile } from './house/lock-file.ts';
import { machinePaths } from './house/machine-paths.ts';
import { mergedMigrations } from './house/merged-migrations.ts';
import { migrations } from './house/migrations.ts';
import { patientTests } from './house/patient-tests.ts';
import { rawSql } from './house/raw-sql.ts';
import { type HouseRule, loadTree, type Refusal, type SourceFile } from './house/rule.ts';
import { stayDates } from './house/stay-dates.ts';
import { tenantSetting } from './house/tenant-setting.ts';

/** What we refuse and no linter can express. */
export const houseRules: HouseRule[] = [
  tenantSetting,
  rawSql,
  migrations,
  mergedMigrations,
  stayDates,
  patientTests,
  fileShape,
  machinePaths,
  lockFile,
  dependencyLines,
];

/** Runs the house rules; `house-ok <rule>: <reason>` on the line or above it lets one place pass, and is counted. */
export const house: Gate = {
  name: 'house',
  floor: 1_950,
  async check(root): Promise<GateReport> {
    const tree = loadTree(root);
    const byPath = new Map(tree.files.map(file => [file.path, file]));
    const findings: Finding[] = [];
    let excused = 0;
    for (const rule of houseRules) {
      for (const refusal of rule.check(tree)) {
        if (isExcused(byPath.get(refusal.path), rule, refusal)) excused += 1;
        else findings.push(finding(rule, refusal));
      }
    }
    const notes = [`${houseRules.length} rules, ${excused} places excused with a reason`];
    return { looked: tree.files.length, of: 'files', findings, notes };
  },
};

function isExcused(file: SourceFile | undefined, rule: HouseRule, refusal: Refusal): boolean {
  if (file === undefined || refusal.line === 0) return false;
  const lines = file.text.split('\n');
  const excuse = new RegExp(`(?://|--) house-ok ${rule.name}: \\S`);
  return [lines[refusal.line - 1], lines[refusal.line - 2]].some(line => excuse.test(line ?? ''));
}

function finding(rule: HouseRule, { path, line, what }: Refusal): Finding {
  return { where: line === 0 ? path : `${path}:${line}`, what: `${rule.name}: ${what} (${rule.why})` };
}

if (isStarted(import.meta.url)) await runGate(house);
