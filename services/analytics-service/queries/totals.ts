import { type SQL, sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { MixTotals, MoneyTotals, Period, Totals } from '../measures.ts';

/** Which days of which house; null: of all houses of the tenant. */
export type Asked = Period & { readonly propertyId: string | null };

/** Sums the daily rows of some days. */
export async function readTotals(ctx: Ctx, { propertyId, from, until }: Asked): Promise<Totals> {
  const house = sql`(${propertyId}::uuid is null or t.property_id = ${propertyId}::uuid)`;
  const where = sql`t.tenant_id = ${ctx.tenantId} and ${house} and t.date >= ${from} and t.date < ${until}`;
  const [[found], mix] = await Promise.all([sums(ctx, { where, by: sql`null::date` }), readMix(ctx, where)]);
  return { ...emptyTotals, ...found?.[1], mix };
}

/** The same for each day of its own, without the mix; days without any row are left out. */
export async function readDays(
  ctx: Ctx,
  { propertyId, days }: { propertyId: string; days: readonly LocalDate[] },
): Promise<Map<LocalDate | null, Totals>> {
  const of = sql`t.property_id = ${propertyId} and t.date = any(${sql.param(days)}::date[])`;
  return sums(ctx, { where: sql`t.tenant_id = ${ctx.tenantId} and ${of}`, by: sql`t.date` });
}

type Grouped = { where: SQL; by: SQL };
type Counts = Omit<Totals, 'money' | 'mix'>;

/** Sums of a day on which nothing is. */
export const emptyTotals: Totals = {
  ...{
    rooms: 0,
    outOfOrder: 0,
    sold: 0,
    arrivals: 0,
    departures: 0,
    bookings: 0,
    cancellations: 0,
    noShows: 0,
  },
  ...{
    arriving: 0,
    arrivingCancelled: 0,
    arrivingNoShow: 0,
    stays: 0,
    stayNights: 0,
    leadDays: 0,
    tasksCompleted: 0,
  },
  ...{ money: [], mix: [] },
};

async function sums(ctx: Ctx, grouped: Grouped): Promise<Map<LocalDate | null, Totals>> {
  const [money, ...counts] = await Promise.all([
    readMoney(ctx, grouped),
    ...Object.keys(counted).map(table => readCounts(ctx, table, grouped)),
  ]);
  const found = new Map<LocalDate | null, Totals>();
  for (const { day, ...line } of counts.flat())
    found.set(day, { ...emptyTotals, ...found.get(day), ...line });
  for (const [day, lines] of Map.groupBy(money, one => one.day))
    found.set(day, { ...emptyTotals, ...found.get(day), money: lines.map(({ day: _, ...one }) => one) });
  return found;
}

function readCounts(
  ctx: Ctx,
  table: string,
  { where, by }: Grouped,
): Promise<({ day: LocalDate | null } & Partial<Counts>)[]> {
  const sum = (counted[table] ?? []).map(
    ([column, name]) => sql`sum(t.${sql.identifier(column)})::float8 as ${sql.identifier(name)}`,
  );
  return rows(
    ctx.tx,
    sql`select ${by} as day, ${sql.join(sum, sql`, `)}
        from analytics.${sql.identifier(table)} t
        where ${where}
        group by 1`,
  );
}

/** Columns of each table and what they are called here. Rooms and bookings fit into a number, money does not. */
const counted: Record<string, readonly (readonly [string, keyof Counts])[]> = {
  room_days: [
    ['rooms', 'rooms'],
    ['out_of_order', 'outOfOrder'],
    ['sold', 'sold'],
    ['arrivals', 'arrivals'],
    ['departures', 'departures'],
  ],
  demand_days: [
    ['bookings', 'bookings'],
    ['cancellations', 'cancellations'],
    ['no_shows', 'noShows'],
    ['arriving', 'arriving'],
    ['arriving_cancelled', 'arrivingCancelled'],
    ['arriving_no_show', 'arrivingNoShow'],
    ['stays', 'stays'],
    ['stay_nights', 'stayNights'],
    ['lead_days', 'leadDays'],
  ],
  operation_days: [['tasks_completed', 'tasksCompleted']],
};

/** Booked and posted money meet here: one line for each currency that either has. */
async function readMoney(
  ctx: Ctx,
  { where, by }: Grouped,
): Promise<(MoneyTotals & { day: LocalDate | null })[]> {
  return rows(
    ctx.tx,
    sql`select m.day, m.currency, sum(m.rooms)::float8 as rooms, sum(m.room_net)::bigint as "roomNet",
               sum(m.room_gross)::bigint as "roomGross", sum(m.posted_net)::bigint as "postedNet",
               sum(m.posted_gross)::bigint as "postedGross", sum(m.other_net)::bigint as "otherNet",
               sum(m.other_gross)::bigint as "otherGross"
        from (
          select ${by} as day, t.currency, t.rooms, t.net as room_net, t.gross as room_gross, 0 as posted_net,
                 0 as posted_gross, 0 as other_net, 0 as other_gross
          from analytics.revenue_days t
          where ${where}
          union all
          select ${by}, t.currency, 0, 0, 0, t.room_net, t.room_gross, t.other_net, t.other_gross
          from analytics.charge_days t
          where ${where}
        ) m
        group by m.day, m.currency
        order by m.day, m.currency`,
  );
}

async function readMix(ctx: Ctx, where: SQL): Promise<MixTotals[]> {
  return rows<MixTotals>(
    ctx.tx,
    sql`select t.channel, t.rail, t.currency, sum(t.rooms)::float8 as rooms, sum(t.net)::bigint as net,
               sum(t.gross)::bigint as gross
        from analytics.mix_days t
        where ${where}
        group by t.channel, t.rail, t.currency
        order by t.channel, t.rail, t.currency`,
  );
}
