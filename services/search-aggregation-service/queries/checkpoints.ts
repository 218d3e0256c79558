import { and, asc, eq, gt, ne, or, sql } from '@ghasi/db/drizzle';
import { row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Checkpoint, Handler } from '../model.ts';
import { checkpoints } from '../tables.ts';

type Tx = Ctx['tx'];
type Writing = Pick<Ctx, 'tx' | 'tenantId' | 'now'>;

/** A part that is to be computed, and what was heard until now. */
export type Due = { handler: Handler; watermark: number };

/** Notes that something was heard that these parts do not show yet. True: nobody has been told to compute them. */
export async function mark(
  { tx, tenantId, now }: Writing,
  propertyId: Id<'pro'>,
  parts: readonly Handler[],
): Promise<boolean> {
  const found = await row<{ waiting: number }>(
    tx,
    sql`with wanted as (
          select ${tenantId}::uuid as tenant_id, ${idToUuid(propertyId)}::uuid as property_id, h.handler
          from unnest(${sql.param([...parts].sort())}::text[]) h (handler)
        ), before as (
          select c.status
          from search_aggregation.checkpoints c
          join wanted w using (tenant_id, property_id, handler)
          order by c.handler
          for update of c
        ), marked as (
          insert into search_aggregation.checkpoints as c (tenant_id, property_id, handler, watermark, status, marked_at)
          select w.tenant_id, w.property_id, w.handler, 1, 'PENDING', ${now}
          from wanted w
          order by w.handler
          on conflict (tenant_id, property_id, handler) do update
          set watermark = c.watermark + 1,
              status = 'PENDING',
              marked_at = excluded.marked_at
        )
        select count(*)::int as waiting from before where status = 'PENDING'`,
  );
  return found?.waiting !== parts.length;
}

/** Begins a computation: which parts are behind or failed, and what was heard until now (PROJ-08, PROJ-09). */
export async function begin({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<Due[]> {
  return tx
    .update(checkpoints)
    .set({ startedWatermark: sql`${checkpoints.watermark}` })
    .where(
      and(
        eq(checkpoints.propertyId, idToUuid(propertyId)),
        or(ne(checkpoints.status, 'COMPLETED'), gt(checkpoints.watermark, checkpoints.sourceWatermark)),
      ),
    )
    .returning({ handler: checkpoints.handler, watermark: checkpoints.watermark });
}

/**
 * Locks a part before its result is saved. `superseded`: a newer result is there, this one is thrown away (PROJ-10).
 * `overtaken`: more was heard since this one began.
 */
export async function lockPart(
  tx: Tx,
  propertyId: Id<'pro'>,
  { handler, watermark }: Due,
): Promise<{ superseded: boolean; overtaken: boolean }> {
  const [found] = await tx
    .select({ heard: checkpoints.watermark, source: checkpoints.sourceWatermark })
    .from(checkpoints)
    .where(and(eq(checkpoints.propertyId, idToUuid(propertyId)), eq(checkpoints.handler, handler)))
    .for('update');
  if (found === undefined) return { superseded: true, overtaken: true };
  return { superseded: found.source >= watermark, overtaken: found.heard > watermark };
}

/** A part was computed from everything that was heard up to its watermark; call it with the result in one transaction. */
export async function complete({ tx, now }: Writing, propertyId: Id<'pro'>, due: Due): Promise<void> {
  await tx
    .update(checkpoints)
    .set({
      sourceWatermark: due.watermark,
      status: sql`case when ${checkpoints.watermark} = ${due.watermark} then 'COMPLETED' else 'PENDING' end`,
      error: null,
      computedAt: now,
    })
    .where(and(eq(checkpoints.propertyId, idToUuid(propertyId)), eq(checkpoints.handler, due.handler)));
}

/** A part could not be computed; the others go on (PROJ-07). */
export async function fail(tx: Tx, propertyId: Id<'pro'>, handler: Handler, reason: string): Promise<void> {
  await tx
    .update(checkpoints)
    .set({ status: 'FAILED', error: reason.slice(0, 500) })
    .where(and(eq(checkpoints.propertyId, idToUuid(propertyId)), eq(checkpoints.handler, handler)));
}

/** True while a part of the house waits to be computed. */
export async function isBehind(tx: Tx, propertyId: Id<'pro'>): Promise<boolean> {
  const found = await tx
    .select({ handler: checkpoints.handler })
    .from(checkpoints)
    .where(and(eq(checkpoints.propertyId, idToUuid(propertyId)), eq(checkpoints.status, 'PENDING')))
    .limit(1);
  return found.length > 0;
}

/** Houses that have waited since before a moment. */
export async function behindSince(tx: Tx, before: Date): Promise<string[]> {
  const found = await rows<{ id: string }>(
    tx,
    sql`select distinct property_id as id
        from search_aggregation.checkpoints
        where status <> 'COMPLETED' and marked_at < ${before}`,
  );
  return found.map(({ id }) => id);
}

/** How far each part of a house is. */
export async function checkpointsOf(
  tx: Tx,
  propertyId: Id<'pro'>,
): Promise<(Checkpoint & { handler: Handler; error: string | null })[]> {
  const found = await tx
    .select()
    .from(checkpoints)
    .where(eq(checkpoints.propertyId, idToUuid(propertyId)))
    .orderBy(asc(checkpoints.handler));
  return found.map(({ tenantId: _, propertyId: __, markedAt: ___, computedAt, ...part }) => ({
    ...part,
    computedAt: computedAt?.toISOString() ?? null,
  }));
}
