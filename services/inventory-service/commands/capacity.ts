import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { errors } from '../errors.ts';
import { horizon, type Night } from '../model.ts';
import { insertNights, lockTypeNights, recount, setOverbookLimit } from '../queries/nights.ts';
import {
  closeRoom,
  findRoom,
  findRoomType,
  insertRoom,
  lockType,
  type Room,
  saveDefaultLimit,
  saveRoomType,
  typesCountedBefore,
} from '../queries/rooms.ts';

/** One more room of a type: its nights are counted, and the first room of a type makes them. */
export async function addRoom(ctx: Ctx, room: Omit<Room, 'closedFrom'>): Promise<void> {
  const { roomTypeId, propertyId, sellableFrom } = room;
  await lockType(ctx, roomTypeId);
  await insertRoom(ctx, room);
  const { from: oldest, until } = horizon(ctx.now);
  const known = await findRoomType(ctx, roomTypeId);
  const countedUntil = known !== undefined && known.countedUntil > until ? known.countedUntil : until;
  await saveRoomType(ctx, { id: roomTypeId, propertyId, countedUntil });
  const from = sellableFrom > oldest ? sellableFrom : oldest;
  if (from >= countedUntil) return;
  await insertNights(ctx, { roomTypeId, propertyId, from, until: countedUntil });
  await recountInOrder(ctx, { roomTypeId, from, until: countedUntil });
}

/**
 * A room is gone, by the word of property-service, which asked `inventory.assigned-to` before. Nights that are sold beyond
 * what is left stay sold, sell nothing more, and are on the move list (R11).
 */
export async function archiveRoom(
  ctx: Ctx,
  { roomId, closedFrom }: { roomId: Id<'rom'>; closedFrom: LocalDate },
): Promise<void> {
  const room = await findRoom(ctx, roomId);
  if (room === undefined) return;
  await lockType(ctx, room.roomTypeId);
  await closeRoom(ctx, roomId, closedFrom);
  const type = await findRoomType(ctx, room.roomTypeId);
  if (type === undefined || closedFrom >= type.countedUntil) return;
  await recountInOrder(ctx, { roomTypeId: type.id, from: closedFrom, until: type.countedUntil });
}

/** How many rooms of a type may be sold beyond those there are; without nights it also holds for nights to come. */
export async function limitOverbooking(
  ctx: Ctx,
  input: {
    roomTypeId: Id<'rty'>;
    limit: number;
    nights?: { from: LocalDate; until: LocalDate } | undefined;
  },
): Promise<Night[]> {
  const { roomTypeId, limit } = input;
  await lockType(ctx, roomTypeId);
  const type = await findRoomType(ctx, roomTypeId);
  if (type === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room type' });
  const nights = input.nights ?? { from: horizon(ctx.now).today, until: type.countedUntil };
  const locked = await lockTypeNights(ctx, { roomTypeId, ...nights });
  // A night that is sold beyond its rooms already needs its old limit as long as it is.
  const over = locked.filter(({ sold, rooms }) => sold > rooms + limit);
  if (over.length > 0) throw errors.NIGHTS_SOLD({ issues: nightIssues(over) });
  if (input.nights === undefined) await saveDefaultLimit(ctx, roomTypeId, limit);
  return setOverbookLimit(ctx, { roomTypeId, ...nights, limit });
}

/** Makes the counters of the nights that have come within the horizon since the last time; the value is how many. */
export async function extendNights(ctx: Ctx): Promise<number> {
  const { until } = horizon(ctx.now);
  let made = 0;
  for (const { id: roomTypeId, propertyId, countedUntil } of await typesCountedBefore(ctx, until)) {
    await lockType(ctx, roomTypeId);
    made += await insertNights(ctx, { roomTypeId, propertyId, from: countedUntil, until });
    await recount(ctx, { roomTypeId, from: countedUntil, until });
    await saveRoomType(ctx, { id: roomTypeId, propertyId, countedUntil: until });
  }
  return made;
}

/** Counts the rooms of nights that may be sold meanwhile: locked in their order first. */
export async function recountInOrder(
  ctx: Ctx,
  nights: { roomTypeId: Id<'rty'>; from: LocalDate; until: LocalDate },
): Promise<void> {
  await lockTypeNights(ctx, nights);
  await recount(ctx, nights);
}

/** Nights in the way, as a reply lists them. */
export function nightIssues(nights: readonly Night[]) {
  return nights.slice(0, 100).map(({ date, sold, rooms }) => ({
    path: date,
    code: 'NIGHT_SOLD',
    message: `${sold} sold, ${rooms} rooms`,
  }));
}
