import { type SQL, sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Days, Work } from '../projection/handler.ts';
import { businessDateAt, firstMomentOf, type House, readHouse } from '../queries/business-dates.ts';

/** The tables of numbers by day. */
export type DayTable =
  | 'room_days'
  | 'revenue_days'
  | 'charge_days'
  | 'demand_days'
  | 'mix_days'
  | 'pickup_days'
  | 'operation_days';

/** A house, and the days of it that changed, each once. */
export type Changed = { readonly house: House; readonly days: readonly LocalDate[] };

/**
 * Which days are to be computed. A range that is open at an end is every day the house's rooms are counted for, every day on
 * which anything happened, and every day that has a number now.
 */
export async function changedDays(ctx: Ctx, { scopeId, changes }: Work, table: DayTable): Promise<Changed> {
  const moments = changes.flatMap(({ topic, at }) => (topic === 'day' ? [] : (at ?? [])));
  const ranges = [...changes.filter(({ at }) => at == null), ...(await begun(ctx, scopeId, changes))];
  const open = ranges.filter(({ from, until }) => from === null || until === null);
  const asked = readHouse(ctx, scopeId);
  // Where nothing is open, nothing waits for it: it leaves with what is read next.
  const window = open.length === 0 ? null : (await asked).window;
  const froms = ranges.map(({ from }) => from ?? window?.from ?? null);
  const untils = ranges.map(({ until }) => until ?? window?.until ?? null);
  const elsewhere =
    open.length === 0 ? sql`` : daysWithAnything(ctx, { propertyId: scopeId, table, since: least(open) });
  const found = rows<{ date: LocalDate }>(
    ctx.tx,
    sql`select distinct d.date
        from (
          select r.f + n as date
          from unnest(${sql.param(froms)}::date[], ${sql.param(untils)}::date[]) as r (f, u),
               generate_series(0, r.u - r.f - 1) n
          union all
          select ${businessDateAt({ property: sql`${scopeId}::uuid`, at: sql`m.at` })}
          from unnest(${sql.param(moments)}::timestamptz[]) as m (at)
          ${elsewhere}
        ) d
        where d.date is not null
        order by d.date`,
  );
  const [house, days] = await Promise.all([asked, found]);
  return { house, days: days.map(({ date }) => date) };
}

/**
 * A hotel day that began takes its moments from the one before, which may be any: others in between may not have been heard
 * of yet. So everything from that one on is looked at, as far as it is known now.
 */
async function begun(ctx: Ctx, propertyId: string, changes: Work['changes']): Promise<Days[]> {
  const moments = changes.flatMap(({ topic, at }) => (topic === 'day' ? (at ?? []) : []));
  if (moments.length === 0) return [];
  const day = businessDateAt({ property: sql`${propertyId}::uuid`, at: sql`m.at` });
  return rows<Days>(
    ctx.tx,
    sql`select ${day} as "from", null::date as until from unnest(${sql.param(moments)}::timestamptz[]) as m (at)`,
  );
}

/** The earliest beginning; null: since ever. */
function least(open: readonly Days[]): LocalDate | null {
  const froms = open.map(({ from }) => from);
  return froms.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b), froms[0] ?? null);
}

/** Days that have a row of a table, or will have one: on which something happened that it counts. */
function daysWithAnything(
  ctx: Ctx,
  { propertyId, table, since }: { propertyId: string; table: DayTable; since: LocalDate | null },
): SQL {
  const from = sql`${since ?? '-infinity'}::date`;
  const moment = firstMomentOf({ property: sql`${propertyId}::uuid`, day: from });
  const of = sql`t.tenant_id = ${ctx.tenantId} and t.property_id = ${propertyId}`;
  const day = (at: SQL) => businessDateAt({ property: sql`t.property_id`, at });
  const nights = sql`
    union all
    select t.date + e from analytics.night_changes t, generate_series(0, 1) e
    where ${of} and (t.date >= ${from} or t.at >= ${moment})`;
  const decisions = sql`
    union all
    select t.no_show_on from analytics.bookings t where ${of} and t.no_show_on >= ${from}
    union all
    select ${day(sql`t.booked_at`)} from analytics.bookings t where ${of} and t.booked_at >= ${moment}
    union all
    select ${day(sql`t.cancelled_at`)} from analytics.bookings t where ${of} and t.cancelled_at >= ${moment}`;
  const charges = sql`
    union all
    select t.business_date from analytics.charges t where ${of} and t.business_date >= ${from}`;
  const tasks = sql`
    union all
    select t.business_date from analytics.tasks t where ${of} and t.business_date >= ${from}`;
  const counted: Record<DayTable, SQL> = {
    ...{ room_days: nights, revenue_days: nights, mix_days: nights, pickup_days: nights },
    ...{ demand_days: sql`${nights} ${decisions}`, charge_days: charges, operation_days: tasks },
  };
  return sql`
    union all
    select t.date from analytics.${sql.identifier(table)} t where ${of} and t.date >= ${from}
    ${counted[table]}`;
}

/** Takes away the rows of some days before they are set anew; one that knew more stays (PROJ-10). */
export function clearDays(
  ctx: Ctx,
  table: DayTable,
  { propertyId, days, watermark }: { propertyId: string; days: readonly LocalDate[]; watermark: number },
): void {
  ctx.write(
    execute(
      ctx.tx,
      sql`delete from analytics.${sql.identifier(table)}
          where tenant_id = ${ctx.tenantId} and property_id = ${propertyId}
            and date = any(${sql.param(days)}::date[]) and source_watermark <= ${watermark}::float8`,
    ),
  );
}
