import { and, asc, eq } from '@ghasi/db/drizzle';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { locks } from '../tables.ts';

/** What hangs on a door. */
export type Lock = typeof locks.$inferSelect;
export type NewLock = typeof locks.$inferInsert;
type Tx = Ctx['tx'];

export async function insertLock(tx: Tx, lock: NewLock): Promise<Lock> {
  const [row] = await tx.insert(locks).values(lock).returning();
  return row as Lock;
}

/** The lock on the door of a room now. */
export async function lockOfRoom(tx: Tx, roomId: string): Promise<Lock | undefined> {
  const [row] = await tx
    .select()
    .from(locks)
    .where(and(eq(locks.roomId, roomId), eq(locks.status, 'paired')));
  return row;
}

/** A lock by its uuid, whatever became of it. */
export async function findLock(tx: Tx, lockId: string): Promise<Lock | undefined> {
  const [row] = await tx.select().from(locks).where(eq(locks.id, lockId));
  return row;
}

/** The lock, or 404. */
export async function readLock(tx: Tx, lockId: Id<'lck'>): Promise<Lock> {
  const lock = await findLock(tx, idToUuid(lockId));
  if (lock === undefined) throw coreErrors.NOT_FOUND({ entity: 'Lock' });
  return lock;
}

/** A lock that hangs on a door, by what its vendor calls it. */
export async function lockOfReference(
  tx: Tx,
  { vendor, vendorReference }: Pick<Lock, 'vendor' | 'vendorReference'>,
): Promise<Lock | undefined> {
  const [row] = await tx
    .select()
    .from(locks)
    .where(
      and(eq(locks.vendor, vendor), eq(locks.vendorReference, vendorReference), eq(locks.status, 'paired')),
    );
  return row;
}

/** The locks of a house, oldest first. */
export function listLocks(tx: Tx, propertyId: Id<'pro'>): Promise<Lock[]> {
  return tx
    .select()
    .from(locks)
    .where(and(eq(locks.propertyId, idToUuid(propertyId)), eq(locks.status, 'paired')))
    .orderBy(asc(locks.id))
    .limit(2_000);
}

/** Changes a lock, one version up. */
export async function updateLock(tx: Tx, lock: Lock, change: Partial<NewLock>): Promise<Lock> {
  const [row] = await tx
    .update(locks)
    .set({ ...change, version: lock.version + 1 })
    .where(and(eq(locks.id, lock.id), eq(locks.version, lock.version)))
    .returning();
  assertUpdated(row === undefined ? 0 : 1, 'lock');
  return row as Lock;
}
