import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchOptions } from './measure.ts';

/** `npm run bench -- [name …] [--seconds n] [--rounds n] [--json]`: runs the named benchmarks, or all. */
const benchmarks: Record<string, () => Promise<{ run(options: BenchOptions): Promise<void> }>> = {
  ground: () => import('./ground/tenant-transaction.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const unknown = positionals.filter(name => !(name in benchmarks));
if (unknown.length > 0 || !(seconds > 0) || !(rounds >= 1)) {
  console.error(
    `bench: usage: npm run bench -- [${Object.keys(benchmarks).join('|')}] [--seconds n] [--rounds n] [--json]`,
  );
  process.exit(2);
}
if (!existsSync(new URL('node_modules', import.meta.url))) {
  console.error('bench: installing the peers into bench/node_modules …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: import.meta.dirname, stdio: 'inherit' });
}
for (const name of positionals.length > 0 ? positionals : Object.keys(benchmarks)) {
  console.error(`bench: ${name}`);
  const { run } = await (benchmarks[name] as (typeof benchmarks)[string])();
  await run({ seconds, rounds, json: values.json });
}
