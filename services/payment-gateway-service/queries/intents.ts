import { and, asc, desc, eq, inArray } from '@ghasi/db/drizzle';
import { conflict, touch } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { type Money, money } from '@ghasi/domain-primitives/money';
import { found, openStatuses, type Purpose } from '../model.ts';
import { intents } from '../tables.ts';

/** A row of the intents. */
export type Intent = typeof intents.$inferSelect;
type Tx = Ctx['tx'];

/** Its id as others see it. */
export const paymentIdOf = ({ id }: Pick<Intent, 'id'>): Id<'pay'> => idFromUuid('pay', id);

/** What is asked for. */
export const amountOf = ({ amount, currency }: Pick<Intent, 'amount' | 'currency'>): Money =>
  money(amount, currency);

/** What every event about an intent begins with. */
export function headOf(intent: Intent) {
  return {
    paymentId: paymentIdOf(intent),
    reservationId: idFromUuid('rsv', intent.reservationId),
    propertyId: idFromUuid('pro', intent.propertyId),
    folioId: intent.folioId === null ? null : idFromUuid('fol', intent.folioId),
    purpose: intent.purpose,
  };
}

export function insertIntent({ tx, write }: Ctx, intent: Intent): void {
  write(tx.insert(intents).values(intent));
}

/** The intent, locked until the transaction ends: whoever wants to change it comes after us. */
export async function lockIntent(tx: Tx, paymentId: Id<'pay'>): Promise<Intent> {
  const [row] = await tx
    .select()
    .from(intents)
    .where(eq(intents.id, idToUuid(paymentId)))
    .for('update');
  return found(row, 'Payment');
}

/** The intents of a reservation, locked in the order they were made: no two transactions wait for each other. */
export function lockIntentsOf(tx: Tx, reservationId: string): Promise<Intent[]> {
  return tx
    .select()
    .from(intents)
    .where(eq(intents.reservationId, reservationId))
    .orderBy(asc(intents.id))
    .for('update');
}

export async function findIntent(tx: Tx, paymentId: Id<'pay'>): Promise<Intent | undefined> {
  const [row] = await tx
    .select()
    .from(intents)
    .where(eq(intents.id, idToUuid(paymentId)));
  return row;
}

/** The intents of a reservation, newest first. */
export function listIntents(tx: Tx, reservationId: string): Promise<Intent[]> {
  return tx
    .select()
    .from(intents)
    .where(eq(intents.reservationId, reservationId))
    .orderBy(desc(intents.id))
    .limit(200);
}

/** The open intent of a reservation and purpose (R24), locked: its provider may answer at this moment. */
export async function lockOpen(
  tx: Tx,
  of: { reservationId: string; purpose: Purpose },
): Promise<Intent | undefined> {
  const [row] = await tx
    .select()
    .from(intents)
    .where(
      and(
        eq(intents.reservationId, of.reservationId),
        eq(intents.purpose, of.purpose),
        inArray(intents.status, [...openStatuses]),
      ),
    )
    .for('update');
  return row;
}

/** The intent that was made for a fact. */
async function findByCause(tx: Tx, cause: string): Promise<Intent | undefined> {
  const [row] = await tx.select().from(intents).where(eq(intents.cause, cause));
  return row;
}

/** What was asked for already: by the same fact, and, locked, what is open for the same purpose. */
export async function lockAsked(
  tx: Tx,
  { cause, ...of }: { reservationId: string; purpose: Purpose; cause: string },
): Promise<{ same: Intent | undefined; open: Intent | undefined }> {
  const [same, open] = await Promise.all([findByCause(tx, cause), lockOpen(tx, of)]);
  return { same, open };
}

/** Changes an intent that is locked, one version up; returns it as it is then. */
export function updateIntent({ tx, now, write }: Ctx, intent: Intent, change: Partial<Intent>): Intent {
  const changed = { ...change, version: intent.version + 1, updatedAt: now };
  const update = tx
    .update(intents)
    .set(changed)
    .where(and(eq(intents.id, intent.id), eq(intents.version, intent.version)));
  write(touch(tx, update, conflict('payment')));
  return { ...intent, ...changed };
}

/** Gives the intents of a reservation their folio; no version: nothing of the payment changed. */
export function setFolio({ tx, write }: Ctx, reservationId: string, folioId: string): void {
  write(tx.update(intents).set({ folioId }).where(eq(intents.reservationId, reservationId)));
}
