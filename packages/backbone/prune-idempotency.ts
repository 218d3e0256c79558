import { pruneKeys } from '@ghasi/http/idempotency';
import { defineJob, every, type Schedule } from '@ghasi/jobs/define-job';
import { z } from 'zod';

const BATCH = 5_000;

/** Removes a service's idempotency keys whose 24 hours are over, hourly (ledger IDEM-10, X-106), for all tenants. */
export function pruneIdempotency(schema: string): Schedule {
  const prune = defineJob({
    name: `${schema}.prune-idempotency`,
    service: schema,
    scope: 'system',
    runAs: 'maintenance',
    queue: 'bulk',
    input: z.strictObject({}),
    transaction: 'none',
    async run(ctx) {
      let [removed, batch] = [0, BATCH];
      while (batch === BATCH && !ctx.job.signal.aborted) {
        batch = await ctx.transaction(({ tx }) => pruneKeys(tx, schema, BATCH));
        removed += batch;
      }
      return { removed };
    },
  });
  return every('41 * * * *', prune);
}
