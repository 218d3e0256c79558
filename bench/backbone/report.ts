import { cpus } from 'node:os';
import type { Contender } from './contender.ts';
import type { Verdict } from './judge.ts';
import { DISTURBED, type Disturbance, type Round } from './measures.ts';
import { peerVersion } from './peer.ts';
import { redisSettings } from './redis-server.ts';
import { postgresSettings, type Servers } from './servers.ts';

/** What a contender did in every round. `failure`: it could not be measured to the end. */
export type Result = { name: string; contender: Contender; rounds: Round[]; failure?: string };

/** What was run. */
export type Options = { seconds: number; rounds: number; oneProcess: boolean };

const NAME = 33;

type Column = {
  title: string;
  of(round: Round): number;
  /** What became of the events behind the number. */
  verdict(round: Round): Verdict & Disturbance;
  digits?: number;
  /** Less is better. */
  less?: true;
};

const sustained: Column[] = [
  { title: 'events/s', of: round => round.sustained.sustained, verdict: round => round.sustained },
  { title: 'p50 ms', of: round => round.light.p50, verdict: round => round.light, digits: 1, less: true },
  { title: 'p99 ms', of: round => round.light.p99, verdict: round => round.light, digits: 1, less: true },
  { title: 'writes/s', of: round => round.sustained.writes, verdict: round => round.sustained },
];
const bulk: Column[] = [
  { title: 'to 5, /s', of: round => round.fanOut.alongside, verdict: round => round.fanOut },
  { title: 'drain 1, /s', of: round => round.drain.one.perSecond, verdict: round => round.drain.one },
  { title: 'drain 5, /s', of: round => round.drain.five.perSecond, verdict: round => round.drain.five },
];
const columns = [...sustained, ...bulk];

/** Everything as one JSON document, for programs. */
export function asJson(results: Result[], options: Options, servers: Servers): string {
  return JSON.stringify({
    benchmark: 'backbone',
    options,
    machine: { cores: cpus().length, processor: cpus()[0]?.model, node: process.version },
    servers: { ...servers.versions, postgresSettings, redisSettings },
    contenders: results.map(({ name, contender, rounds, failure }) => ({
      name,
      title: contender.title,
      versions: versionsOf(contender),
      oneTransaction: contender.oneTransaction,
      losesNothing: losesNothing({ name, contender, rounds }),
      notes: contender.notes,
      failure,
      median: Object.fromEntries(columns.map(column => [column.title, middle(rounds, column.of)])),
      ratios: Object.fromEntries(columns.map(column => [column.title, ratio(results, rounds, column)])),
      writersKept: middle(rounds, kept),
      rounds,
    })),
  });
}

/** Two tables with ratios, what was lost, what dominated, and how each was set up. */
export function asTable(results: Result[], options: Options, servers: Servers): string {
  const measured = results.filter(result => result.rounds.length > 0);
  const row = (result: Result, some: Column[]) =>
    result.contender.title.padEnd(NAME) + some.map(column => cell(results, result, column)).join('');
  const lines = [...heading(options, servers), '', `${titles(sustained)}    kept  lost / doubled / waiting`];
  for (const result of measured) {
    const writers = `${(middle(result.rounds, kept) * 100).toFixed(0)} %`.padStart(8);
    lines.push(`${row(result, sustained)}${writers}  ${fate(result)}`);
  }
  lines.push('', `${titles(bulk)}  processor while 16 producers wrote, 100 % = one core`);
  for (const result of measured) lines.push(`${row(result, bulk)}  ${loadOf(result)}`);
  lines.push('', ...legend(measured), '', 'How each was set up');
  for (const { contender, failure } of results) {
    lines.push(`  ${contender.title} (${versionsOf(contender)})`);
    lines.push(...contender.notes.map(note => `    ${note}`));
    if (failure !== undefined) lines.push(`    FAILED: ${failure}`);
  }
  return lines.join('\n');
}

function titles(some: Column[]): string {
  return ''.padEnd(NAME) + some.map(column => `${column.title.padStart(12)}        ×`).join('');
}

function cell(results: Result[], { rounds }: Result, column: Column): string {
  const digits = column.digits ?? 0;
  const value = middle(rounds, column.of).toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const behind = rounds.some(round => column.verdict(round).waiting > 0) ? '~' : ' ';
  const disturbed =
    rounds.filter(round => column.verdict(round).others > DISTURBED).length * 2 > rounds.length;
  const mark = disturbed ? '!' : ' ';
  const times = ratio(results, rounds, column)?.toFixed(2) ?? '–';
  return `${value.padStart(12)}${behind}${mark}${times.padStart(7)}`;
}

function heading({ seconds, rounds, oneProcess }: Options, { versions }: Servers): string[] {
  const redis = versions.redis === undefined ? '' : `, Redis ${versions.redis} with AOF every second`;
  const where = oneProcess
    ? 'producers and consumers in one process'
    : 'one process for producers, one for consumers';
  return [
    `Backbone: 1 KB events, 16 producers of awaited transactions, ${where}`,
    `PostgreSQL ${versions.postgres} with fsync${redis}, Node ${process.version}, ${cpus().length} cores; every measure on a new database`,
    `Median of ${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s; × against the best peer that lost nothing`,
  ];
}

function legend(results: Result[]): string[] {
  const backlog = results.at(0)?.rounds.at(0)?.drain.one.events ?? 0;
  return [
    'events/s: 16 producers at full speed, until the last effect row committed',
    'p50, p99: commit of the business row → commit of the effect row, at 50 events/s',
    'writes/s: business transactions with everything on; kept: against the same with relay and consumers off',
    `to 5: effects of five consumers while the producers ran; drain: a backlog of ${backlog.toLocaleString('en')} deliveries, by one consumer and by five`,
    'lost / doubled / waiting: over all measures; waiting (~): not applied when the time for it was over',
    `!: other programs used more than ${DISTURBED} % of a core in most rounds; measure again`,
  ];
}

function fate({ contender, rounds }: Result): string {
  const verdicts = rounds.flatMap(verdictsOf);
  const sum = (of: (verdict: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((total, verdict) => total + of(verdict), 0).toLocaleString('en');
  const counts = [sum(({ lost }) => lost), sum(({ doubled }) => doubled), sum(({ waiting }) => waiting)].join(
    ' / ',
  );
  return contender.oneTransaction ? counts : `${counts}  may lose events: sent after the commit`;
}

function loadOf({ rounds }: Result): string {
  const round = rounds[rounds.length >> 1];
  if (round === undefined) return '';
  const parts = Object.entries(round.sustained.load);
  const perEvent = (parts.reduce((sum, [, percent]) => sum + percent, 0) * 10) / round.sustained.alongside;
  const shares = parts.map(([role, percent]) => `${role} ${percent} %`).join(', ');
  return `${shares}; ${perEvent.toFixed(2)} ms per event`;
}

/** In the median of the rounds: times the value of the best peer that lost nothing, within each round. */
function ratio(results: Result[], rounds: Round[], column: Column): number | undefined {
  const best = results
    .filter(result => result.contender.peer && result.rounds.length > 0 && losesNothing(result))
    .toSorted((a, b) => middle(b.rounds, column.of) - middle(a.rounds, column.of))
    .at(column.less ? -1 : 0);
  if (best === undefined || rounds.length === 0) return undefined;
  const times = rounds.map((round, index) => column.of(round) / column.of(best.rounds[index] ?? round));
  return median(times);
}

/** By promise, and in what we saw. */
function losesNothing({ contender, rounds }: Result): boolean {
  return (
    contender.oneTransaction && rounds.flatMap(verdictsOf).every(({ lost, doubled }) => lost + doubled === 0)
  );
}

function verdictsOf(round: Round): Verdict[] {
  return [round.sustained, round.light, round.fanOut, round.drain.one, round.drain.five];
}

function kept(round: Round): number {
  return round.sustained.writes / round.alone.writes;
}

function versionsOf({ packages }: Contender): string {
  return packages.map(name => `${name} ${peerVersion(name)}`).join(', ') || 'this repository';
}

function middle(rounds: Round[], of: (round: Round) => number): number {
  return median(rounds.map(of));
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
