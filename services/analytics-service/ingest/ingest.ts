import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { projectHouse } from '../jobs.ts';
import type { Days } from '../projection/handler.ts';
import { beginIngest, noteChanges } from '../projection/note-changes.ts';

/** What a change is about; handlers name the ones that concern them. */
export type Topic = 'house' | 'day' | 'room' | 'booking' | 'charge' | 'task';

const here = { schema: 'analytics' };

/** Call it first: what one tenant's events say is taken in one after the other. */
export function begin(ctx: Ctx): Promise<void> {
  return beginIngest(ctx, here);
}

/** Says which days of a house changed, and has them computed soon: the dashboard shows a booking within 30 s (SAGA-22). */
export async function changed(
  ctx: Ctx,
  { propertyId, topic, days }: { propertyId: string; topic: Topic; days: readonly Days[] },
): Promise<void> {
  const { isFirst } = await noteChanges(ctx, here, { scopeId: propertyId, topic, days });
  const input = { propertyId: idFromUuid('pro', propertyId) };
  if (isFirst) await enqueue(ctx, projectHouse, input, { key: propertyId });
}
