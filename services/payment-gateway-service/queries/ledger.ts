import { asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { journalEntries } from '../model.ts';
import { journal, ledger } from '../tables.ts';

/** A line of the ledger. */
export type Line = typeof ledger.$inferSelect;
type Tx = Ctx['tx'];

/** What a line says; who, when and for whom come from the transaction. */
export type Posting = Omit<typeof ledger.$inferInsert, 'tenantId' | 'id' | 'occurredAt' | 'recordedBy'>;

/**
 * Posts a line; false when this capture, refund or provider reference has one already: whoever came first, webhook,
 * browser or inquiry, has booked it (R24).
 */
export async function post(ctx: Ctx, posting: Posting): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .insert(ledger)
    .values({
      ...posting,
      tenantId: ctx.tenantId,
      id: uuid7(ctx.now.getTime()),
      occurredAt: ctx.now,
      recordedBy: `${ctx.actor.type}:${ctx.actor.id}`,
    })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** The lines that touched a shift's drawer. */
export function linesOfShift(tx: Tx, shiftId: string): Promise<Line[]> {
  return tx.select().from(ledger).where(eq(ledger.shiftId, shiftId)).orderBy(asc(ledger.id));
}

/** The lines of a payment and its refunds. */
export function linesOfPayment(tx: Tx, paymentId: string): Promise<Line[]> {
  return tx.select().from(ledger).where(eq(ledger.paymentId, paymentId)).orderBy(asc(ledger.id));
}

/** Something finance should read. */
export type Note = {
  entry: (typeof journalEntries)[number];
  reservationId?: string;
  paymentId?: string;
  detail: Record<string, unknown>;
};

/** Writes a note for finance; amounts inside are decimal text of minor units. */
export function note(ctx: Ctx, { entry, reservationId, paymentId, detail }: Note): void {
  const values = {
    tenantId: ctx.tenantId,
    id: uuid7(ctx.now.getTime()),
    entry,
    reservationId: reservationId ?? null,
    paymentId: paymentId ?? null,
    detail,
    actorType: ctx.actor.type,
    actorId: ctx.actor.id,
    at: ctx.now,
  };
  ctx.write(ctx.tx.insert(journal).values(values));
}
