import { sql } from '@ghasi/db/drizzle';
import { row, type Tx } from '@ghasi/db/sql';

/** Runs `work` and counts the rows it inserted, updated or deleted in this transaction, without its help (JOB-30). */
export async function countingRows<T>(tx: Tx, work: () => Promise<T>): Promise<{ value: T; rows: number }> {
  const before = writesSoFar(tx); // not awaited: it leaves in the same packet as BEGIN
  before.catch(() => {});
  const value = await work();
  const after = await writesSoFar(tx);
  return { value, rows: Number(after - (await before)) };
}

/**
 * Rows this session has written and not yet reported to the statistics, which it does only between transactions: the
 * difference of two readings is what happened in between. Only schemas the role can enter are looked at, of many hundred
 * tables; schema `jobs` is left out, it is our own bookkeeping.
 */
async function writesSoFar(tx: Tx): Promise<bigint> {
  const found = await row<{ writes: bigint }>(
    tx,
    sql`select coalesce(sum(pg_stat_get_xact_tuples_inserted(oid)
                          + pg_stat_get_xact_tuples_updated(oid)
                          + pg_stat_get_xact_tuples_deleted(oid)), 0)::bigint as writes
        from pg_catalog.pg_class
        where relkind = 'r'
          and relnamespace = any (array(
            select oid from pg_catalog.pg_namespace
            where oid >= 16384 and nspname <> 'jobs' and has_schema_privilege(oid, 'usage')))`,
  );
  return found?.writes ?? 0n;
}
