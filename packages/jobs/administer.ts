import { sql } from '@ghasi/db/drizzle';
import { row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { affected, bossIn } from './boss-in-transaction.ts';

type AdminCtx = Pick<Ctx, 'tx'>;

/**
 * Cancels a job that has not ended (JOB-26). A run in progress is told by its signal and cannot save anything any more.
 * False when there is no such job for this service and tenant, or when it has ended.
 */
export async function cancelJob(ctx: AdminCtx, id: Id<'job'>): Promise<boolean> {
  const found = await find(ctx, id);
  if (found === undefined) return false;
  return affected(await bossIn(ctx.tx, boss => boss.cancel(found.queue, idToUuid(id)))) === 1;
}

/**
 * Runs a job again now (JOB-26): a dead letter gets one more run, a canceled job is taken up again, and one that waits
 * for its next retry waits no longer. False for every other job, and for a run of a schedule that has another run
 * unfinished (JOB-29).
 */
export async function retryJob(ctx: AdminCtx, id: Id<'job'>): Promise<boolean> {
  const found = await find(ctx, id);
  if (found === undefined || found.replaced) return false;
  const { queue, state } = found;
  const uuid = idToUuid(id);
  return bossIn(ctx.tx, async boss => {
    if (state === 'cancelled') return affected(await boss.resume(queue, uuid)) === 1;
    if (state === 'failed') await boss.retry(queue, uuid);
    else if (state !== 'retry') return false;
    return (await boss.update(queue, undefined, { id: uuid, startAfter: 0 })).updated === 1;
  });
}

type Found = { queue: string; state: JobState; replaced: boolean };
type JobState = 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';

/** pg-boss finds a job by queue and id; row-level security limits the search to the four queues of the service. */
function find(ctx: AdminCtx, id: Id<'job'>): Promise<Found | undefined> {
  return row<Found>(
    ctx.tx,
    sql`select j.name as queue, j.state,
               exists (select 1 from jobs.job other
                       where other.name = j.name
                         and other.singleton_key = j.singleton_key
                         and other.state <= 'active'
                         and other.id <> j.id) as replaced
        from jobs.job j
        where j.id = ${idToUuid(id)}`,
  );
}
