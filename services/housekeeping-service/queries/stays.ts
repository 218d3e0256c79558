import { and, asc, eq, inArray, type SQL } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Stay } from '../model/stay.ts';
import { stays } from '../tables.ts';

/** The booked rooms of a reservation. */
export function staysOf(ctx: Pick<Ctx, 'tx'>, reservationId: Id<'rsv'>): Promise<Stay[]> {
  return select(ctx, eq(stays.reservationId, idToUuid(reservationId)));
}

/** Who is in a room now, by the word of the desk. */
export function inHouseIn(ctx: Pick<Ctx, 'tx'>, roomId: Id<'rom'>): Promise<Stay[]> {
  return select(ctx, and(eq(stays.roomId, idToUuid(roomId)), eq(stays.status, 'in_house')) as SQL);
}

/** The next guest who is expected in a room, today or in the days after. */
export async function nextGuestIn(ctx: Pick<Ctx, 'tx'>, roomId: Id<'rom'>): Promise<Stay | undefined> {
  const isNext = and(eq(stays.roomId, idToUuid(roomId)), eq(stays.status, 'expected'));
  return (await select(ctx, isNext as SQL))[0];
}

/** Everybody who is expected or in house, first arrivals first. */
export function liveStays(ctx: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<Stay[]> {
  const isLive = inArray(stays.status, ['expected', 'in_house']);
  return select(ctx, and(eq(stays.propertyId, idToUuid(propertyId)), isLive) as SQL);
}

/** Writes a booked room down as it is now. */
export function saveStay(ctx: Ctx, stay: Stay): void {
  const { bookedRoomId, reservationId, propertyId, roomId, next, ...rest } = stay;
  const values = {
    ...rest,
    reservationId: idToUuid(reservationId),
    propertyId: idToUuid(propertyId),
    roomId: roomId === null ? null : idToUuid(roomId),
    nextRoomId: next === null ? null : idToUuid(next.roomId),
    nextFrom: next?.from ?? null,
  };
  ctx.write(
    ctx.tx
      .insert(stays)
      .values({ ...values, tenantId: ctx.tenantId, bookedRoomId: idToUuid(bookedRoomId) })
      .onConflictDoUpdate({ target: [stays.tenantId, stays.bookedRoomId], set: values }),
  );
}

async function select({ tx }: Pick<Ctx, 'tx'>, which: SQL): Promise<Stay[]> {
  const found = await tx
    .select()
    .from(stays)
    .where(which)
    .orderBy(asc(stays.arrival), asc(stays.bookedRoomId));
  return found.map(stayFrom);
}

function stayFrom(row: typeof stays.$inferSelect): Stay {
  const { tenantId: _, nextRoomId, nextFrom, ...rest } = row;
  return {
    ...rest,
    bookedRoomId: idFromUuid('brm', row.bookedRoomId),
    reservationId: idFromUuid('rsv', row.reservationId),
    propertyId: idFromUuid('pro', row.propertyId),
    roomId: row.roomId === null ? null : idFromUuid('rom', row.roomId),
    next:
      nextRoomId === null || nextFrom === null
        ? null
        : { roomId: idFromUuid('rom', nextRoomId), from: nextFrom as LocalDate },
    arrival: row.arrival as LocalDate,
    departure: row.departure as LocalDate,
    since: row.since as LocalDate | null,
  };
}
