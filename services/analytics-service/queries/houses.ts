import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Freshness, freshnessOf, readFreshness, togetherFresh } from '../projection/freshness.ts';

/** Which handlers' rows an answer is made of. */
export const usedBy = {
  summary: ['demand', 'occupancy', 'revenue', 'charges', 'mix', 'operations'],
  daily: ['demand', 'occupancy', 'revenue', 'charges'],
  pickup: ['pickup'],
} as const;

/** How current the numbers of a house are, or of all houses together: as those of the worst. */
export async function freshnessFor(
  ctx: Ctx,
  propertyId: string | null,
  handlers: readonly string[],
): Promise<Freshness> {
  if (propertyId !== null)
    return readFreshness(ctx, { schema: 'analytics' }, { scopeId: propertyId, handlers });
  const houses = await rows<{ id: string }>(
    ctx.tx,
    sql`select scope_id as id from analytics.watermarks where tenant_id = ${ctx.tenantId} order by scope_id`,
  );
  const all: Freshness[] = [];
  for (const { id } of houses)
    all.push(await readFreshness(ctx, { schema: 'analytics' }, { scopeId: id, handlers }));
  const none = freshnessOf([], { handlers: [], watermark: 0, now: ctx.now });
  return all.reduce(togetherFresh, none);
}

/** As an answer shows it. */
export function freshnessJson({ asOf, ...rest }: Freshness) {
  return { ...rest, asOf: asOf === null ? null : asOf.toISOString() };
}
