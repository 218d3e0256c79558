import { cpus } from 'node:os';
import type { Verdict } from '../backbone/judge.ts';
import { DISTURBED, type Disturbance, LIGHT_PER_SECOND } from '../backbone/measures.ts';
import type { Latency } from './latency.ts';

type Phase = Latency & { thirds: Latency[] } & Disturbance;

/** Everything a run found out. */
export type Found = {
  /** Of each phase. */
  seconds: number;
  postgres: string;
  alone: Phase;
  held: Phase;
  /** How long both transactions were open when the second phase was over. */
  openSeconds: number;
  /** Events of other keys that had no effect as long as the transactions were open. */
  stuck: number;
  /** Of all events, when everything had ended. */
  verdict: Verdict;
  /** The event of the transaction that committed: applied how often, and how long after that. */
  heldEvent: { times: number; ms: number | null };
};

/** Nothing was lost, held up or doubled, and the held event came once. */
export function isFlawless({ stuck, verdict, heldEvent }: Found): boolean {
  return stuck + verdict.lost + verdict.doubled + verdict.waiting === 0 && heldEvent.times === 1;
}

/** Everything as one JSON document, for programs. */
export function asJson(found: Found): string {
  return JSON.stringify({
    benchmark: 'held',
    machine: { cores: cpus().length, processor: cpus()[0]?.model, node: process.version },
    perSecond: LIGHT_PER_SECOND,
    ...found,
    ratios: ratiosOf(found),
    flawless: isFlawless(found),
  });
}

/** Latencies by phase and third, then what became of the events. */
export function asTable(found: Found): string {
  const { seconds, postgres, alone, held, openSeconds, stuck, verdict, heldEvent } = found;
  const ratios = ratiosOf(found);
  const after = heldEvent.ms === null ? '' : `, ${heldEvent.ms.toFixed(1)} ms after its commit`;
  return [
    `Held: ${LIGHT_PER_SECOND} events/s for ${seconds} s alone, and for ${seconds} s while two write transactions stay open`,
    `PostgreSQL ${postgres} with fsync, Node ${process.version}, ${cpus().length} cores; commit of the business row → commit of the effect row`,
    '',
    `${''.padEnd(NAME)}  events    p50 ms    p99 ms`,
    ...rowsOf('alone', alone),
    ...rowsOf('while both are held', held),
    '',
    `p99 held against alone: ${ratios.heldToAlone.toFixed(2)}; last third against first: ${ratios.lastToFirstThird.toFixed(2)} while held, ${ratios.lastToFirstThirdAlone.toFixed(2)} alone`,
    `${verdict.written} events: ${verdict.lost} lost, ${verdict.doubled} doubled, ${verdict.waiting} waiting; ${stuck} held up by the transactions, which were open for ${openSeconds.toFixed(0)} s`,
    `the held event was applied ${heldEvent.times === 1 ? 'once' : `${heldEvent.times} times`}${after}`,
    ...([alone, held].some(({ others }) => others > DISTURBED)
      ? [`!: other programs used more than ${DISTURBED} % of a core; measure again`]
      : []),
  ].join('\n');
}

const NAME = 24;
const thirdNames = ['  first third', '  second third', '  last third'];

function rowsOf(name: string, phase: Phase): string[] {
  const mark = phase.others > DISTURBED ? `  ! ${phase.others} %` : '';
  const row = (title: string, { events, p50, p99 }: Latency) =>
    `${title.padEnd(NAME)}${String(events).padStart(8)}${p50.toFixed(1).padStart(10)}${p99.toFixed(1).padStart(10)}`;
  return [
    `${row(name, phase)}${mark}`,
    ...phase.thirds.map((third, index) => row(thirdNames[index] as string, third)),
  ];
}

/** Of the p99: what holding costs, and whether it grows. */
function ratiosOf({ alone, held }: Found) {
  const growth = ({ thirds }: Phase) => (thirds.at(-1)?.p99 ?? Number.NaN) / (thirds[0]?.p99 ?? Number.NaN);
  return {
    heldToAlone: held.p99 / alone.p99,
    lastToFirstThird: growth(held),
    lastToFirstThirdAlone: growth(alone),
  };
}
