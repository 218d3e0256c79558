import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Chance } from '@melmastoon/server/demo-chance';
import type { Guests } from './guests.ts';
import { type Line, noReply, type Reply } from './http-call.ts';
import { dueTimes, mix } from './mix.ts';
import { outcomeOf, Tally, timesOf } from './tally.ts';

/** How many requests, how fast, and who hears about it. */
export type Load = {
  line: Line;
  guests: Guests;
  chance: Chance;
  rate: number;
  seconds: number;
  /** Called every few seconds. */
  onProgress?(text: string): void;
};

const PROGRESS_MS = 5_000;

/**
 * Sends requests at the times they are due, whether or not earlier ones were answered. A time is counted from when its
 * request was due: when the server stalls, all those who came meanwhile waited too (autocannon sends the next request of
 * a connection when the last was answered and estimates what it left out; it also keeps one histogram for all kinds).
 */
export async function sendLoad({ line, guests, chance, rate, seconds, onProgress }: Load) {
  const due = dueTimes(chance, { count: Math.round(rate * seconds), spanMs: seconds * 1_000 });
  const tally = new Tally();
  const lateness: number[] = [];
  const running = new Set<Promise<void>>();
  const began = performance.now();
  let told = began;
  let inTime = 0; // answered before the span was over
  for (const dueMs of due) {
    const early = began + dueMs - performance.now();
    // Late: whoever is waiting for an answer comes first, or the driver would never hear one.
    await (early > 0 ? delay(early) : nextTurn());
    lateness.push(performance.now() - began - dueMs);
    const { kind, call, heard } = guests.ask(chance.weighted(mix));
    const answered = (reply: Reply | undefined, reason: string) => {
      const outcome = outcomeOf(reply);
      if (reply !== undefined && performance.now() - began <= seconds * 1_000) inTime++;
      tally.add(kind, outcome, performance.now() - began - dueMs);
      if (outcome === 'error') tally.note(`${kind}: ${reason}`);
      heard(reply ?? noReply);
    };
    const one = line.send(call).then(
      reply => answered(reply, `${reply.status} ${reply.text.slice(0, 200)}`),
      (error: Error) => answered(undefined, error.message),
    );
    running.add(one);
    void one.finally(() => running.delete(one));
    if (performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    const { p95 } = tally.summary().cachedReads;
    const passed = ((told - began) / 1_000).toFixed(0);
    onProgress?.(
      `${passed} s: ${tally.sent} answered, ${running.size} under way, p95 of cached reads ${p95.toFixed(0)} ms`,
    );
  }
  await Promise.all(running);
  const took = (performance.now() - began) / 1_000;
  return {
    ...tally.summary(),
    errors: tally.errors,
    took,
    perSecond: inTime / seconds,
    late: timesOf(lateness),
  };
}

export type LoadFigures = Awaited<ReturnType<typeof sendLoad>>;
