import { and, eq, inArray, isNotNull, lt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { found, type Template } from '../model.ts';
import { letters } from '../tables.ts';

/** A row of the letters. */
export type Letter = typeof letters.$inferSelect;
export type NewLetter = typeof letters.$inferInsert;
type Tx = Ctx['tx'];

/** Keeps a fact to be written about; false when this very fact is known, however it came again. */
export async function insertLetter(tx: Tx, letter: NewLetter): Promise<boolean> {
  const { rowCount } = await tx.insert(letters).values(letter).onConflictDoNothing();
  return rowCount === 1;
}

/** The letter, locked until the transaction ends. Sent at once (`then`): what is sent after it runs under the lock. */
export function lockLetter(tx: Tx, id: string): Promise<Letter> {
  const locked = tx.select().from(letters).where(eq(letters.id, id)).for('update');
  return locked.then(([row]) => found(row, 'Letter'));
}

export async function findLetter(tx: Tx, id: string): Promise<Letter> {
  const [row] = await tx.select().from(letters).where(eq(letters.id, id));
  return found(row, 'Letter');
}

export function updateLetter({ tx, write }: Ctx, id: string, change: Partial<NewLetter>): void {
  write(tx.update(letters).set(change).where(eq(letters.id, id)));
}

/** Letters about dates that hold no more, as long as nobody has written them; returns how many. */
export async function dropOlder(
  tx: Tx,
  of: { reservationId: string; templates: readonly Template[]; before: number },
): Promise<number> {
  const { rowCount } = await tx
    .update(letters)
    .set({ state: 'dropped', problem: 'superseded', nextTryAt: null })
    .where(
      and(
        eq(letters.reservationId, of.reservationId),
        inArray(letters.template, [...of.templates]),
        eq(letters.state, 'waiting'),
        isNotNull(letters.reservationVersion),
        lt(letters.reservationVersion, of.before),
      ),
    );
  return rowCount ?? 0;
}
