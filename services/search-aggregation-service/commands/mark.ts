import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { JobDefinition } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { z } from 'zod';
import type { Handler } from '../model.ts';
import { mark } from '../queries/checkpoints.ts';

/** What the job that computes a listing is told. */
export const reindexInput = z.strictObject({
  propertyId: z.string(),
  /** How often it looked and found that others were not done yet; 0: it was told that something changed. */
  looks: z.int().min(0).max(10).default(0),
});

/** The job that computes a listing, and how long it waits for more: what happens to a house comes in bursts. */
export type Reindex = {
  readonly job: JobDefinition<typeof reindexInput, 'tenant'>;
  readonly settleMs: number;
};

/** How long until the first, second … look at what another service may hear of after us, in seconds. */
const looksAfter = [0, 5, 15, 60, 300, 900] as const;

/** Notes that parts of a listing are behind, and has them computed; once, however much is heard meanwhile. */
export async function markStale(
  ctx: Ctx,
  reindex: Reindex,
  { propertyId, parts }: { propertyId: Id<'pro'>; parts: readonly Handler[] },
): Promise<void> {
  if (await mark(ctx, propertyId, parts)) await enqueueReindex(ctx, reindex, propertyId);
}

/** Has a listing computed. */
export async function enqueueReindex(ctx: Ctx, reindex: Reindex, propertyId: string): Promise<void> {
  const runAt = new Date(ctx.now.getTime() + reindex.settleMs);
  await enqueue(ctx, reindex.job, { propertyId }, { key: propertyId, runAt });
}

/** Has another look at a house later: inventory-service may count a room after we heard of it. */
export async function lookAgain(
  ctx: Ctx,
  reindex: Reindex,
  { propertyId, looks }: { propertyId: string; looks: number },
): Promise<boolean> {
  const wait = looksAfter[looks];
  if (wait === undefined) return false;
  const runAt = new Date(ctx.now.getTime() + wait * 1_000);
  await enqueue(ctx, reindex.job, { propertyId, looks }, { key: `${propertyId} again`, runAt });
  return true;
}
