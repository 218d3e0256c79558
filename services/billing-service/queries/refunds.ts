import { and, asc, eq, isNull } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Promised } from '../model/book.ts';
import { promisedRefunds } from '../tables.ts';

type Tx = Ctx['tx'];
type Row = typeof promisedRefunds.$inferSelect;

/** Writes refunds down that the guest does not have yet. */
export function insertPromised(
  { tx, tenantId, write }: Ctx,
  folioId: Id<'fol'>,
  promised: readonly Promised[],
): void {
  if (promised.length === 0) return;
  const rows = promised.map(({ refundId, paymentId, amount }) => ({
    ...{ tenantId, id: idToUuid(refundId), folioId: idToUuid(folioId), paymentId: idToUuid(paymentId) },
    amount,
  }));
  write(tx.insert(promisedRefunds).values(rows));
}

/** A refund that arrived. */
export type Arrived = {
  readonly refundId: Id<'rfd'>;
  readonly paymentId: Id<'pay'>;
  readonly amount: bigint;
  readonly reason: string;
};

/**
 * The promise a refund keeps: the one of its own id, or after a failed try, which begins anew under another id, an
 * open one of the same payment and amount.
 */
export async function findPromise(tx: Tx, arrived: Arrived): Promise<Row | undefined> {
  const open = await tx
    .select()
    .from(promisedRefunds)
    .where(and(eq(promisedRefunds.paymentId, idToUuid(arrived.paymentId)), isNull(promisedRefunds.settledBy)))
    .orderBy(asc(promisedRefunds.id));
  const own = open.find(({ id }) => id === idToUuid(arrived.refundId));
  if (own !== undefined || arrived.reason !== 'date_change') return own;
  return open.find(({ amount }) => amount === arrived.amount);
}

/** The promise is kept. */
export function settlePromise({ tx, write }: Ctx, { id }: Row, by: Id<'rfd'>): void {
  write(
    tx
      .update(promisedRefunds)
      .set({ settledBy: idToUuid(by) })
      .where(eq(promisedRefunds.id, id)),
  );
}
