import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Booking, Sample } from '../model.ts';

/** A booking with its ids, which are bare uuids. */
export type Told = { readonly reservationId: string; readonly propertyId: string; readonly booking: Booking };

type SampleOf = { readonly reservationId: string; readonly propertyId: string; readonly sample: Sample };

/** A list as a JSON text that PostgreSQL turns into rows: one parameter, whatever the number of rows. */
const asJson = (list: readonly object[]) =>
  sql`${JSON.stringify(list, (_key, value) => (typeof value === 'bigint' ? String(value) : value))}::jsonb`;

/** Keeps what happened to bookings; what was heard before stays as it was. Returns how many were new. */
export async function writeSamples(ctx: Ctx, samples: readonly SampleOf[]): Promise<number> {
  const list = samples.map(({ sample: { kind, version, at, businessDate, data }, ...ids }) => ({
    ...{ reservation_id: ids.reservationId, property_id: ids.propertyId },
    ...{ kind, version, at, business_date: businessDate, data },
  }));
  return execute(
    ctx.tx,
    sql`insert into analytics.booking_samples
          (tenant_id, reservation_id, version, kind, property_id, at, business_date, data)
        select ${ctx.tenantId}, s.reservation_id, s.version, s.kind, s.property_id, s.at, s.business_date, s.data
        from jsonb_to_recordset(${asJson(list)}) as s (reservation_id uuid, version int, kind text, property_id uuid,
          at timestamptz, business_date date, data jsonb)
        on conflict (tenant_id, reservation_id, version, kind) do nothing`,
  );
}

/**
 * Writes bookings as they are told now: the row, the nights they have, and every change of them. `isNew`: nothing is written
 * of them yet, which saves two statements for most events.
 */
export function writeBookings(
  ctx: Ctx,
  told: readonly Told[],
  { isNew = false }: { isNew?: boolean } = {},
): void {
  writeRows(ctx, told);
  const ids = sql.param(told.map(({ reservationId }) => reservationId));
  for (const table of isNew ? [] : ['nights', 'night_changes'])
    ctx.write(
      execute(
        ctx.tx,
        sql`delete from analytics.${sql.identifier(table)}
            where tenant_id = ${ctx.tenantId} and reservation_id = any(${ids}::uuid[])`,
      ),
    );
  const nightOf = ({ bookedRoomId, roomTypeId, currency, date, net, gross }: Booking['nights'][number]) => ({
    ...{ booked_room_id: bookedRoomId, room_type_id: roomTypeId, currency, date, net, gross },
  });
  const each = <T>(of: (booking: Booking) => readonly T[], row: (one: T) => object) =>
    told.flatMap(({ reservationId, propertyId, booking }) =>
      of(booking).map(one => ({ reservation_id: reservationId, property_id: propertyId, ...row(one) })),
    );
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.nights
            (tenant_id, reservation_id, booked_room_id, date, property_id, room_type_id, currency, net, gross)
          select ${ctx.tenantId}, n.reservation_id, n.booked_room_id, n.date, n.property_id, n.room_type_id, n.currency,
                 n.net, n.gross
          from jsonb_to_recordset(${asJson(each(({ nights }) => nights, nightOf))}) as n (reservation_id uuid,
            booked_room_id uuid, date date, property_id uuid, room_type_id uuid, currency text, net bigint, gross bigint)`,
    ),
  );
  const changes = each(
    ({ changes: all }) => all,
    ({ step, rooms, at, businessDate, ...night }) => ({
      ...nightOf(night),
      ...{ step, rooms, at, business_date: businessDate },
    }),
  );
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.night_changes
            (tenant_id, reservation_id, step, booked_room_id, date, property_id, room_type_id, currency, rooms, net, gross,
             at, business_date)
          select ${ctx.tenantId}, n.reservation_id, n.step, n.booked_room_id, n.date, n.property_id, n.room_type_id,
                 n.currency, n.rooms, n.net, n.gross, n.at, n.business_date
          from jsonb_to_recordset(${asJson(changes)}) as n (reservation_id uuid, step smallint, booked_room_id uuid,
            date date, property_id uuid, room_type_id uuid, currency text, rooms smallint, net bigint, gross bigint,
            at timestamptz, business_date date)`,
    ),
  );
}

function writeRows(ctx: Ctx, told: readonly Told[]): void {
  const list = told.map(({ reservationId, propertyId, booking }) => {
    const { status, channel, rail, currency, arrival, departure, rooms, net, gross, version } = booking;
    return {
      ...{ id: reservationId, property_id: propertyId, status, channel, rail, currency, arrival, departure },
      ...{ rooms, room_nights: booking.roomNights, net, gross, version },
      ...{ booked_at: booking.bookedAt, cancelled_at: booking.cancelledAt, no_show_on: booking.noShowOn },
    };
  });
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.bookings
            (tenant_id, id, property_id, status, channel, rail, currency, arrival, departure, rooms, room_nights, net, gross,
             booked_at, cancelled_at, no_show_on, version)
          select ${ctx.tenantId}, b.id, b.property_id, b.status, b.channel, b.rail, b.currency, b.arrival, b.departure,
                 b.rooms, b.room_nights, b.net, b.gross, b.booked_at, b.cancelled_at, b.no_show_on, b.version
          from jsonb_to_recordset(${asJson(list)}) as b (id uuid, property_id uuid, status text, channel text, rail text,
            currency text, arrival date, departure date, rooms int, room_nights int, net bigint, gross bigint,
            booked_at timestamptz, cancelled_at timestamptz, no_show_on date, version int)
          on conflict (tenant_id, id) do update
          set status = excluded.status, channel = excluded.channel, rail = excluded.rail, currency = excluded.currency,
              arrival = excluded.arrival, departure = excluded.departure, rooms = excluded.rooms,
              room_nights = excluded.room_nights, net = excluded.net, gross = excluded.gross,
              booked_at = excluded.booked_at, cancelled_at = excluded.cancelled_at, no_show_on = excluded.no_show_on,
              version = excluded.version`,
    ),
  );
}
