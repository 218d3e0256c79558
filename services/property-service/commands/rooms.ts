import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { NewRoom, RoomArchiving, RoomView } from '../contract/resources.ts';
import { RoomAdded, RoomArchived } from '../contract.ts';
import { errors } from '../errors.ts';
import { archivingRefusal } from '../model.ts';
import { lockProperty } from '../queries/properties.ts';
import { readRoomType } from '../queries/room-type.ts';
import { archiveRow, insertRoom, readRoom } from '../queries/rooms.ts';

/** Adds a room of a published type; it can be sold from the present hotel day on unless it says otherwise. */
export async function addRoom(
  ctx: Ctx,
  input: NewRoom & { id?: Id<'rom'>; propertyId: Id<'pro'> },
): Promise<Accepted<RoomView>> {
  const { id = ctx.newId('rom'), propertyId, sellableFrom: wanted, ...door } = input;
  const { businessDate } = await lockProperty(ctx.tx, propertyId);
  const type = await readRoomType(ctx.tx, door.roomTypeId);
  if (type.propertyId !== propertyId) throw errors.ROOM_TYPE_ELSEWHERE();
  if (type.published === null) throw errors.ROOM_TYPE_NOT_PUBLISHED();

  const sellableFrom = wanted ?? businessDate;
  const added = { ...door, propertyId, sellableFrom };
  if (!(await insertRoom(ctx, { ...added, id }))) throw errors.ROOM_NUMBER_TAKEN();
  return accepted(await readRoom(ctx.tx, id), [
    RoomAdded.from({ ...added, roomId: id }, { aggregateVersion: 1 }),
  ]);
}

/** The room to end, and who has it from then on, as the others answered. */
export type ArchiveRoom = RoomArchiving & { id: Id<'rom'>; reservationIds: readonly string[] };

/** Ends a room for good, if nobody changed it since this version and no reservation has it (R11). */
export async function archiveRoom(
  ctx: Ctx,
  { id, reservationIds, ...archiving }: ArchiveRoom,
): Promise<Accepted<RoomView>> {
  const { propertyId } = await readRoom(ctx.tx, id);
  const { businessDate } = await lockProperty(ctx.tx, propertyId);
  const room = await readRoom(ctx.tx, id);
  const { version, closedFrom, reason } = archiving;
  const refusal = archivingRefusal(room, { closedFrom, businessDate, reservationIds });
  if (refusal === 'ROOM_ARCHIVED') throw errors.ROOM_ARCHIVED();
  if (refusal === 'ROOM_CLOSES_IN_THE_PAST') throw errors.ROOM_CLOSES_IN_THE_PAST({ businessDate });
  if (refusal === 'ROOM_ASSIGNED') throw assigned(reservationIds);

  assertUpdated(await archiveRow(ctx, id, archiving), 'room');
  const { roomTypeId, number } = room;
  const payload = { roomId: id, propertyId, roomTypeId, number, closedFrom, reason };
  return accepted(await readRoom(ctx.tx, id), [
    RoomArchived.from(payload, { aggregateVersion: version + 1 }),
  ]);
}

function assigned(reservationIds: readonly string[]) {
  const issues = reservationIds.slice(0, 100).map(path => ({
    path,
    code: 'assigned',
    message: `${path} has this room`,
  }));
  return errors.ROOM_ASSIGNED({ count: reservationIds.length, issues });
}
