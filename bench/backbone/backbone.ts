import type { BenchOptions } from '../measure.ts';
import { type ContenderName, contenders, loadContender } from './contenders.ts';
import { measureRound } from './measures.ts';
import { asJson, asTable, type Result } from './report.ts';
import { type Servers, startServers } from './servers.ts';

/** A round takes one to two minutes per contender; three give a median. */
export const defaults = { seconds: 5, rounds: 3 };

/** From a business transaction to handlers elsewhere: us beside the libraries people use for it. */
export async function run(options: BenchOptions): Promise<void> {
  const names = chosen(options.only);
  const results: Result[] = [];
  for (const name of names) results.push({ name, contender: await loadContender(name), rounds: [] });
  const servers = await startServers(results.some(({ contender }) => contender.needsRedis));
  try {
    const able = results.filter(({ contender }) => !contender.needsRedis || servers.redis !== undefined);
    if (able.length < results.length)
      console.error('  no redis-server on the PATH: its contenders are left out');
    for (let round = 1; round <= options.rounds; round++) {
      for (const result of able) await measureOne(result, round, servers, options);
    }
    const shown = { seconds: options.seconds, rounds: options.rounds, oneProcess: options.oneProcess };
    console.log(options.json ? asJson(able, shown, servers) : `\n${asTable(able, shown, servers)}`);
  } finally {
    await servers.stop();
  }
}

/** One that fails keeps its place in the table, with the reason; the others go on. */
async function measureOne(
  result: Result,
  round: number,
  servers: Servers,
  options: BenchOptions,
): Promise<void> {
  if (result.failure !== undefined) return;
  const say = (line: string) =>
    console.error(`  round ${round}/${options.rounds}  ${result.contender.title.padEnd(33)} ${line}`);
  try {
    const { contender, name } = result;
    const { seconds, oneProcess } = options;
    result.rounds.push(
      await measureRound({ name: name as ContenderName, contender, servers, seconds, oneProcess, say }),
    );
  } catch (error) {
    result.failure = (error as Error).message;
    say(`FAILED: ${result.failure}`);
  }
}

function chosen(only: readonly string[]): ContenderName[] {
  const known = Object.keys(contenders) as ContenderName[];
  const unknown = only.filter(name => !known.some(one => one === name));
  if (unknown.length > 0) {
    console.error(`bench: no contender called ${unknown.join(', ')}; there are ${known.join(', ')}`);
    process.exit(2);
  }
  return only.length === 0 ? known : known.filter(name => only.includes(name));
}
