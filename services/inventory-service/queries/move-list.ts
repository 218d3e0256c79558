import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { moveReasons } from '../contract/resources.ts';
import { horizon } from '../model.ts';
import { type Place, placeOf } from './places.ts';

/** A booked room that must be moved, or a block that finds no room, and why. */
export type Move = Place & {
  readonly reason: (typeof moveReasons)[number];
  readonly number: string | null;
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly bookedRoomId: Id<'brm'> | null;
  readonly reservationId: Id<'rsv'> | null;
  readonly blockId: Id<'rbl'> | null;
};

type MoveRow = Omit<Move, 'roomId' | 'roomTypeId' | 'bookedRoomId' | 'reservationId' | 'blockId'> & {
  roomId: string | null;
  roomTypeId: string | null;
  bookedRoomId: string | null;
  reservationId: string | null;
  blockId: string | null;
};

/**
 * R11: stays in a room that was closed under them or that a repair ticket or a portal's guest waits for, bookings that name
 * a room somebody else has, and blocks that wait though nobody is in their room: the others are sold, or it is out already.
 * Nobody is moved silently; the desk works through this list.
 */
export async function moveList({ tx, tenantId, now }: Ctx, propertyId: Id<'pro'>): Promise<Move[]> {
  const today = addDays(horizon(now).today, -1); // somewhere it may still be that day
  const found = await rows<MoveRow>(
    tx,
    sql`with stays as (
          select u.room_id, u.from_date, u.until_date, u.booked_room_id, a.reservation_id
          from inventory.room_uses u
          join inventory.allocation_rooms l on l.tenant_id = u.tenant_id and l.booked_room_id = u.booked_room_id
          join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id
          where u.tenant_id = ${tenantId}
            and a.property_id = ${idToUuid(propertyId)}
        ), waiting as (
          select b.id, b.kind, b.room_id, b.room_type_id, greatest(b.from_date, ${today}::date) as from_date, b.until_date
          from inventory.blocks b
          where b.tenant_id = ${tenantId}
            and b.property_id = ${idToUuid(propertyId)}
            and b.status = 'waiting'
            and b.until_date > ${today}::date
        ), moves as (
          select 'room_closed' as reason, s.room_id, null::uuid as room_type_id, greatest(s.from_date, r.closed_from) as from_date,
                 s.until_date, s.booked_room_id, s.reservation_id, null::uuid as block_id
          from stays s
          join inventory.rooms r on r.tenant_id = ${tenantId} and r.id = s.room_id
          where r.closed_from < s.until_date
          union all
          select case b.kind when 'imported' then 'room_wanted_by_feed' else 'room_wanted_by_ticket' end, s.room_id, null,
                 greatest(s.from_date, b.from_date), least(s.until_date, b.until_date), s.booked_room_id, s.reservation_id, b.id
          from stays s
          join waiting b on b.room_id = s.room_id
          where b.from_date < s.until_date and s.from_date < b.until_date
          union all
          select 'nothing_free', b.room_id, b.room_type_id, b.from_date, b.until_date, null, null, b.id
          from waiting b
          where not exists (select from stays s
                            where s.room_id = b.room_id and b.from_date < s.until_date and s.from_date < b.until_date)
          union all
          select 'room_taken', l.wanted_room_id, null, l.arrival, l.departure, l.booked_room_id, a.reservation_id, null
          from inventory.allocation_rooms l
          join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id
          where l.tenant_id = ${tenantId}
            and a.property_id = ${idToUuid(propertyId)}
            and l.wanted_room_id is not null
        )
        select m.reason, m.room_id as "roomId", m.room_type_id as "roomTypeId", r.number, m.from_date as "from",
               m.until_date as "until", m.booked_room_id as "bookedRoomId", m.reservation_id as "reservationId",
               m.block_id as "blockId"
        from moves m
        left join inventory.rooms r on r.tenant_id = ${tenantId} and r.id = m.room_id
        order by m.from_date, m.booked_room_id, m.block_id
        limit 500`,
  );
  return found.map(one => ({
    ...one,
    ...placeOf(one),
    bookedRoomId: one.bookedRoomId === null ? null : idFromUuid('brm', one.bookedRoomId),
    reservationId: one.reservationId === null ? null : idFromUuid('rsv', one.reservationId),
    blockId: one.blockId === null ? null : idFromUuid('rbl', one.blockId),
  }));
}
