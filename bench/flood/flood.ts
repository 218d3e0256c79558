import { setTimeout as delay } from 'node:timers/promises';
import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { Client } from 'pg';
import { Actor } from '../backbone/actor-handle.ts';
import type { Place } from '../backbone/contender.ts';
import { BookingConfirmed, booking, contender, start, who } from '../backbone/contenders/melmastoon.ts';
import { onClient } from '../backbone/ground.ts';
import { startServers } from '../backbone/servers.ts';
import type { BenchOptions } from '../measure.ts';

const FLOOD = 100_000;
const WARM_UP = 3_000;
const PER_SECOND = 50;
const filler = 'x'.repeat(950);
const actor = { type: 'system', id: 'bench' } as const;
const quiet = parseTenantId(uuid7());

type Latency = { events: number; p50: number; p99: number };

export const defaults = { seconds: 30, rounds: 1 };

/**
 * One tenant floods 100,000 events; how long does another wait for its own? Commit of the row to commit of the effect.
 * The flood is written beforehand and put into the outbox a thousand per statement: what its author computes is not measured.
 */
export async function run({ seconds, json }: BenchOptions): Promise<void> {
  const servers = await startServers(false);
  const url = await servers.newDatabase('bench_flood');
  const place: Place = { url, redisUrl: undefined, groups: 1, alone: false };
  const consumers = await Actor.start('melmastoon', place);
  try {
    await contender.prepare(place);
    console.error(`  flood: writing ${FLOOD} events`);
    await stage(place);
    await consumers.ask({ do: 'open-consumers' });
    const { db, stop } = await start(place, [booking], { relay: true, consumers: false });
    const database = db.booking as Database;
    // Warm connections and plans, also those that only a flood needs.
    await onClient(place.url, async judge => {
      await flood(place, 1, WARM_UP);
      await pace(database, () => isDrained(judge));
    });
    console.error('  flood: the quiet tenant alone');
    const idle = await between(place, () => {
      const end = performance.now() + seconds * 1000;
      return pace(database, async () => performance.now() > end);
    });
    console.error(`  flood: ${FLOOD} events of the other tenant`);
    const began = performance.now();
    let drained = 0;
    const during = await between(place, async judge => {
      let isWritten = false;
      const flooded = flood(place, WARM_UP + 1, WARM_UP + FLOOD).then(() => {
        isWritten = true;
      });
      await pace(database, async () => isWritten && (await isDrained(judge)));
      drained = (performance.now() - began) / 1000;
      await flooded;
    });
    await stop();
    await assertApplied(place);
    report({ idle, during, drained, json });
  } finally {
    await consumers.stop();
    await servers.stop();
  }
}

const columns = `id, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes,
  idempotency_key, occurred_at`;
const flooding = `insert into booking.outbox (${columns}) select ${columns} from bench.staged where seq between $1 and $2 order by seq`;

/** Puts a part of the flood into the outbox. */
function flood(place: Place, first: number, last: number): Promise<void> {
  return onClient(place.url, async client => {
    for (let from = first; from <= last; from += 1_000) await client.query(flooding, [from, from + 999]);
  });
}

/** Writes the flood with nobody there to move it, and puts it aside. */
async function stage(place: Place): Promise<void> {
  const writer = await contender.writer({ ...place, alone: true });
  for (let done = 0; done < WARM_UP + FLOOD; done += 1_000)
    await writer.fill(
      Array.from({ length: 1_000 }, () => {
        const id = uuid7();
        return { id, body: { id, filler } };
      }),
    );
  await writer.stop();
  await onClient(place.url, async client => {
    await client.query('create table bench.staged as select * from booking.outbox');
    await client.query('truncate booking.outbox');
    await client.query('create index on bench.staged (seq)');
    await client.query('vacuum analyze bench.staged');
    // A server that runs for days has gone through all files of its write-ahead log, and uses them again.
    await client.query(
      'create table bench.gone as select repeat(md5(n::text), 40) as text from generate_series(1, 800000) n',
    );
    await client.query('drop table bench.gone');
    await client.query('checkpoint');
  });
}

/** Business row and event of the quiet tenant, at fixed times, until it is over; that is asked once a second, beside them. */
async function pace(database: Database, isOver: () => Promise<boolean>): Promise<void> {
  const begin = performance.now();
  const writes: Promise<unknown>[] = [];
  let over = false;
  for (let count = 1; !over; count++) {
    writes.push(write(database));
    if (count % PER_SECOND === 0)
      void isOver().then(answer => {
        over = answer;
      });
    const wait = begin + (count * 1000) / PER_SECOND - performance.now();
    if (wait > 0) await delay(wait);
  }
  await Promise.all(writes);
}

function write(database: Database): Promise<unknown> {
  return tenantTransaction(database, { tenantId: quiet, actor }, async ({ tx }) => {
    const id = uuid7();
    await execute(
      tx,
      sql`insert into booking.bookings (tenant_id, id, guest) values (${quiet}, ${id}, 'guest')`,
    );
    return accepted(undefined, [BookingConfirmed.from({ id, filler }, { aggregateVersion: 1 })]);
  });
}

/** Latencies of what the quiet tenant wrote while `work` ran. */
async function between(place: Place, work: (judge: Client) => Promise<void>): Promise<Latency> {
  return onClient(place.url, async client => {
    const { rows: from } = await client.query('select clock_timestamp() as at');
    await work(client);
    const { rows: until } = await client.query('select clock_timestamp() as at');
    await delay(2_000); // the last effects
    const { rows } = await client.query(
      `with pair as (
         select extract(epoch from pg_xact_commit_timestamp(e.xmin) - pg_xact_commit_timestamp(b.xmin)) * 1000 as ms
         from booking.bookings b
         join consumer_1.effects e on e.tenant_id = b.tenant_id and e.booking_id = b.id
         where b.tenant_id = $1 and pg_xact_commit_timestamp(b.xmin) between $2 and $3)
       select count(*)::int as events, percentile_disc(0.5) within group (order by ms)::float8 as p50,
              percentile_disc(0.99) within group (order by ms)::float8 as p99
       from pair`,
      [quiet, from[0].at, until[0].at],
    );
    return rows[0];
  });
}

/** Whether all but the newest events were applied; two look-ups, because to count effects would disturb what is measured. */
async function isDrained(judge: Client): Promise<boolean> {
  const { rows } = await judge.query(
    `select coalesce((select min(c.off) from brokers.cursor c), 0) > coalesce((select max(l.off) from brokers.log l), 0) - $1
        and (select count(*) from (select from booking.outbox o limit $1) o) < $1 as drained`,
    [PER_SECOND],
  );
  return rows[0].drained;
}

/** The flood was applied, all of it and once. */
async function assertApplied(place: Place): Promise<void> {
  const { rows } = await onClient(place.url, client =>
    client.query('select count(*)::int as n from consumer_1.effects where tenant_id = $1', [who.tenantId]),
  );
  if (rows[0].n !== WARM_UP + FLOOD)
    throw new Error(`${rows[0].n} of ${WARM_UP + FLOOD} events were applied`);
}

function report(found: { idle: Latency; during: Latency; drained: number; json: boolean }): void {
  const { idle, during, drained } = found;
  if (found.json) {
    console.log(JSON.stringify({ idle, during, drainedSeconds: drained, flood: FLOOD }));
    return;
  }
  const line = (name: string, { events, p50, p99 }: Latency) =>
    `${name.padEnd(34)} ${String(events).padStart(6)} events   p50 ${p50.toFixed(1).padStart(7)} ms   p99 ${p99.toFixed(1).padStart(7)} ms`;
  console.log(line('quiet tenant alone', idle));
  console.log(line(`while the other floods ${FLOOD}`, during));
  console.log(
    `ratio of p99: ${(during.p99 / idle.p99).toFixed(2)}; the flood was applied after ${drained.toFixed(1)} s`,
  );
}
