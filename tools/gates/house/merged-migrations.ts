import { git, mergedCommit } from '../merged.ts';
import type { HouseRule, Refusal, Tree } from './rule.ts';

/** A migration that others may have run is history: correct it with the next number. */
export const mergedMigrations: HouseRule = {
  name: 'merged-migrations',
  why: 'databases that ran it would refuse its new checksum; write the next migration',
  check: tree => {
    const base = mergedCommit(tree.root);
    return base === undefined ? [] : changedSince(tree, base);
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
  return (list ?? '')
    .split('\n')
    .map(line => line.split('\t'))
    .filter(([status, path]) => path !== undefined && status !== 'A')
    .map(([status, path = '']) => ({
      path,
      line: 0,
      what: status === 'D' ? 'was merged and is now deleted' : 'was merged and is now edited',
    }));
}
