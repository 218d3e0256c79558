import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Handler } from '../projection/handler.ts';
import { changedDays, clearDays } from './days.ts';

/** Room revenue by night, room type and currency: the frozen prices of the nights that are on the books (R21). */
export const revenue: Handler = {
  name: 'revenue',
  version: 1,
  topics: ['house', 'day', 'booking'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'revenue_days');
    clearDays(ctx, 'revenue_days', { propertyId, days, watermark });
    ctx.write(
      execute(
        ctx.tx,
        sql`insert into analytics.revenue_days
              (tenant_id, property_id, date, room_type_id, currency, rooms, net, gross, source_watermark)
            select n.tenant_id, n.property_id, n.date, n.room_type_id, n.currency, count(*), sum(n.net), sum(n.gross),
                   ${watermark}::float8
            from analytics.nights n
            where n.tenant_id = ${ctx.tenantId} and n.property_id = ${propertyId}
              and n.date = any(${sql.param(days)}::date[])
            group by 1, 2, 3, 4, 5
            on conflict do nothing`,
      ),
    );
    return [];
  },
};

/**
 * What was posted to folios, by hotel day and currency: rooms (nights and date changes) and everything else. A reversal
 * counts as the line it takes back, on its own day.
 */
export const charges: Handler = {
  name: 'charges',
  version: 1,
  topics: ['house', 'day', 'charge'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'charge_days');
    clearDays(ctx, 'charge_days', { propertyId, days, watermark });
    const isRoom = sql`coalesce(o.kind, c.kind) in ('room_night', 'date_change')`;
    ctx.write(
      execute(
        ctx.tx,
        sql`insert into analytics.charge_days
              (tenant_id, property_id, date, currency, room_net, room_gross, other_net, other_gross, source_watermark)
            select c.tenant_id, c.property_id, c.business_date, c.currency,
                   coalesce(sum(c.net) filter (where ${isRoom}), 0), coalesce(sum(c.gross) filter (where ${isRoom}), 0),
                   coalesce(sum(c.net) filter (where not ${isRoom}), 0), coalesce(sum(c.gross) filter (where not ${isRoom}), 0),
                   ${watermark}::float8
            from analytics.charges c
            left join analytics.charges o on o.tenant_id = c.tenant_id and o.id = c.reverses
            where c.tenant_id = ${ctx.tenantId} and c.property_id = ${propertyId}
              and c.business_date = any(${sql.param(days)}::date[])
            group by 1, 2, 3, 4
            on conflict do nothing`,
      ),
    );
    return [];
  },
};

/** The nights on the books by where the booking came from and how it is paid. */
export const mix: Handler = {
  name: 'mix',
  version: 1,
  topics: ['house', 'day', 'booking'],
  async compute(ctx, work) {
    const { scopeId: propertyId, watermark } = work;
    const { days } = await changedDays(ctx, work, 'mix_days');
    clearDays(ctx, 'mix_days', { propertyId, days, watermark });
    ctx.write(
      execute(
        ctx.tx,
        sql`insert into analytics.mix_days
              (tenant_id, property_id, date, channel, rail, currency, rooms, net, gross, source_watermark)
            select n.tenant_id, n.property_id, n.date, b.channel, b.rail, n.currency, count(*), sum(n.net), sum(n.gross),
                   ${watermark}::float8
            from analytics.nights n
            join analytics.bookings b on b.tenant_id = n.tenant_id and b.id = n.reservation_id
            where n.tenant_id = ${ctx.tenantId} and n.property_id = ${propertyId}
              and n.date = any(${sql.param(days)}::date[])
            group by 1, 2, 3, 4, 5, 6
            on conflict do nothing`,
      ),
    );
    return [];
  },
};
