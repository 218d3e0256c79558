import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot, verdict } from './gate.ts';
import { plantedTree } from './planted-tree.ts';

function startLinksGate(...args: string[]) {
  const file = join(repositoryRoot, 'tools/gates/links.ts');
  const { status, stdout } = spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
  return { status, stdout };
}

test('a gate that saw less than its floor fails, even without a finding', () => {
  const { passed, lines } = verdict(
    { name: 'imports', floor: 10 },
    { looked: 9, of: 'modules', findings: [] },
  );
  expect(passed).toBe(false);
  expect(lines.join('\n')).toContain('saw only 9 modules');
});

test('a gate with a finding fails and says where', () => {
  const findings = [{ where: 'a.ts:3', what: 'wrong' }];
  const { passed, lines } = verdict({ name: 'lint', floor: 1 }, { looked: 5, of: 'files', findings });
  expect(passed).toBe(false);
  expect(lines).toEqual(['  a.ts:3  wrong', 'lint: looked at 5 files (floor 1), 1 problem']);
});

test('a gate that saw enough and found nothing passes', () => {
  expect(verdict({ name: 'lint', floor: 5 }, { looked: 5, of: 'files', findings: [] }).passed).toBe(true);
});

test('started from the command line a gate exits 1 on a finding, 0 without, and 1 below its floor', () => {
  using tree = plantedTree({ 'README.md': '[x](gone.md)\n' });
  expect(startLinksGate('--root', tree.root, '--floor', '1')).toEqual({
    status: 1,
    stdout:
      '  README.md:1  gone.md leads nowhere\nlinks: looked at 1 links in 1 pages (floor 1), 1 problem\n',
  });
  tree.write('gone.md', '# Here\n');
  expect(startLinksGate('--root', tree.root, '--floor', '1').status).toBe(0);
  expect(startLinksGate('--root', tree.root, '--floor', '2').status).toBe(1);
});
