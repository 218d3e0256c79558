import { and, asc, eq } from '@ghasi/db/drizzle';
import { conflict, touch } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { found } from '../model.ts';
import { refunds } from '../tables.ts';

/** A row of the refunds. */
export type Refund = typeof refunds.$inferSelect;
type Tx = Ctx['tx'];

/** Writes a refund down; undefined when this cause has one already. */
export async function insertRefund(tx: Tx, refund: typeof refunds.$inferInsert): Promise<Refund | undefined> {
  const [row] = await tx.insert(refunds).values(refund).onConflictDoNothing().returning();
  return row;
}

export async function findRefund(tx: Tx, refundId: Id<'rfd'>): Promise<Refund | undefined> {
  const [row] = await tx
    .select()
    .from(refunds)
    .where(eq(refunds.id, idToUuid(refundId)));
  return row;
}

/** The refund, locked. Lock its payment first: that is the order of all who take both. */
export async function lockRefund(tx: Tx, refundId: Id<'rfd'>): Promise<Refund> {
  const [row] = await tx
    .select()
    .from(refunds)
    .where(eq(refunds.id, idToUuid(refundId)))
    .for('update');
  return found(row, 'Refund');
}

/** The refunds of a payment, oldest first. */
export function listRefunds(tx: Tx, paymentId: string): Promise<Refund[]> {
  return tx.select().from(refunds).where(eq(refunds.paymentId, paymentId)).orderBy(asc(refunds.id));
}

/** Changes a refund that is locked, one version up; returns it as it is then. */
export function updateRefund({ tx, now, write }: Ctx, refund: Refund, change: Partial<Refund>): Refund {
  const changed = { ...change, version: refund.version + 1, updatedAt: now };
  const update = tx
    .update(refunds)
    .set(changed)
    .where(and(eq(refunds.id, refund.id), eq(refunds.version, refund.version)));
  write(touch(tx, update, conflict('refund')));
  return { ...refund, ...changed };
}
