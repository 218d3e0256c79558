import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const script = `import { flagsOf, refuseFlags } from ${JSON.stringify(new URL('./flags.ts', import.meta.url).href)};
  const { values } = flagsOf('count [--to n]', { options: { to: { type: 'string', default: '2' } } });
  if (!(Number(values.to) > 0)) refuseFlags('count [--to n]', 'n is a number');
  console.log(values.to);`;

const count = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script, '--', ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

test('a script gets its flags, and what it cannot take is answered with its usage', () => {
  expect(count('--to', '5')).toMatchObject({ status: 0, stdout: '5\n' });
  expect(count()).toMatchObject({ status: 0, stdout: '2\n' });
  const usage = 'usage: count [--to n]\n';
  expect(count('--too', '5')).toEqual({ status: 2, stdout: '', stderr: `Unknown option '--too'\n${usage}` });
  expect(count('--to', 'five')).toEqual({ status: 2, stdout: '', stderr: `n is a number\n${usage}` });
});
