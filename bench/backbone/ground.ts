import pg from 'pg';
import type { BenchEvent, Place } from './contender.ts';

/** Producers, and connections of the writing process. */
export const PRODUCERS = 16;

const groundSql = `
  create schema bench;
  create table bench.booking (id uuid primary key, guest text not null);
  create table bench.effect (
    n bigint generated always as identity,
    consumer smallint not null,
    event_id uuid not null
  );
  create view bench.written as
    select id as event_id, pg_xact_commit_timestamp(xmin) as committed_at from bench.booking;
  create view bench.applied as
    select consumer, event_id, pg_xact_commit_timestamp(xmin) as committed_at from bench.effect;
  create function bench.progress() returns bigint language sql as
    $$ select case when is_called then last_value else 0 end from bench.effect_n_seq $$;
`;

/**
 * The business table, the effect log, and what the judge reads: `bench.written` and `bench.applied` with the server's
 * own commit times, and `bench.progress()`, a cheap upper bound of effects so far. With `unique`, a second effect of
 * the same event is refused by a key; without it the log shows doubles, so only those who need no key leave it out.
 */
export async function createGround(url: string, options: { unique: boolean }): Promise<void> {
  await onClient(url, async client => {
    await client.query(groundSql);
    if (options.unique) await client.query('create unique index on bench.effect (consumer, event_id)');
  });
}

/** Runs work on a connection of its own. */
export async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the next statement reports it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A pool for one side of a contender. Keep-alive connections, opened when first used. */
export function openPool(place: Place, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: place.url, max });
  pool.on('error', error => console.error(error.message));
  return pool;
}

/** What handler code looks like with plain `pg`: BEGIN, business row, event, COMMIT, each awaited. */
export async function bookingTransaction(
  pool: pg.Pool,
  event: BenchEvent,
  addEvent: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(booking(event));
    await addEvent(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** The business row as a prepared statement. */
export function booking(event: BenchEvent): pg.QueryConfig {
  const text = "insert into bench.booking (id, guest) values ($1, 'guest')";
  return { name: 'booking', text, values: [event.id] };
}

/** Effects of a batch in one statement; `once` leaves out those that are there already. */
export function effects(consumer: number, ids: readonly string[], once: boolean): pg.QueryConfig {
  const text = 'insert into bench.effect (consumer, event_id) select $1, unnest($2::uuid[])';
  const values = [consumer, ids];
  return once
    ? { name: 'effects-once', text: `${text} on conflict do nothing`, values }
    : { name: 'effects', text, values };
}

/** One effect; `once` leaves it out when it is there already. */
export function effect(consumer: number, id: string, once: boolean): pg.QueryConfig {
  const text = 'insert into bench.effect (consumer, event_id) values ($1, $2)';
  const values = [consumer, id];
  return once
    ? { name: 'effect-once', text: `${text} on conflict do nothing`, values }
    : { name: 'effect', text, values };
}
