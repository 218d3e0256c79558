import { sql } from '@ghasi/db/drizzle';
import type { Tx } from '@ghasi/db/sql';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { affected, bossIn } from './boss-in-transaction.ts';
import { jobErrors } from './errors.ts';

/**
 * The right of one run to finish a job. `claim` is pg-boss's retry count at the time of the claim: the next claim has
 * another one, which is what fences a run off whose worker was taken for dead.
 */
export type Lease = {
  readonly queue: string;
  readonly jobId: Id<'job'>;
  readonly claim: number;
  readonly tenantId: TenantId;
};

/**
 * Marks the job as done in the transaction that holds its effect, as its last statement. Throws LEASE_LOST, and so
 * undoes the effect, when this run no longer holds the job; otherwise the row stays locked until the commit, and
 * whoever wants to give the job to another worker waits and then finds it done.
 */
export async function completeIn(tx: Tx, lease: Lease, output: object): Promise<void> {
  const done = await bossIn(tx, boss => boss.complete(lease.queue, attemptOf(lease), output));
  if (affected(done) !== 1) throw lost(lease);
}

/**
 * The same check for a transaction that is only one step of a job: renews the lease instead of ending it. The row of a
 * platform job is invisible to a tenant's transaction, so the tenant is switched meanwhile; and back, for the events of
 * the step are appended after this.
 */
export async function holdIn(tx: Tx, lease: Lease, tenantId: TenantId): Promise<void> {
  const isAnothers = lease.tenantId !== tenantId;
  if (isAnothers) await setTenant(tx, lease.tenantId);
  const held = await bossIn(tx, boss => boss.touch(lease.queue, attemptOf(lease)));
  if (affected(held) !== 1) throw lost(lease);
  if (isAnothers) await setTenant(tx, tenantId);
}

async function setTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`select set_config('app.tenant_id', ${tenantId}, true)`);
}

/** How pg-boss names one run of a job. */
export function attemptOf(lease: Lease): { id: string; retryCount: number } {
  return { id: idToUuid(lease.jobId), retryCount: lease.claim };
}

function lost(lease: Lease) {
  return jobErrors.LEASE_LOST({ jobId: lease.jobId, attempt: lease.claim + 1 });
}
