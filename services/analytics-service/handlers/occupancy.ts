import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Handler } from '../projection/handler.ts';
import { businessDateAt } from '../queries/business-dates.ts';
import { changedDays, clearDays } from './days.ts';

/**
 * Rooms of each type by day: how many there are, are out of order, are sold, arrive and leave. A room is out of order on a
 * night if a repair that was not over by then says so, or the last word of housekeeping up to that day. Out of service is
 * not: such a room stays in the base (R11). A room arrives on a night that is on the books after one that is not.
 */
export const occupancy: Handler = {
  name: 'occupancy',
  version: 1,
  topics: ['house', 'day', 'room', 'booking'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'room_days');
    clearDays(ctx, 'room_days', { propertyId, days, watermark });
    ctx.write(
      execute(
        ctx.tx,
        sql`
          with days as (
            select unnest(${sql.param(days)}::date[]) as date
          ), house as (
            select d.date, r.room_type_id,
                   exists (
                     select from analytics.tickets o
                     where o.tenant_id = r.tenant_id and o.room_id = r.id and o.kind = 'opened'
                       and o.out_from <= d.date and d.date < o.out_until
                       and not exists (
                         select from analytics.tickets c
                         where c.tenant_id = o.tenant_id and c.id = o.id and c.kind = 'closed' and c.version > o.version
                           and ${businessDateAt({ property: sql`c.property_id`, at: sql`c.at` })} <= d.date))
                   or coalesce((
                     select s.out_from <= d.date and d.date < s.out_until
                     from analytics.room_statuses s
                     where s.tenant_id = r.tenant_id and s.room_id = r.id and s.business_date <= d.date
                     order by s.business_date desc
                     limit 1), false) as is_out
            from days d
            join analytics.rooms r on r.sellable_from <= d.date and (r.closed_from is null or d.date < r.closed_from)
            where r.tenant_id = ${ctx.tenantId} and r.property_id = ${propertyId}
          ), counted as (
            select date, room_type_id, 1 as rooms, is_out::int as out_of_order, 0 as sold, 0 as arrivals, 0 as departures
            from house
            union all
            select n.date, n.room_type_id, 0, 0, 1, (before.date is null)::int, 0
            from days d
            join analytics.nights n on n.tenant_id = ${ctx.tenantId} and n.property_id = ${propertyId} and n.date = d.date
            left join analytics.nights before
              on before.tenant_id = n.tenant_id and before.reservation_id = n.reservation_id
              and before.booked_room_id = n.booked_room_id and before.date = n.date - 1
            union all
            select d.date, n.room_type_id, 0, 0, 0, 0, 1
            from days d
            join analytics.nights n on n.tenant_id = ${ctx.tenantId} and n.property_id = ${propertyId} and n.date = d.date - 1
            left join analytics.nights after
              on after.tenant_id = n.tenant_id and after.reservation_id = n.reservation_id
              and after.booked_room_id = n.booked_room_id and after.date = d.date
            where after.date is null
          )
          insert into analytics.room_days
            (tenant_id, property_id, date, room_type_id, rooms, out_of_order, sold, arrivals, departures, source_watermark)
          select ${ctx.tenantId}, ${propertyId}, date, room_type_id, sum(rooms), sum(out_of_order), sum(sold), sum(arrivals),
                 sum(departures), ${watermark}::float8
          from counted
          group by date, room_type_id
          on conflict do nothing`, // a row that knew more (PROJ-10)
      ),
    );
    return [];
  },
};
