import { expect, test } from 'vitest';
import { runSteps, steps } from './ci.ts';
import { plantedTree } from './gates/planted-tree.ts';

test('every gate runs although an earlier one failed, and the summary counts them', async () => {
  using tree = plantedTree({
    'bad.ts': "console.log('bad: looked at 3 files');\nprocess.exitCode = 1;\n",
    'good.ts': "console.log('good: looked at 3 files');\n",
  });
  const printed: string[] = [];
  const chosen = [
    { name: 'bad', file: 'bad.ts' },
    { name: 'good', file: 'good.ts' },
  ];
  const { failed } = await runSteps(chosen, tree.root, line => printed.push(line));
  expect(failed).toBe(1);
  expect(printed).toContain('good: looked at 3 files');
  expect(printed.at(-1)).toBe('1 passed, 1 failed');
});

test('a gate that ends well without saying what it looked at counts as failed', async () => {
  using tree = plantedTree({ 'silent.ts': '\n' });
  const printed: string[] = [];
  const { failed } = await runSteps([{ name: 'silent', file: 'silent.ts' }], tree.root, line =>
    printed.push(line),
  );
  expect(failed).toBe(1);
  expect(printed).toContain('  silent never said what it looked at');
});

test('the check covers what the contributing guide promises', () => {
  const names = steps.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'format',
      'lint',
      'types',
      'imports',
      'licences',
      'generated',
      'events',
      'links',
      'tests',
    ]),
  );
});
