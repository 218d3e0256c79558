import { setTimeout as delay } from 'node:timers/promises';
import { deskClient, inDays } from '@melmastoon/server/fixtures/desk-client';
import { onClient } from '../backbone/ground.ts';
import { startStopwatch } from '../backbone/processor-time.ts';
import type { BenchOptions } from '../measure.ts';
import { startPlatform } from '../platform.ts';

/** Bookings per second of the measures that look at latency: both aims. */
const STEADY = [20, 50];
const WORKERS = 16;
/** Nights are far enough apart that no booking waits for the counter of another. */
const NIGHTS = 60;

type Sagas = { ended: number; perSecond: number; p50: number; p95: number };

export const defaults = { seconds: 15, rounds: 1 };

/**
 * Whole bookings over HTTP, cash on arrival: draft, confirm, and then the saga through reservation, inventory, payment,
 * billing, locks and messages, in one server process on the embedded PostgreSQL. The time of a saga is from the commit that
 * held the rooms to the commit that confirmed the booking. Simulators answer at once.
 */
export async function run({ seconds, json }: BenchOptions): Promise<void> {
  const { url, adminUrl, demo, pids, stop: stopPlatform } = await startPlatform();
  try {
    const owner = demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
    if (owner === undefined) throw new Error('the demo has no owner');
    const desk = await deskClient(url, owner);
    let booked = 0;
    const book = async () => {
      const day = 120 + 2 * (booked++ % NIGHTS);
      const stay = { arrival: inDays(day), departure: inDays(day + 2) };
      const { reservationId } = await desk.draft(stay, 'cash_pending');
      await desk.send('POST', `/reservations/${reservationId}/confirm`);
    };
    const look = () =>
      fetch(`${url}/api/v1/search?arrival=${inDays(130)}&departure=${inDays(132)}&guests=2`).then(reply =>
        reply.text(),
      );

    console.error('  stay: warming up');
    await atRate(book, { perSecond: 5, seconds: 5 });
    await quiet(adminUrl);
    const steady = [];
    for (const perSecond of STEADY) {
      console.error(`  stay: ${perSecond} bookings per second`);
      steady.push({
        sent: perSecond,
        ...(await measured(adminUrl, pids, () => atRate(book, { perSecond, seconds }))),
      });
    }
    console.error(`  stay: as many bookings as ${WORKERS} clients can make`);
    const full = await measured(adminUrl, pids, () => asManyAsPossible(book, seconds));
    console.error('  stay: availability searches');
    const stop = startStopwatch(pids);
    const searches = await asManyAsPossible(look, seconds);
    const result = { steady, full, searches: { perSecond: searches / seconds, ...stop() } };
    console.log(json ? JSON.stringify(result) : table(result));
  } finally {
    await stopPlatform();
  }
}

async function atRate(
  work: () => Promise<unknown>,
  of: { perSecond: number; seconds: number },
): Promise<void> {
  const running: Promise<unknown>[] = [];
  const began = performance.now();
  for (let n = 0; n < of.perSecond * of.seconds; n++) {
    await delay(Math.max(0, began + (n * 1000) / of.perSecond - performance.now()));
    running.push(work());
  }
  await Promise.all(running);
}

async function asManyAsPossible(work: () => Promise<unknown>, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const worker = async () => {
    for (; performance.now() < end; done++) await work();
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return done;
}

/** The sagas that were begun meanwhile, once all of them have ended. */
async function measured(url: string, pids: Record<string, number>, work: () => Promise<unknown>) {
  const from = new Date();
  const stop = startStopwatch(pids);
  const began = performance.now();
  await work();
  await quiet(url);
  const took = (performance.now() - began) / 1000;
  const [row] = await onClient(url, async client => {
    const text = `select count(*)::int as ended, percentile_disc(0.5) within group (order by ms) as p50,
        percentile_disc(0.95) within group (order by ms) as p95, count(*) filter (where outcome <> 'success')::int as failed
      from (select extract(epoch from ended_at - started_at)::float8 * 1000 as ms, outcome from reservation.sagas
            where kind = 'booking' and started_at >= $1) s`;
    return (await client.query<Omit<Sagas, 'perSecond'> & { failed: number }>(text, [from])).rows;
  });
  if (row === undefined) throw new Error('no saga was seen');
  if (row.failed > 0) throw new Error(`${row.failed} of ${row.ended} bookings did not come to be`);
  return { ...row, perSecond: row.ended / took, ...stop() };
}

async function quiet(url: string): Promise<void> {
  for (let open = 1; open > 0; ) {
    const text = 'select count(*)::int as open from reservation.sagas where outcome is null';
    open = await onClient(
      url,
      async client => (await client.query<{ open: number }>(text)).rows[0]?.open ?? 0,
    );
    if (open > 0) await delay(50);
  }
}

type Load = { shares: Record<string, number>; rest: number };

function table(result: {
  steady: readonly (Sagas & Load & { sent: number })[];
  full: Sagas & Load;
  searches: { perSecond: number } & Load;
}): string {
  const load = ({ shares }: Load) =>
    Object.entries(shares)
      .map(([name, percent]) => `${name} ${percent} %`)
      .join(', ');
  const sagas = (name: string, { perSecond, p50, p95, ...rest }: Sagas & Load) =>
    `| ${name} | ${perSecond.toFixed(1)} | ${p50.toFixed(0)} ms | ${p95.toFixed(0)} ms | ${load(rest)} |`;
  return [
    '| Measure | per second | p50 | p95 | of one core |',
    '|---|---|---|---|---|',
    ...result.steady.map(measure => sagas(`bookings sent at ${measure.sent}/s`, measure)),
    sagas(`bookings, ${WORKERS} clients`, result.full),
    `| availability searches, ${WORKERS} clients | ${result.searches.perSecond.toFixed(0)} | | | ${load(result.searches)} |`,
  ].join('\n');
}
