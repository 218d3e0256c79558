import { AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import type { Database } from './database.ts';
import { type SQL, sql } from './drizzle.ts';
import { isTransient, sqlState } from './pg-errors.ts';
import { execute, type Tx } from './sql.ts';

/** How often a conflicting update is run again before the caller hears of it (ledger LOCK-01). */
export const CONFLICT_RETRIES = 3;

/** Throws VERSION_CONFLICT unless the versioned update found its row: somebody else wrote first (ledger LOCK-07). */
export function assertUpdated(touched: number | { rowCount: number | null }, entity = 'row'): void {
  const count = typeof touched === 'number' ? touched : (touched.rowCount ?? 0);
  if (count === 0) throw coreErrors.VERSION_CONFLICT({ entity });
}

const NOT_TOUCHED = 'MV001';

/**
 * Runs an update or delete that must find its row; fails with `otherwise`, VERSION_CONFLICT of an entity as a rule. The server
 * itself refuses it, and with it the transaction, so that nobody need wait: `ctx.write(touch(tx, update, conflict('room')))`.
 */
export async function touch(tx: Tx, change: { getSQL(): SQL }, otherwise: () => Error): Promise<void> {
  try {
    await execute(
      tx,
      sql`with touched as (${change.getSQL()} returning 1) select app.assert_touched(count(*)) from touched`,
    );
  } catch (error) {
    throw sqlState(error) === NOT_TOUCHED ? Object.assign(otherwise(), { cause: error }) : error;
  }
}

/** What {@link touch} fails with where somebody else wrote first (ledger LOCK-07). */
export function conflict(entity: string): () => Error {
  return () => coreErrors.VERSION_CONFLICT({ entity });
}

/**
 * Runs `work`, a whole transaction, again when it lost a race: a version conflict, a serialization failure or a
 * deadlock. After the last try the caller gets VERSION_CONFLICT, never a silent overwrite. With `db` the retries are counted.
 */
export async function retryOnConflict<T>(
  work: (attempt: number) => Promise<T>,
  options: { retries?: number; db?: Pick<Database, 'service' | 'metrics'> } = {},
): Promise<T> {
  const { retries = CONFLICT_RETRIES, db } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt < retries) {
        db?.metrics?.inc('melmastoon_db_conflict_retries_total', { service: db.service });
        // Up to 10, 20, 40 ms: losers that come back in step would only meet again.
        await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * 2 ** attempt));
        continue;
      }
      throw isTransient(error)
        ? Object.assign(coreErrors.VERSION_CONFLICT({ entity: 'transaction' }), { cause: error })
        : error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return isTransient(error) || (error instanceof AppError && error.code === 'VERSION_CONFLICT');
}
