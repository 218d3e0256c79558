import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { eachDay, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { DailyView } from '../contract/views.ts';
import { available, averageRate, occupancyOf, type Period, revenuePerRoom } from '../measures.ts';
import { freshnessFor, freshnessJson, usedBy } from './houses.ts';

/** What is asked: days of a house or of all houses, of all rooms or of one type. */
export type AskedDaily = Period & {
  readonly propertyId: Id<'pro'> | null;
  readonly roomTypeId: Id<'rty'> | null;
};

type RoomDay = {
  date: LocalDate;
  rooms: number;
  outOfOrder: number;
  sold: number;
  arrivals: number;
  departures: number;
};
type DemandDay = { date: LocalDate; bookings: number; cancellations: number; noShows: number };
type MoneyDay = {
  date: LocalDate;
  currency: CurrencyCode;
  rooms: number;
  roomNet: bigint;
  roomGross: bigint;
  otherNet: bigint;
  otherGross: bigint;
};

/** A number for each day, in columns. Days without rows are zeros: nothing is known of them or happened on them. */
export async function readDaily(ctx: Ctx, asked: AskedDaily): Promise<DailyView> {
  const propertyId = asked.propertyId === null ? null : idToUuid(asked.propertyId);
  const freshness = await freshnessFor(ctx, propertyId, usedBy.daily);
  const dates = [...eachDay(asked.from, asked.until)];
  const house = await roomDays(ctx, asked);
  const demand = asked.roomTypeId === null ? await demandDays(ctx, asked) : undefined;
  const money = await moneyDays(ctx, asked);
  const column = <T>(days: ReadonlyMap<LocalDate, T>, of: (day: T) => number) =>
    dates.map(date => {
      const day = days.get(date);
      return day === undefined ? 0 : of(day);
    });
  return {
    propertyId: asked.propertyId,
    roomTypeId: asked.roomTypeId,
    freshness: freshnessJson(freshness),
    dates,
    rooms: column(house, day => day.rooms),
    outOfOrder: column(house, day => day.outOfOrder),
    available: column(house, available),
    sold: column(house, day => day.sold),
    arrivals: column(house, day => day.arrivals),
    departures: column(house, day => day.departures),
    occupancy: dates.map(date => occupancyOf(house.get(date) ?? noRooms)),
    bookings: demand ? column(demand, day => day.bookings) : null,
    cancellations: demand ? column(demand, day => day.cancellations) : null,
    noShows: demand ? column(demand, day => day.noShows) : null,
    money: [...Map.groupBy(money, ({ currency }) => currency)].map(([currency, own]) => {
      const days = new Map(own.map(day => [day.date, day]));
      const each = <T>(of: (day: Omit<MoneyDay, 'date' | 'currency'>, date: LocalDate) => T) =>
        dates.map(date => of(days.get(date) ?? noMoney, date));
      const whole = asked.roomTypeId === null;
      return {
        currency,
        roomsSold: each(day => day.rooms),
        roomRevenueNet: each(day => String(day.roomNet)),
        roomRevenueGross: each(day => String(day.roomGross)),
        otherRevenueNet: whole ? each(day => String(day.otherNet)) : null,
        otherRevenueGross: whole ? each(day => String(day.otherGross)) : null,
        averageRate: each(day => text(averageRate(day))),
        revenuePerRoom: each((day, date) => text(revenuePerRoom(day, house.get(date) ?? noRooms))),
      };
    }),
  };
}

const noRooms = { rooms: 0, outOfOrder: 0, sold: 0 };
const noMoney = { rooms: 0, roomNet: 0n, roomGross: 0n, otherNet: 0n, otherGross: 0n };
const text = (minor: bigint | null) => (minor === null ? null : String(minor));
const byDate = <T extends { date: LocalDate }>(list: readonly T[]) =>
  new Map(list.map(day => [day.date, day]));

function within(ctx: Ctx, { propertyId, from, until }: AskedDaily) {
  const house = propertyId === null ? sql`true` : sql`t.property_id = ${idToUuid(propertyId)}`;
  return sql`t.tenant_id = ${ctx.tenantId} and ${house} and t.date >= ${from} and t.date < ${until}`;
}

const ofType = ({ roomTypeId }: AskedDaily) =>
  roomTypeId === null ? sql`true` : sql`t.room_type_id = ${idToUuid(roomTypeId)}`;

async function roomDays(ctx: Ctx, asked: AskedDaily): Promise<Map<LocalDate, RoomDay>> {
  const found = await rows<RoomDay>(
    ctx.tx,
    sql`select t.date, sum(t.rooms)::int as rooms, sum(t.out_of_order)::int as "outOfOrder", sum(t.sold)::int as sold,
               sum(t.arrivals)::int as arrivals, sum(t.departures)::int as departures
        from analytics.room_days t
        where ${within(ctx, asked)} and ${ofType(asked)}
        group by t.date`,
  );
  return byDate(found);
}

async function demandDays(ctx: Ctx, asked: AskedDaily): Promise<Map<LocalDate, DemandDay>> {
  const found = await rows<DemandDay>(
    ctx.tx,
    sql`select t.date, sum(t.bookings)::int as bookings, sum(t.cancellations)::int as cancellations,
               sum(t.no_shows)::int as "noShows"
        from analytics.demand_days t
        where ${within(ctx, asked)}
        group by t.date`,
  );
  return byDate(found);
}

async function moneyDays(ctx: Ctx, asked: AskedDaily): Promise<MoneyDay[]> {
  const posted =
    asked.roomTypeId === null
      ? sql`union all
            select t.date, t.currency, 0, 0, 0, t.other_net, t.other_gross
            from analytics.charge_days t
            where ${within(ctx, asked)}`
      : sql``;
  return rows<MoneyDay>(
    ctx.tx,
    sql`select m.date, m.currency, sum(m.rooms)::int as rooms, sum(m.net)::bigint as "roomNet",
               sum(m.gross)::bigint as "roomGross", sum(m.other_net)::bigint as "otherNet",
               sum(m.other_gross)::bigint as "otherGross"
        from (
          select t.date, t.currency, t.rooms, t.net, t.gross, 0 as other_net, 0 as other_gross
          from analytics.revenue_days t
          where ${within(ctx, asked)} and ${ofType(asked)}
          ${posted}
        ) m
        group by m.date, m.currency
        order by m.currency, m.date`,
  );
}
