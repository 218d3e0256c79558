import { cpus } from 'node:os';
import { cachedReads, kinds, mix } from './mix.ts';
import type { Counted } from './tally.ts';
import { hitRatio, type Judged, type PeakFigures } from './verdict.ts';

/** Targets, then what was measured: what the command prints. */
export function tables(figures: PeakFigures, judged: readonly Judged[]): string {
  return [targetTable(judged), kindTable(figures), serverTable(figures)].join('\n\n');
}

/** The page that is kept. */
export function page(figures: PeakFigures, judged: readonly Judged[]): string {
  const { rate, seconds, at, load } = figures;
  const shares = mix.map(([kind, share]) => `${kind} ${share / 10} %`).join(', ');
  const cores = cpus().length;
  return `# Load: a peak of ${rate} requests a second

Written by \`npm run load:peak-300rps -- --write\` on ${at.slice(0, 10)}: ${seconds} s on ${cores} cores, Node ${process.versions.node}, the
embedded PostgreSQL with fsync, caches in the process; load generator, server and database share the machine. Run it on
your own machine before you believe a figure.

${targetTable(judged)}

## By kind of request
Times are from the moment a request was due to the last byte of its answer, in ms, so that a stall counts for everybody
who came meanwhile. The generator itself was late by at most ${load.late.longest.toFixed(0)} ms (p99 ${load.late.p99.toFixed(1)} ms), which is in these figures. A
refusal is an answer a guest must expect: the last room is gone, or the house does not sell that stay.

${kindTable(figures)}

## The server
${serverTable(figures)}

## What is sent
Requests of guests of three hotels, each with a session of its own, at random moments (${rate} a second on average, whether or
not earlier ones were answered): ${shares}. A visit is about eight requests. Of a
hundred visits to the site of a hotel we assume that two end in a booking; here three do, and one in four chooses a room, because
drafts and bookings are what costs. ${cachedReads.join(', ')} are the cached reads; their misses count among them. Searches are for 120 stays per house
within twelve weeks, asked for by rank (Zipf: six stays are nearly half of all searches), for one or two guests, in the
languages of the house. Seven of ten bookings are paid in cash on arrival, the others with a card on the page of the
simulator, which answers at once. Two houses have room for everybody, so that bookings do not end after a second; the third has the
rooms of the demo and sells out. The general limit of requests per minute is raised, since all guests share one address; the
limits of drafts and confirms per session are the real ones. The mix is in \`bench/booking/mix.ts\`.

The driver is our own: autocannon sends the next request of a connection when the last was answered, keeps one histogram
for all kinds, and cannot let one guest's draft become the same guest's booking.
`;
}

function targetTable(judged: readonly Judged[]): string {
  const rows = judged.map(
    ({ what, target, seen, met }) => `| ${what} | ${target} | ${seen} | ${met ? 'met' : '**missed**'} |`,
  );
  return ['| | Target | Seen | |', '|---|---|---|---|', ...rows].join('\n');
}

function kindTable({ load }: PeakFigures): string {
  const row = (name: string, { sent, refused, errors, p50, p95, p99, longest }: Counted) =>
    `| ${[name, sent, refused, errors, ...[p50, p95, p99, longest].map(ms => ms.toFixed(1))].join(' | ')} |`;
  return [
    '| Request | Sent | Refused | Errors | p50 | p95 | p99 | Longest |',
    '|---|---|---|---|---|---|---|---|',
    ...kinds.map(kind => row(kind, load.byKind[kind])),
    row('**cached reads**', load.cachedReads),
    row('**all others**', load.others),
  ].join('\n');
}

function serverTable({ server, bookings, processor }: PeakFigures): string {
  const { caches, pool, outboxLagSeconds, consumerLagSeconds } = server;
  const families = Object.entries(caches)
    .filter(([, { hits, misses }]) => hits + misses > 0)
    .map(([family, one]) => `${family} ${(hitRatio([one]) * 100).toFixed(1)} % of ${one.hits + one.misses}`);
  const shares = Object.entries(processor.shares).map(([name, percent]) => `${name} ${percent} %`);
  return [
    '| | |',
    '|---|---|',
    `| processor, of one core | ${shares.join(', ')}, generator ${processor.generator} %, everything else ${Math.max(0, processor.rest - processor.generator)} % |`,
    `| answered from the cache | ${families.join(', ')} |`,
    `| connections | ${pool.asked} asked for, longest wait under ${(pool.longestWaitSeconds * 1_000).toFixed(0)} ms, at most ${pool.mostWaiting} waiting when looked at, ${pool.exhausted} not given |`,
    `| oldest event in an outbox | ${outboxLagSeconds.toFixed(2)} s |`,
    `| oldest event a subscription had not read | ${consumerLagSeconds.toFixed(2)} s |`,
    `| bookings | ${bookings.confirmed} confirmed, ${bookings.failed} failed, ${bookings.open} open at the end |`,
  ].join('\n');
}
