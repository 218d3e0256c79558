import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { sql } from 'drizzle-orm';
import type { moveReasons } from '../contract/resources.ts';

/** A booked room that must be moved, and why. */
export type Move = {
  readonly reason: (typeof moveReasons)[number];
  readonly roomId: Id<'rom'>;
  readonly number: string | null;
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly bookedRoomId: Id<'brm'>;
  readonly reservationId: Id<'rsv'>;
};

type MoveRow = Omit<Move, 'roomId' | 'bookedRoomId' | 'reservationId'> & {
  roomId: string;
  bookedRoomId: string;
  reservationId: string;
};

/**
 * R11: stays in a room that was closed under them or that a repair ticket waits for, and bookings that name a room somebody
 * else has. Nobody is moved silently; the desk works through this list.
 */
export async function moveList({ tx, tenantId }: Ctx, propertyId: Id<'pro'>): Promise<Move[]> {
  const found = await rows<MoveRow>(
    tx,
    sql`with stays as (
          select u.room_id, u.from_date, u.until_date, u.booked_room_id, a.reservation_id
          from inventory.room_uses u
          join inventory.allocation_rooms l on l.tenant_id = u.tenant_id and l.booked_room_id = u.booked_room_id
          join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id
          where u.tenant_id = ${tenantId}
            and a.property_id = ${idToUuid(propertyId)}
        ), moves as (
          select 'room_closed' as reason, s.room_id, greatest(s.from_date, r.closed_from) as from_date, s.until_date,
                 s.booked_room_id, s.reservation_id
          from stays s
          join inventory.rooms r on r.tenant_id = ${tenantId} and r.id = s.room_id
          where r.closed_from < s.until_date
          union all
          select 'room_wanted_by_ticket', s.room_id, greatest(s.from_date, b.from_date), least(s.until_date, b.until_date),
                 s.booked_room_id, s.reservation_id
          from stays s
          join inventory.blocks b on b.tenant_id = ${tenantId} and b.room_id = s.room_id and b.status = 'waiting'
          where b.from_date < s.until_date and s.from_date < b.until_date
          union all
          select 'room_taken', l.wanted_room_id, l.arrival, l.departure, l.booked_room_id, a.reservation_id
          from inventory.allocation_rooms l
          join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id
          where l.tenant_id = ${tenantId}
            and a.property_id = ${idToUuid(propertyId)}
            and l.wanted_room_id is not null
        )
        select m.reason, m.room_id as "roomId", r.number, m.from_date as "from", m.until_date as "until",
               m.booked_room_id as "bookedRoomId", m.reservation_id as "reservationId"
        from moves m
        left join inventory.rooms r on r.tenant_id = ${tenantId} and r.id = m.room_id
        order by m.from_date, m.booked_room_id
        limit 500`,
  );
  return found.map(one => ({
    ...one,
    roomId: idFromUuid('rom', one.roomId),
    bookedRoomId: idFromUuid('brm', one.bookedRoomId),
    reservationId: idFromUuid('rsv', one.reservationId),
  }));
}
