import type { Database } from '@ghasi/db/database';
import { systemTransaction } from '@ghasi/db/tenant-transaction';

/** Pages of one transaction (8 MB, some 20,000 rows), and of one round at least: 512 MB. */
const AT_ONCE = 1_024;
const A_ROUND = 65_536;
/** A larger table is looked through in so many rounds, which is a day. */
const ROUNDS = 24;
const UPKEEP_LOCK = 7_310_023;

/** Up to where rounds have come, by name of what they tidy: a page. */
export type Places = Map<string, number>;

/** What is removed: a statement that counts as `n` what it takes from the pages `$2` to `$3` of `table`, `$1` days old. */
export type OldRows = {
  readonly table: string;
  readonly statement: string;
  readonly days: number;
};

/**
 * Removes old rows, each page looked at once: an index by time would be paid for by every insert, and a BRIN forgets
 * what is where once pages are used again. What another process is at is left to it.
 */
export async function removeOldRows(
  db: Database,
  { table, statement, days }: OldRows,
  { places, signal }: { places: Places; signal: AbortSignal | undefined },
): Promise<number> {
  let removed = 0;
  const pages = await pagesOf(db, table);
  const from = places.get(table) ?? Math.floor(Math.random() * pages); // whoever restarts each day comes to all of it
  for (const { first, end } of partsOf(pages, from)) {
    if (signal?.aborted) break;
    const values = [days, `(${first},0)`, `(${end},0)`];
    const count = await inTurn(db, table, { text: statement, values });
    if (count === undefined) break;
    removed += count;
    places.set(table, end);
  }
  return removed;
}

/** The parts one round looks through: all of a table from its beginning, or of a large one what comes after `from`. */
export function* partsOf(pages: number, from: number): Generator<{ first: number; end: number }> {
  const most = Math.max(A_ROUND, Math.ceil(pages / ROUNDS));
  let first = pages <= most || from >= pages ? 0 : from;
  for (let left = Math.min(most, pages); left > 0; ) {
    const end = Math.min(first + AT_ONCE, first + left, pages);
    yield { first, end };
    left -= end - first;
    first = end === pages ? 0 : end;
  }
}

/**
 * Runs one batch of a piece of work; undefined while another process is at it. The lock is the transaction's: a pooler
 * may give the session to somebody else after it (TEN-18).
 */
export function inTurn(
  db: Database,
  piece: string,
  statement: { text: string; values: unknown[] },
): Promise<number | undefined> {
  return systemTransaction(db, { actor: { type: 'system', id: 'upkeep' } }, async ({ tx }) => {
    // By pages where a statement names them, whatever an index promises.
    const lock = `select pg_try_advisory_xact_lock($1, hashtext($2)) as got, set_config('enable_bitmapscan', 'off', true)`;
    const { rows } = await tx.$client.query(lock, [UPKEEP_LOCK, piece]);
    if (rows[0]?.got !== true) return undefined;
    const { rows: counted } = await tx.$client.query(statement.text, statement.values);
    return Number(counted[0]?.n ?? 0);
  });
}

async function pagesOf(db: Database, table: string): Promise<number> {
  const { rows } = await db.pool.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 as pages`,
    [table],
  );
  return rows[0]?.pages ?? 0;
}
