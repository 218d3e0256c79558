import type { Client } from 'pg';

/** From when to when something was written, by the server's clock. */
export type Span = { from: string; until: string };

/** Milliseconds from the commit of the business row to the commit of its effect. */
export type Latency = { events: number; p50: number; p99: number };

/** Latency of what was written within a span, and of its thirds: whether it grows. */
export async function latencyWithin(
  client: Client,
  { from, until }: Span,
): Promise<Latency & { thirds: Latency[] }> {
  const { rows } = await client.query<Latency>(
    `with written as materialized (select event_id, committed_at from bench.written),
          pair as (
            select least(3, width_bucket(extract(epoch from written.committed_at),
                     extract(epoch from $1::timestamptz), extract(epoch from $2::timestamptz), 3)) as third,
                   extract(epoch from applied.committed_at - written.committed_at) * 1000 as ms
            from bench.applied join written using (event_id)
            where written.committed_at between $1 and $2)
     select count(*)::int as events,
            percentile_disc(0.5) within group (order by ms)::float8 as p50,
            percentile_disc(0.99) within group (order by ms)::float8 as p99
     from pair
     group by grouping sets ((third), ())
     order by third nulls last`,
    [from, until],
  );
  const thirds = rows.slice(0, -1);
  if (thirds.length !== 3) throw new Error(`events in ${thirds.length} of 3 thirds: too short a time`);
  return { ...(rows.at(-1) as Latency), thirds };
}

/** How often one event was applied, and how long after its commit the first time. */
export async function arrivalOf(
  client: Client,
  eventId: string,
): Promise<{ times: number; ms: number | null }> {
  const { rows } = await client.query(
    `select count(*)::int as times,
            extract(epoch from min(a.committed_at) - min(w.committed_at))::float8 * 1000 as ms
     from bench.applied a join bench.written w using (event_id)
     where event_id = $1`,
    [eventId],
  );
  return rows[0];
}

/** What the server's clock says. */
export async function serverTime(client: Client): Promise<string> {
  return (await client.query('select clock_timestamp()::text as at')).rows[0].at;
}
