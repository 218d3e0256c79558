import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { flagsOf, refuseFlags } from '@ghasi/testing/flags';
import type { BenchOptions } from './measure.ts';

/** A benchmark; `defaults` where it wants other than 5 rounds of 4 seconds. */
type Benchmark = {
  run(options: BenchOptions): Promise<void>;
  defaults?: { seconds: number; rounds: number };
};

/** All of them where none is named. */
const benchmarks: Record<string, () => Promise<Benchmark>> = {
  ground: () => import('./ground/tenant-transaction.ts'),
  backbone: () => import('./backbone/backbone.ts'),
  flood: () => import('./flood/flood.ts'),
  held: () => import('./held/held.ts'),
  stay: () => import('./stay/stay.ts'),
};

const usage = `npm run bench -- [${Object.keys(benchmarks).join('|')}] [--seconds n] [--rounds n] [--only contender] [--one-process] [--json]`;
const { values, positionals } = flagsOf(usage, {
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    'one-process': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter(name => !(name in benchmarks));
if (unknown.length > 0 || !(Number(values.seconds ?? 1) > 0) || !(Number(values.rounds ?? 1) >= 1))
  refuseFlags(usage);
if (!isInstalled()) {
  console.error('bench: installing the peers into bench/node_modules …');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: import.meta.dirname, stdio: ['ignore', process.stderr, 'inherit'] });
}
for (const name of positionals.length > 0 ? positionals : Object.keys(benchmarks)) {
  console.error(`bench: ${name}`);
  const { run, defaults } = await (benchmarks[name] as (typeof benchmarks)[string])();
  await run({
    seconds: Number(values.seconds ?? defaults?.seconds ?? 4),
    rounds: Number(values.rounds ?? defaults?.rounds ?? 5),
    json: values.json,
    only: values.only,
    oneProcess: values['one-process'],
  });
}

/** Whether every peer is there in the version that package.json pins. */
function isInstalled(): boolean {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  return Object.entries(read('package.json').dependencies).every(([name, version]) => {
    const path = `node_modules/${name}/package.json`;
    return existsSync(new URL(path, import.meta.url)) && read(path).version === version;
  });
}
