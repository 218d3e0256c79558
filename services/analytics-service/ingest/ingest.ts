import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { projectHouse } from '../jobs.ts';
import type { Days } from '../projection/handler.ts';
import { beginIngest, noteChanges, takeTouched } from '../projection/note-changes.ts';

/** What a change is about; handlers name the ones that concern them. */
export type Topic = 'house' | 'day' | 'room' | 'booking' | 'charge' | 'task';

const here = { schema: 'analytics' };

/** Call it first: what one tenant's events say is taken in one after the other. */
export function begin(ctx: Ctx): void {
  beginIngest(ctx, here);
}

/** Says which days of a house changed. */
export function changed(
  ctx: Ctx,
  { propertyId, topic, days }: { propertyId: string; topic: Topic; days: readonly Days[] },
): void {
  noteChanges(ctx, here, { scopeId: propertyId, topic, days });
}

/**
 * Has what changed computed in `restMs`, with all that comes until then: the dashboard shows a booking within 30 s (SAGA-22),
 * and a run costs as much for twenty of them as for one.
 */
export async function computeSoon(ctx: Ctx, restMs: number): Promise<void> {
  const dueAt = new Date(ctx.now.getTime() + restMs);
  for (const propertyId of takeTouched(ctx)) {
    const isNew = await execute(
      ctx.tx,
      sql`update analytics.watermarks
          set due_at = ${dueAt}
          where tenant_id = ${ctx.tenantId} and scope_id = ${propertyId} and due_at <= ${ctx.now}`,
    );
    const when = restMs === 0 ? {} : { runAt: dueAt };
    const input = { propertyId: idFromUuid('pro', propertyId) };
    if (isNew > 0) await enqueue(ctx, projectHouse, input, { key: propertyId, ...when });
  }
}
