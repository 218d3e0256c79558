import { and, asc, desc, eq, gt, isNotNull, ne, type SQL } from '@ghasi/db/drizzle';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { KeyLife } from '../model/key.ts';
import type { RoomKey } from '../model/room-keys.ts';
import type { Window } from '../model/windows.ts';
import { keys } from '../tables.ts';

/** A row of the keys. */
export type Key = typeof keys.$inferSelect;
export type NewKey = typeof keys.$inferInsert;
type Tx = Ctx['tx'];

/** Its id as others see it. */
export const credentialIdOf = ({ id }: Pick<Key, 'id'>): Id<'key'> => idFromUuid('key', id);

export async function insertKey(tx: Tx, key: NewKey): Promise<Key> {
  const [row] = await tx.insert(keys).values(key).returning();
  return row as Key;
}

export async function findKey(tx: Tx, credentialId: Id<'key'>): Promise<Key | undefined> {
  const [row] = await tx
    .select()
    .from(keys)
    .where(eq(keys.id, idToUuid(credentialId)));
  return row;
}

/** The key, or 404. */
export async function readKey(tx: Tx, credentialId: Id<'key'>): Promise<Key> {
  const key = await findKey(tx, credentialId);
  if (key === undefined) throw coreErrors.NOT_FOUND({ entity: 'Key' });
  return key;
}

/** The keys of a booked room that should not be gone, oldest first. */
export function keysOfRoom(tx: Tx, bookedRoomId: string): Promise<Key[]> {
  return tx
    .select()
    .from(keys)
    .where(and(eq(keys.bookedRoomId, bookedRoomId), ne(keys.wish, 'gone')))
    .orderBy(asc(keys.id));
}

/** Keys that are not finished: they live, or something is still to do about their end. */
export function unfinishedOf(tx: Tx, reservationId: string): Promise<Key[]> {
  return tx
    .select()
    .from(keys)
    .where(and(eq(keys.reservationId, reservationId), ne(keys.atVendor, 'gone')))
    .orderBy(asc(keys.id));
}

/** Windows of the codes of a lock that end after a moment, whatever became of them. */
export function windowsOf(tx: Tx, lockId: string, since: Date): Promise<Window[]> {
  return tx
    .select({ from: keys.windowFrom, until: keys.windowUntil })
    .from(keys)
    .where(and(eq(keys.lockId, lockId), gt(keys.windowUntil, since)));
}

type Wanted = { reservationId?: Id<'rsv'> | undefined; roomId?: Id<'rom'> | undefined };

/** Keys of a booking or a room, newest first. */
export function listKeys(tx: Tx, { reservationId, roomId }: Wanted): Promise<Key[]> {
  const of: SQL[] = [];
  if (reservationId !== undefined) of.push(eq(keys.reservationId, idToUuid(reservationId)));
  if (roomId !== undefined) of.push(eq(keys.roomId, idToUuid(roomId)));
  return tx
    .select()
    .from(keys)
    .where(and(...of))
    .orderBy(desc(keys.id))
    .limit(200);
}

/** What waits for the front desk of a house, oldest first. */
export function listQueue(tx: Tx, propertyId: Id<'pro'>): Promise<Key[]> {
  return tx
    .select()
    .from(keys)
    .where(and(eq(keys.propertyId, idToUuid(propertyId)), isNotNull(keys.queuedAt)))
    .orderBy(asc(keys.queuedAt))
    .limit(500);
}

/** Guests' keys of a lock. */
export function liveKeysOf(tx: Tx, lockId: string): Promise<Key[]> {
  return tx
    .select()
    .from(keys)
    .where(and(eq(keys.lockId, lockId), ne(keys.wish, 'gone')))
    .limit(200);
}

/** Changes a key, one version up. Whoever changes keys holds the lock of their booking. */
export async function updateKey(
  { tx, now }: Pick<Ctx, 'tx' | 'now'>,
  key: Key,
  change: Partial<NewKey>,
): Promise<Key> {
  const [row] = await tx
    .update(keys)
    .set({ ...change, version: key.version + 1, updatedAt: now })
    .where(and(eq(keys.id, key.id), eq(keys.version, key.version)))
    .returning();
  assertUpdated(row === undefined ? 0 : 1, 'key');
  return row as Key;
}

function windowOf(from: Date | null, until: Date | null): Window | null {
  return from === null || until === null ? null : { from, until };
}

/** A key as the rules of its life see it. `hasCode`: its vendor's keys open by something secret. */
export function lifeOf(key: Key, { hasCode }: { hasCode: boolean }): KeyLife {
  return {
    status: key.status,
    wish: key.wish,
    atVendor: key.atVendor,
    window: { from: key.windowFrom, until: key.windowUntil },
    held: windowOf(key.heldFrom, key.heldUntil),
    told: windowOf(key.toldFrom, key.toldUntil),
    isUsable: key.atVendor === 'by_hand' || !hasCode || key.sealedCode !== null,
    announce: key.announce,
  };
}

/** A key as the rules of its room see it. */
export function roomKeyOf(key: Key): RoomKey {
  const { id, roomId, lockId, status, wish, atVendor, announce, givenAt } = key;
  return {
    ...{ id, roomId, lockId, status, wish, atVendor, announce, givenAt },
    window: { from: key.windowFrom, until: key.windowUntil },
    stay: { from: key.stayFrom, until: key.stayUntil },
  };
}
