import { and, asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { drawerCounts, drawers, shifts } from '../tables.ts';

export type Drawer = typeof drawers.$inferSelect;
export type Shift = typeof shifts.$inferSelect;
export type DrawerCount = typeof drawerCounts.$inferSelect;
type Tx = Ctx['tx'];

/** Remembers a shift; a shift that was closed stays so. */
export async function saveShift(tx: Tx, shift: typeof shifts.$inferInsert): Promise<void> {
  const closes = shift.closed === true ? { closed: true } : { operatorId: shift.operatorId };
  await tx
    .insert(shifts)
    .values(shift)
    .onConflictDoUpdate({ target: [shifts.tenantId, shifts.shiftId], set: closes });
}

export async function findShift(tx: Tx, shiftId: Id<'shf'>): Promise<Shift | undefined> {
  const [row] = await tx
    .select()
    .from(shifts)
    .where(eq(shifts.shiftId, idToUuid(shiftId)));
  return row;
}

/** Opens a drawer; false when the shift has one. */
export async function insertDrawer(tx: Tx, drawer: typeof drawers.$inferInsert): Promise<boolean> {
  const { rowCount } = await tx.insert(drawers).values(drawer).onConflictDoNothing();
  return rowCount === 1;
}

export async function findDrawer(tx: Tx, shiftId: Id<'shf'>): Promise<Drawer | undefined> {
  const [row] = await tx
    .select()
    .from(drawers)
    .where(eq(drawers.shiftId, idToUuid(shiftId)));
  return row;
}

/** The drawer, locked: nobody puts money in while it is counted. Taken after the payment's lock, never before. */
export async function lockDrawer(tx: Tx, shiftId: Id<'shf'>): Promise<Drawer | undefined> {
  const [row] = await tx
    .select()
    .from(drawers)
    .where(eq(drawers.shiftId, idToUuid(shiftId)))
    .for('update');
  return row;
}

/** Changes a drawer that is locked. */
export async function updateDrawer(
  tx: Tx,
  drawer: Drawer,
  change: Partial<typeof drawers.$inferInsert>,
): Promise<Drawer> {
  const [row] = await tx
    .update(drawers)
    .set({ ...change, version: drawer.version + 1 })
    .where(eq(drawers.shiftId, drawer.shiftId))
    .returning();
  return row as Drawer;
}

export async function insertCounts(tx: Tx, counts: (typeof drawerCounts.$inferInsert)[]): Promise<void> {
  if (counts.length > 0) await tx.insert(drawerCounts).values(counts);
}

/** Says why a count differed. */
export async function setCountReason(
  tx: Tx,
  { shiftId, currency }: DrawerCount,
  reason: string,
): Promise<void> {
  await tx
    .update(drawerCounts)
    .set({ reason })
    .where(and(eq(drawerCounts.shiftId, shiftId), eq(drawerCounts.currency, currency)));
}

export function listCounts(tx: Tx, shiftId: string): Promise<DrawerCount[]> {
  return tx
    .select()
    .from(drawerCounts)
    .where(eq(drawerCounts.shiftId, shiftId))
    .orderBy(asc(drawerCounts.currency));
}
