import { sql } from '@ghasi/db/drizzle';
import { row, rows, type Tx } from '@ghasi/db/sql';

/**
 * Runs `work` and counts the rows it inserted, updated or deleted in this transaction, without its help (JOB-30). The number
 * comes later: it leaves in one packet with what follows.
 */
export async function countingRows<T>(
  tx: Tx,
  work: () => Promise<T>,
): Promise<{ value: T; rows: Promise<number> }> {
  const tables = await tablesOf(tx);
  const before = writesSoFar(tx, tables); // not awaited: it leaves in the same packet as BEGIN
  before.catch(() => {});
  const value = await work();
  const after = writesSoFar(tx, tables);
  const rows = after.then(async writes => Number(writes - (await before)));
  rows.catch(() => {});
  return { value, rows };
}

/**
 * Rows this session has written and not yet reported to the statistics, which it does only between transactions: the
 * difference of two readings is what happened in between.
 */
async function writesSoFar(tx: Tx, tables: readonly number[]): Promise<bigint> {
  const found = await row<{ writes: bigint }>(
    tx,
    sql`select coalesce(sum(pg_stat_get_xact_tuples_inserted(oid)
                          + pg_stat_get_xact_tuples_updated(oid)
                          + pg_stat_get_xact_tuples_deleted(oid)), 0)::bigint as writes
        from unnest(${sql.param(tables)}::oid[]) as oid`,
  );
  return found?.writes ?? 0n;
}

type Tables = { readonly oids: readonly number[]; readonly until: number };
const known = new WeakMap<Tx['$client'], Tables>();
const KNOWN_MS = 3_600_000; // partitions are added while a connection lives

/**
 * The tables of the schemas that the role can enter, of many hundred; looking costs a millisecond, so a connection
 * remembers. Schema `jobs` is left out, it is our own bookkeeping.
 */
async function tablesOf(tx: Tx): Promise<readonly number[]> {
  const tables = known.get(tx.$client);
  if (tables !== undefined && tables.until > performance.now()) return tables.oids;
  const found = await rows<{ oid: number }>(
    tx,
    sql`select oid
        from pg_catalog.pg_class
        where relkind = 'r'
          and relnamespace = any (array(
            select oid from pg_catalog.pg_namespace
            where oid >= 16384 and nspname <> 'jobs' and has_schema_privilege(oid, 'usage')))`,
  );
  const oids = found.map(({ oid }) => oid);
  known.set(tx.$client, { oids, until: performance.now() + KNOWN_MS });
  return oids;
}
