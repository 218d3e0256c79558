import type { SQL } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { z } from 'zod';
import { type Definition, defineJob, type JobCtx, type JobDefinition } from './define-job.ts';
import { rounds } from './rounds.ts';

const nothing = z.strictObject({});

/**
 * A job that goes round and looks after what is due, whichever tenant's. Rows carry the time, so nothing depends on a job that
 * somebody remembered to enqueue: a worker may die, a provider be silent, a guest go away.
 */
export function defineSweep<Due extends { tenantId: TenantId }>({
  most,
  due,
  each,
  ...definition
}: Omit<Definition<typeof nothing, 'system'>, 'scope' | 'input'> & {
  /** How many have their turn in one round. */
  most: number;
  /** What is due, with `tenantId`; from a function that may look at all tenants. No more than `most` of each kind there is, oldest first. */
  due(now: Date, most: number): SQL;
  /** Looks after one of them in a transaction of its tenant, at the time of the round. If it throws, the others have their turn and the run has failed. */
  each(ctx: JobCtx, one: Due): Promise<unknown>;
}): JobDefinition<typeof nothing, 'system'> {
  const round = rounds<Due>({ most });
  return defineJob({
    queue: 'scheduled',
    ...definition,
    scope: 'system',
    input: nothing,
    transaction: 'none',
    async run(ctx) {
      const { now } = ctx;
      const turns = await round(
        ctx,
        upTo => ctx.transaction(({ tx }) => rows<Due>(tx, due(now, upTo))),
        one => ctx.transaction(inner => each({ ...inner, now }, one), { tenantId: one.tenantId }),
      );
      return { due: turns };
    },
  });
}
