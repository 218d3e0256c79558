import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { flagsOf, refuseFlags } from '@ghasi/testing/flags';
import { chance as chanceOf } from '@melmastoon/server/demo-chance';
import { onClient } from '../backbone/ground.ts';
import { startStopwatch } from '../backbone/processor-time.ts';
import { slugs, startPlatform } from '../platform.ts';
import { Guests } from './guests.ts';
import { openHouses } from './houses.ts';
import { noReply, openLine } from './http-call.ts';
import { sendLoad } from './open-loop.ts';
import { page, tables } from './report.ts';
import { watchServer } from './server-watch.ts';
import { type Bookings, judge, type PeakFigures } from './verdict.ts';

// A real server under the load of a peak. Exits
// with 1 when a target is missed. Everything it starts listens on loopback and ends with it.

const REPORT = new URL('../../docs/reference/load-peak-300rps.md', import.meta.url);
/** Bookings may take so long to end once nobody comes any more. */
const SETTLE_MS = 60_000;

const usage = 'npm run load:peak-300rps -- [--rate n] [--seconds n] [--warm n] [--json] [--write]';
const { values } = flagsOf(usage, {
  options: {
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '45' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const [rate, seconds, warm] = [Number(values.rate), Number(values.seconds), Number(values.warm)];
if (!(rate > 0 && rate <= 5_000 && seconds > 0 && seconds <= 3_600 && warm >= 0 && warm <= 600))
  refuseFlags(usage);
const figures = await run();
const judged = judge(figures);
console.log(values.json ? JSON.stringify({ ...figures, judged }) : tables(figures, judged));
for (const error of figures.load.errors) console.error(`load: ${error}`);
if (values.write) await writeFile(REPORT, page(figures, judged));
process.exitCode = judged.every(({ met }) => met) ? 0 : 1;

async function run(): Promise<PeakFigures> {
  const say = (text: string) => console.error(`load: ${text}`);
  say('starting PostgreSQL and the server, filling the demo in');
  const platform = await startPlatform();
  const line = openLine(platform.url);
  try {
    const chance = chanceOf('a peak of 300');
    const guests = new Guests(chance, await openHouses(line, slugs), payOn);
    const load = { line, guests, chance, onProgress: say };
    say(`warming up for ${warm} s`);
    // A server that has just started compiles its code with the first requests; nobody sends it a whole peak at once.
    await sendLoad({ ...load, rate: rate / 6, seconds: warm / 3 });
    await sendLoad({ ...load, rate, seconds: (warm * 2) / 3 });
    say(`${rate} requests a second for ${seconds} s`);
    const from = new Date();
    const watched = await watchServer(platform.url);
    const stopwatch = startStopwatch(platform.pids);
    const ownBefore = process.cpuUsage();
    const seen = await sendLoad({ ...load, rate, seconds });
    const { user, system } = process.cpuUsage(ownBefore);
    const processor = { ...stopwatch(), generator: Math.round((user + system) / 10_000 / seen.took) };
    const server = await watched();
    say('waiting until every booking is decided');
    const bookings = await settle(platform.adminUrl, from, { guests, line });
    return { at: from.toISOString(), rate, seconds, load: seen, server, bookings, processor };
  } finally {
    line.close();
    await platform.stop();
  }
}

/** A guest pays on the page of the card provider; his browser does not come back by itself. */
function payOn(url: string): void {
  const body = new URLSearchParams({ action: 'pay' });
  void fetch(url, { method: 'POST', body, redirect: 'manual' }).catch(() => {}); // then his booking stays open, and is counted
}

type Going = { guests: Guests; line: ReturnType<typeof openLine> };

/** Guests look at their bookings until each is decided; what is open after that is told. */
async function settle(url: string, from: Date, { guests, line }: Going): Promise<Bookings> {
  const until = performance.now() + SETTLE_MS;
  const text = `select count(*) filter (where outcome = 'success')::int as confirmed,
      count(*) filter (where outcome <> 'success')::int as failed,
      count(*) filter (where outcome is null)::int as open
    from reservation.sagas where kind = 'booking' and started_at >= $1`;
  for (;;) {
    const next = guests.askLast();
    next?.heard(await line.send(next.call).catch(() => noReply));
    const { rows } = await onClient(url, client => client.query<Bookings>(text, [from]));
    const [found] = rows;
    if (found === undefined) throw new Error('the bookings could not be counted');
    if (found.open === 0 || performance.now() > until) return found;
    await delay(100);
  }
}
