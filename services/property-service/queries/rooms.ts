import { and, asc, count, eq, gt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { RoomArchiving, RoomView } from '../contract/resources.ts';
import { rooms } from '../tables.ts';

type Tx = Ctx['tx'];

/** A room; one of another tenant is not found. */
export async function readRoom(tx: Tx, id: Id<'rom'>): Promise<RoomView> {
  const [found] = await tx
    .select()
    .from(rooms)
    .where(eq(rooms.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  return fromRow(found);
}

/** Rooms of a property after an id, oldest first. */
export async function listRooms(
  tx: Tx,
  page: {
    propertyId: Id<'pro'>;
    status?: RoomView['status'] | undefined;
    after?: Id<'rom'> | undefined;
    limit: number;
  },
): Promise<RoomView[]> {
  const found = await tx
    .select()
    .from(rooms)
    .where(
      and(
        eq(rooms.propertyId, idToUuid(page.propertyId)),
        page.status && eq(rooms.status, page.status),
        page.after && gt(rooms.id, idToUuid(page.after)),
      ),
    )
    .orderBy(asc(rooms.id))
    .limit(page.limit);
  return found.map(fromRow);
}

/** How many rooms are in use, in all houses of the tenant. */
export async function countRooms(tx: Tx): Promise<number> {
  const [found] = await tx.select({ rooms: count() }).from(rooms).where(eq(rooms.status, 'active'));
  return found?.rooms ?? 0;
}

/** Adds a room; false when another room of the property has this number. */
export async function insertRoom(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  room: Omit<RoomView, 'status' | 'closedFrom' | 'archiveReason' | 'version'>,
): Promise<boolean> {
  const { id, propertyId, roomTypeId, ...rest } = room;
  const { rowCount } = await ctx.tx
    .insert(rooms)
    .values({
      ...rest,
      tenantId: ctx.tenantId,
      id: idToUuid(id),
      propertyId: idToUuid(propertyId),
      roomTypeId: idToUuid(roomTypeId),
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** Ends a room if nobody changed it since this version; returns how many rows that touched. */
export async function archiveRow(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  id: Id<'rom'>,
  { version, closedFrom, reason }: RoomArchiving,
): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(rooms)
    .set({ status: 'archived', closedFrom, archiveReason: reason, version: version + 1, updatedAt: ctx.now })
    .where(and(eq(rooms.id, idToUuid(id)), eq(rooms.version, version)));
  return rowCount ?? 0;
}

function fromRow(row: typeof rooms.$inferSelect): RoomView {
  const { tenantId: _, id, propertyId, roomTypeId, createdAt: __, updatedAt: ___, ...rest } = row;
  return {
    ...rest,
    id: idFromUuid('rom', id),
    propertyId: idFromUuid('pro', propertyId),
    roomTypeId: idFromUuid('rty', roomTypeId),
  };
}
