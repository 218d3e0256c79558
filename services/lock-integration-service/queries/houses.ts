import { eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { parseZone, type Zone } from '@ghasi/domain-primitives/zone';
import { houses, rooms } from '../tables.ts';

/** A house with its rules about keys. */
export type House = typeof houses.$inferSelect;
export type Room = typeof rooms.$inferSelect;
type Tx = Ctx['tx'];

/** Remembers where a house is; its rules stay what they are. */
export async function rememberHouse(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  { propertyId, zone }: { propertyId: Id<'pro'>; zone: Zone | string },
): Promise<void> {
  await tx
    .insert(houses)
    .values({ tenantId, propertyId: idToUuid(propertyId), zone: parseZone(zone) })
    .onConflictDoUpdate({ target: [houses.tenantId, houses.propertyId], set: { zone } });
}

export async function findHouse(tx: Tx, propertyId: string): Promise<House | undefined> {
  const [row] = await tx.select().from(houses).where(eq(houses.propertyId, propertyId));
  return row;
}

/** Changes the rules of a house. */
export async function updateHouse(
  tx: Tx,
  house: House,
  rules: Pick<House, 'endRounding' | 'metalKeys'>,
): Promise<House> {
  const [row] = await tx
    .update(houses)
    .set({ ...rules, version: house.version + 1 })
    .where(eq(houses.propertyId, house.propertyId))
    .returning();
  return row as House;
}

/** Remembers a room; one that is gone stays gone. */
export async function rememberRoom(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  room: { roomId: Id<'rom'>; propertyId: Id<'pro'>; number: string; archived?: boolean },
): Promise<void> {
  const { number, archived = false } = room;
  const roomId = idToUuid(room.roomId);
  await tx
    .insert(rooms)
    .values({ tenantId, roomId, propertyId: idToUuid(room.propertyId), number, archived })
    .onConflictDoUpdate({
      target: [rooms.tenantId, rooms.roomId],
      set: archived ? { number, archived } : { number },
    });
}

export async function findRoom(tx: Tx, roomId: Id<'rom'>): Promise<Room | undefined> {
  const [row] = await tx
    .select()
    .from(rooms)
    .where(eq(rooms.roomId, idToUuid(roomId)));
  return row;
}

/** What is on the doors of a house. */
export async function roomNumbers(tx: Tx, propertyId: Id<'pro'>): Promise<Map<string, string>> {
  const found = await tx
    .select({ roomId: rooms.roomId, number: rooms.number })
    .from(rooms)
    .where(eq(rooms.propertyId, idToUuid(propertyId)));
  return new Map(found.map(({ roomId, number }) => [roomId, number]));
}
