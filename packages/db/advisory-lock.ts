import { createHash } from 'node:crypto';
import { sql } from './drizzle.ts';
import { rows, type Tx } from './sql.ts';

/** The 64-bit lock number of an entity: the same on every machine and in every release (ledger LOCK-08). */
export function lockNumber(tenantId: string, entityType: string, entityId: string): bigint {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenantId, entityType, entityId]))
    .digest();
  return digest.readBigInt64BE(0);
}

/** Waits for and holds the entity's lock until the transaction ends. Take several in sorted order of id. */
export async function lockEntity(
  tx: Tx,
  tenantId: string,
  entity: { type: string; id: string },
): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${lockNumber(tenantId, entity.type, entity.id)})`);
}
