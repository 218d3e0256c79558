import { and, eq, lt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { houses, type Localised } from '../tables.ts';

type Tx = Ctx['tx'];
export type House = typeof houses.$inferSelect;

/** A house as its event tells it. */
export type NewHouse = Pick<House, 'zone' | 'currency' | 'businessDate'> & {
  readonly propertyId: Id<'pro'>;
  readonly name: Localised;
  readonly city: Localised;
};

/** Writes a house down; false when it was known. */
export async function rememberHouse(
  { tx, tenantId }: Ctx,
  house: NewHouse,
  version: number,
): Promise<boolean> {
  const { propertyId, name, city, zone, currency, businessDate } = house;
  const values = { name, city, zone, currency, businessDate, version };
  const made = await tx
    .insert(houses)
    .values({ ...values, tenantId, propertyId: idToUuid(propertyId) })
    .onConflictDoNothing();
  return (made.rowCount ?? 0) > 0;
}

/** The hotel day of a house moves on, never back; false when it is there already. */
export async function moveDay(
  { tx }: Pick<Ctx, 'tx'>,
  { propertyId, businessDate }: { propertyId: Id<'pro'>; businessDate: string },
): Promise<boolean> {
  const moved = await tx
    .update(houses)
    .set({ businessDate })
    .where(and(eq(houses.propertyId, idToUuid(propertyId)), lt(houses.businessDate, businessDate)));
  return (moved.rowCount ?? 0) > 0;
}

/** The house, with its hotel day held: no day is closed while something is posted to it (R1). */
export async function holdHouse(tx: Tx, propertyId: Id<'pro'>): Promise<House | undefined> {
  const [row] = await tx
    .select()
    .from(houses)
    .where(eq(houses.propertyId, idToUuid(propertyId)))
    .for('share');
  return row;
}

/** The house as it is now. */
export async function findHouse(tx: Tx, propertyId: Id<'pro'>): Promise<House | undefined> {
  const [row] = await tx
    .select()
    .from(houses)
    .where(eq(houses.propertyId, idToUuid(propertyId)));
  return row;
}
