import { git, mergedCommits } from '../merged.ts';
import type { HouseRule, Refusal, Tree } from './rule.ts';

/** A migration that others may have run is history: correct it with the next number. */
export const mergedMigrations: HouseRule = {
  name: 'merged-migrations',
  why: 'databases that ran it would refuse its new checksum; write the next migration',
  check: tree => {
    try {
      const refusals = mergedCommits(tree.root).flatMap(base => changedSince(tree, base));
      return [...new Map(refusals.map(refusal => [refusal.path, refusal])).values()];
    } catch (error) {
      const what = `cannot be compared with what was merged: ${(error as Error).message}`;
      return [{ path: 'migrations', line: 0, what }];
    }
  },
};

function changedSince({ root }: Tree, base: string): Refusal[] {
  const list = git(
    root,
    'diff',
    '--name-status',
    '--no-renames',
    base,
    '--',
    '*/migrations/*.sql',
    'migrations/*.sql',
  );
  if (list === undefined) throw new Error('git diff failed');
  return list
    .split('\n')
    .map(line => line.split('\t'))
    .filter(([status, path]) => path !== undefined && status !== 'A')
    .map(([status, path = '']) => ({
      path,
      line: 0,
      what: status === 'D' ? 'was merged and is now deleted' : 'was merged and is now edited',
    }));
}
