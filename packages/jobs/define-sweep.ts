import type { SQL } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import { type Definition, defineJob, type JobCtx, type JobDefinition } from './define-job.ts';
import { inTurn } from './in-turn.ts';

const nothing = z.strictObject({});

/**
 * A job that goes round and looks after what is due, whichever tenant's. Rows carry the time, so nothing depends on a job that
 * somebody remembered to enqueue: a worker may die, a provider be silent, a guest go away.
 */
export function defineSweep<Due extends { tenantId: TenantId }>({
  due,
  each,
  ...definition
}: Omit<Definition<typeof nothing, 'system'>, 'scope' | 'input'> & {
  /** Whose turn it is, with `tenantId`; from a function that may look at all tenants, and no more than one round can take. */
  due(now: Date): SQL;
  /** Looks after one of them in a transaction of its tenant, at the time of the round. If it throws, the others have their turn and the run has failed. */
  each(ctx: JobCtx, one: Due): Promise<unknown>;
}): JobDefinition<typeof nothing, 'system'> {
  return defineJob({
    queue: 'scheduled',
    ...definition,
    scope: 'system',
    input: nothing,
    transaction: 'none',
    async run(ctx) {
      const { now } = ctx;
      const all = await ctx.transaction(({ tx }) => rows<Due>(tx, due(now)));
      await inTurn(ctx, all, one =>
        ctx.transaction(inner => each({ ...inner, now }, one), { tenantId: one.tenantId }),
      );
      return { due: all.length };
    },
  });
}
