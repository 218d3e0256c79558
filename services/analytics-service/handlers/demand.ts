import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Handler } from '../projection/handler.ts';
import { businessDateAt, firstMomentOf } from '../queries/business-dates.ts';
import { changedDays, clearDays } from './days.ts';

const dayOf = (at: string) =>
  businessDateAt({ property: sql`b.property_id`, at: sql`b.${sql.identifier(at)}` });

/**
 * Bookings by hotel day: made, cancelled, not come; and by the day their stay begins: how many, what became of them, how
 * long they stay and how long before they were made.
 */
export const demand: Handler = {
  name: 'demand',
  version: 1,
  topics: ['house', 'day', 'booking'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'demand_days');
    clearDays(ctx, 'demand_days', { propertyId, days, watermark });
    const own = sql`b.tenant_id = ${ctx.tenantId} and b.property_id = ${propertyId}`;
    const since = firstMomentOf({
      property: sql`${propertyId}::uuid`,
      day: sql`(select min(date) from days)`,
    });
    ctx.write(
      execute(
        ctx.tx,
        sql`
          with days as materialized (
            select unnest(${sql.param(days)}::date[]) as date
          ), happened as (
            select ${dayOf('booked_at')} as date, 'made' as what, 1 as n
            from analytics.bookings b
            where ${own} and b.booked_at >= ${since}
            union all
            select ${dayOf('cancelled_at')}, 'cancelled', 1
            from analytics.bookings b
            where ${own} and b.cancelled_at >= ${since}
            union all
            select b.no_show_on, 'no_show', 1
            from analytics.bookings b
            join days d on d.date = b.no_show_on
            where ${own}
          ), arriving as (
            select b.arrival as date, b.status, b.rooms, b.room_nights,
                   greatest(b.arrival - ${dayOf('booked_at')}, 0) as lead_days
            from analytics.bookings b
            join days d on d.date = b.arrival
            where ${own}
          ), counted as (
            select date,
                   (what = 'made')::int as bookings, (what = 'cancelled')::int as cancellations,
                   (what = 'no_show')::int as no_shows, 0 as arriving, 0 as arriving_cancelled, 0 as arriving_no_show,
                   0 as stays, 0 as stay_nights, 0 as lead_days
            from happened
            union all
            select date, 0, 0, 0, 1, (status = 'cancelled')::int, (status = 'no_show')::int,
                   case when status in ('cancelled', 'no_show') then 0 else rooms end,
                   case when status in ('cancelled', 'no_show') then 0 else room_nights end,
                   case when status in ('cancelled', 'no_show') then 0 else lead_days end
            from arriving
          )
          insert into analytics.demand_days
            (tenant_id, property_id, date, bookings, cancellations, no_shows, arriving, arriving_cancelled, arriving_no_show,
             stays, stay_nights, lead_days, source_watermark)
          select ${ctx.tenantId}, ${propertyId}, c.date, sum(bookings), sum(cancellations), sum(no_shows), sum(arriving),
                 sum(arriving_cancelled), sum(arriving_no_show), sum(stays), sum(stay_nights), sum(lead_days),
                 ${watermark}::float8
          from counted c
          join days d on d.date = c.date
          group by c.date
          on conflict do nothing`,
      ),
    );
    return [];
  },
};

/**
 * What each hotel day changed of what is on the books for a night. Summed up to a day it is what was known then: pickup is
 * the difference of two such sums.
 */
export const pickup: Handler = {
  name: 'pickup',
  version: 1,
  topics: ['house', 'day', 'booking'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'pickup_days');
    clearDays(ctx, 'pickup_days', { propertyId, days, watermark });
    const asOf = sql`coalesce(n.business_date, ${businessDateAt({ property: sql`n.property_id`, at: sql`n.at` })})`;
    ctx.write(
      execute(
        ctx.tx,
        sql`insert into analytics.pickup_days
              (tenant_id, property_id, date, as_of, room_type_id, currency, rooms, net, gross, source_watermark)
            select n.tenant_id, n.property_id, n.date, ${asOf}, n.room_type_id, n.currency, sum(n.rooms), sum(n.net),
                   sum(n.gross), ${watermark}::float8
            from analytics.night_changes n
            where n.tenant_id = ${ctx.tenantId} and n.property_id = ${propertyId}
              and n.date = any(${sql.param(days)}::date[])
            group by 1, 2, 3, 4, 5, 6
            having sum(n.rooms) <> 0 or sum(n.net) <> 0 or sum(n.gross) <> 0
            on conflict do nothing`,
      ),
    );
    return [];
  },
};

/** Tasks of housekeeping that were done, by hotel day. */
export const operations: Handler = {
  name: 'operations',
  version: 1,
  topics: ['house', 'day', 'task'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'operation_days');
    clearDays(ctx, 'operation_days', { propertyId, days, watermark });
    ctx.write(
      execute(
        ctx.tx,
        sql`insert into analytics.operation_days (tenant_id, property_id, date, tasks_completed, source_watermark)
            select t.tenant_id, t.property_id, t.business_date, count(*), ${watermark}::float8
            from analytics.tasks t
            where t.tenant_id = ${ctx.tenantId} and t.property_id = ${propertyId} and t.outcome = 'done'
              and t.business_date = any(${sql.param(days)}::date[])
            group by 1, 2, 3
            on conflict do nothing`,
      ),
    );
    return [];
  },
};
