import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@ghasi/db/database';
import type { Client } from 'pg';
import { booking, contender, start } from '../backbone/contenders/melmastoon.ts';
import { onClient } from '../backbone/ground.ts';
import { judge, WARM_UP_SECONDS } from '../backbone/judge.ts';
import { CALM_MS, LIGHT_PER_SECOND, onStage, QUIET_MS, type Stage } from '../backbone/measures.ts';
import { startStopwatch, untilCalm } from '../backbone/processor-time.ts';
import { type Servers, startServers } from '../backbone/servers.ts';
import type { BenchOptions } from '../measure.ts';
import { arrivalOf, latencyWithin, type Span, serverTime } from './latency.ts';
import { asJson, asTable, type Found, isFlawless } from './report.ts';
import { secondsOpen, whileHeld } from './while-held.ts';

const LIMITS = { limitMs: 30_000, quietMs: QUIET_MS };
const DOUBLES_MS = 2_000; // a second effect would come after the first
const PROGRESS_MS = 10_000;

export const defaults = { seconds: 120, rounds: 1 };

/** Two write transactions stay open for minutes, here and in another database; do other keys keep their latency? */
export async function run({ seconds, json }: BenchOptions): Promise<void> {
  const servers = await startServers(false);
  try {
    const elsewhere = await servers.newDatabase('bench_elsewhere');
    const setting = { name: 'melmastoon', contender, servers, seconds, oneProcess: false, say } as const;
    const found = await onStage(setting, { groups: 1, alone: false }, stage =>
      onClient(stage.place.url, client => measure({ stage, client, servers, seconds }, elsewhere)),
    );
    console.log(json ? asJson(found) : `\n${asTable(found)}`);
    if (!isFlawless(found)) process.exitCode = 1;
  } finally {
    await servers.stop();
  }
}

type Setting = { stage: Stage; client: Client; servers: Servers; seconds: number };

/** The same load twice, the second time beside the two transactions; then they end. */
async function measure(setting: Setting, elsewhere: string): Promise<Found> {
  const { stage, client, servers, seconds } = setting;
  await stage.open();
  // A second process of the service, with a relay of its own: it holds the transaction, and is there in both phases.
  const { db, stop } = await start(stage.place, [booking], { relay: true, consumers: false });
  try {
    await pace(stage, WARM_UP_SECONDS);
    const alone = await phase('alone', setting);
    const during = await whileHeld(db.booking as Database, elsewhere, async held => {
      const span = await phase('held', setting);
      const { lost, waiting } = await judge(client, 1, LIMITS);
      return { ...span, ...held, stuck: lost + waiting, openSeconds: await secondsOpen(client, held) };
    });
    await judge(client, 1, LIMITS);
    await delay(DOUBLES_MS);
    const verdict = await judge(client, 1, LIMITS);
    return {
      seconds,
      postgres: servers.versions.postgres,
      alone: { ...(await latencyWithin(client, alone)), others: alone.others },
      held: { ...(await latencyWithin(client, during)), others: during.others },
      openSeconds: during.openSeconds,
      stuck: during.stuck,
      verdict,
      heldEvent: await arrivalOf(client, during.eventId),
    };
  } finally {
    await stop();
  }
}

/** Writes on a calm machine, as far as there is one; `others`: percent of a core that other programs used meanwhile. */
async function phase(
  name: string,
  { stage, client, servers, seconds }: Setting,
): Promise<Span & { others: number }> {
  await untilCalm(CALM_MS);
  const stopwatch = startStopwatch({ runner: process.pid, postgres: servers.postgresPid });
  const began = performance.now();
  const tell = () => say(`${name}, ${Math.round((performance.now() - began) / 1000)} of ${seconds} s`);
  tell();
  const progress = setInterval(tell, PROGRESS_MS);
  try {
    const from = await serverTime(client);
    await pace(stage, seconds);
    return { from, until: await serverTime(client), others: stopwatch().rest };
  } finally {
    clearInterval(progress);
  }
}

function pace({ writers }: Stage, seconds: number): Promise<void> {
  return writers.ask({ do: 'pace', perSecond: LIGHT_PER_SECOND, seconds }, seconds * 1000 + 30_000);
}

function say(line: string): void {
  console.error(`  held: ${line}`);
}
