import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** What became of the events: `lost` when the contender went quiet without them, `waiting` when time ran out first. */
export type Verdict = { written: number; lost: number; doubled: number; waiting: number };

/** How fast it went while the writers ran, and until the last effect. All per second, by the server's commit times. */
export type Rates = {
  writes: number;
  /** Effects while the writers ran. */
  alongside: number;
  /** Effects until the last one: what a steady load may be. */
  sustained: number;
};

/** What runs for hours is measured, not what has just started: the first seconds go to compiling and to growing the heap. */
export const WARM_UP_SECONDS = 5;
const WARM_UP = `${WARM_UP_SECONDS} seconds`;
const STILL_MOVING_MS = 1_500;

/**
 * Waits until every written event has its effect at every consumer, nothing has moved for `quietMs`, or `limitMs` is
 * over while things still move.
 * Judged by the log itself; the cheap progress number only says when to look.
 */
export async function judge(
  client: pg.Client,
  groups: number,
  options: { limitMs: number; quietMs: number },
): Promise<Verdict> {
  const written = Number((await one(client, 'select count(*) as count from bench.written')).count);
  const expected = written * groups;
  const end = performance.now() + options.limitMs;
  let [progress, moved] = [-1, performance.now()];
  const still = () => performance.now() - moved;
  while (still() < options.quietMs && !(performance.now() > end && still() < STILL_MOVING_MS)) {
    const now = Number((await one(client, 'select bench.progress() as count')).count);
    if (now !== progress) [progress, moved] = [now, performance.now()];
    if (progress >= expected) {
      const asked = performance.now();
      if ((await applied(client)).distinct >= expected) break;
      await delay((performance.now() - asked) * 10); // counting must not become the load
    }
    await delay(50);
  }
  const { all, distinct } = await applied(client);
  const missing = Math.max(0, expected - distinct);
  const quiet = still() >= options.quietMs;
  return {
    written,
    lost: quiet ? missing : 0,
    doubled: all - distinct,
    waiting: quiet ? 0 : missing,
  };
}

/** Rates of a run with writers, without the first seconds. */
export async function ratesOf(client: pg.Client): Promise<Rates> {
  const row = await one(
    client,
    `with span as materialized (
       select min(committed_at) + $1::interval as start, max(committed_at) as stop from bench.written),
     effect as materialized (
       select count(*) filter (where committed_at <= stop) as alongside, count(*) as all, max(committed_at) as last
       from bench.applied, span where committed_at > start)
     select extract(epoch from stop - start) as seconds,
            extract(epoch from last - start) as until_last,
            (select count(*) from bench.written where committed_at > start) as writes,
            alongside, "all"
     from span, effect`,
    [WARM_UP],
  );
  return {
    writes: Number(row.writes) / Number(row.seconds),
    alongside: Number(row.alongside) / Number(row.seconds),
    sustained: Number(row.until_last) > 0 ? Number(row.all) / Number(row.until_last) : 0,
  };
}

/** Effects per second of a drained backlog, from the first commit to the last; `until` leaves out an unfinished rest. */
export async function drainRate(client: pg.Client): Promise<number> {
  const row = await one(
    client,
    `with effect as materialized (select committed_at from bench.applied),
          span as (select min(committed_at) as start, max(committed_at) as stop from effect)
     select count(*) as count, extract(epoch from max(stop) - max(start)) as seconds
     from effect, span where committed_at > start`,
  );
  return Number(row.seconds) > 0 ? Number(row.count) / Number(row.seconds) : 0;
}

/** Milliseconds from the commit of the business row to the commit of its effect, without the first seconds. */
export async function latency(client: pg.Client): Promise<{ p50: number; p99: number; events: number }> {
  const row = await one(
    client,
    `with written as materialized (select event_id, committed_at from bench.written),
          pair as (
            select extract(epoch from applied.committed_at - written.committed_at) * 1000 as ms
            from bench.applied join written using (event_id)
            where written.committed_at > (select min(committed_at) + $1::interval from written))
     select percentile_disc(0.5) within group (order by ms) as p50,
            percentile_disc(0.99) within group (order by ms) as p99,
            count(*) as events
     from pair`,
    [WARM_UP],
  );
  return { p50: Number(row.p50), p99: Number(row.p99), events: Number(row.events) };
}

async function applied(client: pg.Client): Promise<{ all: number; distinct: number }> {
  const row = await one(
    client,
    `select coalesce(sum(times), 0) as all, count(*) as distinct
     from (select count(*) as times from bench.applied group by consumer, event_id) as effect`,
  );
  return { all: Number(row.all), distinct: Number(row.distinct) };
}

async function one(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, string | number | null>> {
  return (await client.query(text, values)).rows[0];
}
