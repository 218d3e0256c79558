import { and, asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { LatePostingKind, LatePostingReason } from '../model/late-posting.ts';
import { latePostings } from '../tables.ts';

type Tx = Ctx['tx'];
export type LatePosting = typeof latePostings.$inferSelect;

/** What could not be posted. */
export type TooLate = Pick<LatePosting, 'net' | 'tax' | 'currency'> & {
  readonly kind: LatePostingKind;
  readonly reason: LatePostingReason;
  /** The thing as a uuid. */
  readonly reference: string;
  readonly propertyId: Id<'pro'>;
  readonly reservationId: Id<'rsv'>;
  readonly folioId: Id<'fol'> | null;
  readonly text?: string;
};

/** Puts it into the desk's queue, once. */
export function queue({ tx, tenantId, now, write }: Ctx, late: TooLate): void {
  const { propertyId, reservationId, folioId } = late;
  const values = {
    ...late,
    tenantId,
    id: uuid7(),
    propertyId: idToUuid(propertyId),
    reservationId: idToUuid(reservationId),
    folioId: folioId === null ? null : idToUuid(folioId),
    arrivedAt: now,
  };
  write(tx.insert(latePostings).values(values).onConflictDoNothing());
}

/** What waits for somebody, oldest first. */
export function listWaiting(tx: Tx, propertyId: Id<'pro'>): Promise<LatePosting[]> {
  return tx
    .select()
    .from(latePostings)
    .where(and(eq(latePostings.propertyId, idToUuid(propertyId)), eq(latePostings.status, 'waiting')))
    .orderBy(asc(latePostings.id))
    .limit(500);
}

/** One of them, in the hands of this transaction alone. */
export async function lockLate(tx: Tx, id: string): Promise<LatePosting> {
  const [row] = await tx.select().from(latePostings).where(eq(latePostings.id, id)).for('update');
  if (row === undefined) throw coreErrors.NOT_FOUND({ entity: 'LatePosting' });
  return row;
}

type Resolution = Pick<LatePosting, 'note'> & { status: Exclude<LatePosting['status'], 'waiting'> };

/** Somebody has dealt with it. */
export async function resolve(
  ctx: Ctx,
  { id }: LatePosting,
  { status, note }: Resolution,
): Promise<LatePosting> {
  const resolved = { status, note, resolvedBy: ctx.actor.id, resolvedAt: ctx.now };
  const [row] = await ctx.tx.update(latePostings).set(resolved).where(eq(latePostings.id, id)).returning();
  return row as LatePosting;
}

/** Its owner has withdrawn it; false when it does not wait any more. */
export async function takeBack(
  ctx: Ctx,
  of: { kind: LatePostingKind; reference: string; note: string },
): Promise<boolean> {
  const gone = {
    status: 'taken_back',
    note: of.note,
    resolvedBy: ctx.actor.id,
    resolvedAt: ctx.now,
  } as const;
  const done = await ctx.tx
    .update(latePostings)
    .set(gone)
    .where(
      and(
        eq(latePostings.kind, of.kind),
        eq(latePostings.reference, of.reference),
        eq(latePostings.status, 'waiting'),
      ),
    );
  return (done.rowCount ?? 0) > 0;
}
