import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { LooseJobCtx } from './define-job.ts';
import { jobErrors } from './errors.ts';

/** What a round needs of its job. */
export type Rounds = Pick<LooseJobCtx, 'log'> & { readonly job?: { readonly signal: AbortSignal } };

/**
 * Looks after one after the other, until the run is to end. Who fails keeps nobody else waiting: he stays due and comes
 * first in every round, so that whoever stopped at him would never come to the others. The first failure is thrown at the
 * end, so that the run has failed; a lost lease at once. Where a round does not take all: `rounds`.
 */
export async function inTurn<One extends { tenantId: TenantId }>(
  { log, job }: Rounds,
  all: Iterable<One>,
  lookAfter: (one: One) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) {
    if (job?.signal.aborted) break; // the next round goes on
    try {
      await lookAfter(one);
    } catch (error) {
      if (jobErrors.LEASE_LOST.is(error)) throw error;
      const { tenantId } = one;
      log.warn({ err: error, tenantId }, 'one of a round could not be looked after; the round goes on');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
