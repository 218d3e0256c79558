import { type SQL, sql } from '@ghasi/db/drizzle';
import { row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';

/**
 * R1: the hotel day a moment belongs to, as SQL: the day that had begun last, and before the first one that we know of the
 * date on the wall of the house (of UTC until we know its zone). `property` and `at` are columns or parameters.
 */
export function businessDateAt({ property, at }: { property: SQL; at: SQL }): SQL {
  return sql`coalesce(
    (select bd.date
     from analytics.business_days bd
     where bd.tenant_id = app.tenant_id() and bd.property_id = ${property} and bd.began_at <= ${at}
     order by bd.began_at desc, bd.date desc
     limit 1),
    (${at} at time zone coalesce(
      (select p.zone from analytics.properties p where p.tenant_id = app.tenant_id() and p.id = ${property}),
      'UTC'))::date)`;
}

/**
 * A moment before which nothing belongs to a hotel day or a later one, as SQL. A house may open with a date that is far
 * ahead, so the calendar says nothing about days that have begun; of others it does, to a day, wherever the house is.
 */
export function firstMomentOf({ property, day }: { property: SQL; day: SQL }): SQL {
  return sql`least(
    (${day} - 1)::timestamp at time zone 'UTC',
    (select min(bd.began_at)
     from analytics.business_days bd
     where bd.tenant_id = app.tenant_id() and bd.property_id = ${property} and bd.date >= ${day}))`;
}

/** What is known of a house: its hotel day now, and the days that its numbers are kept for. */
export type House = {
  readonly businessDate: LocalDate;
  readonly openedOn: LocalDate | null;
  readonly currency: CurrencyCode | null;
  /** Days with a row for every room type, `[from, until)`; null until the house is known. */
  readonly window: { readonly from: LocalDate; readonly until: LocalDate } | null;
};

/** Days ahead of the hotel day that a house's rooms are counted for: more than a year, so that next year can be compared. */
export const HORIZON_DAYS = 400;

/** Days before a house joined that its rooms are counted for, where they could be sold then. */
export const BEFORE_DAYS = 800;

/** Reads a house; without any event about it the hotel day is the date in UTC. */
export async function readHouse(ctx: Ctx, propertyId: string): Promise<House> {
  const found = await row<{
    date: LocalDate | null;
    opened: LocalDate | null;
    currency: CurrencyCode | null;
    from: LocalDate | null;
    until: LocalDate | null;
    today: LocalDate;
  }>(
    ctx.tx,
    sql`select h.date, h.opened, h.currency, h.today,
               case when h.first is null then h.opened else greatest(h.first, h.opened - ${BEFORE_DAYS}::int) end as "from",
               greatest(h.date, h.opened) + ${HORIZON_DAYS}::int as "until"
        from (
          select (select max(date) from analytics.business_days
                  where tenant_id = ${ctx.tenantId} and property_id = ${propertyId}) as date,
                 (select min(sellable_from) from analytics.rooms
                  where tenant_id = ${ctx.tenantId} and property_id = ${propertyId}) as first,
                 (select opened_on from analytics.properties
                  where tenant_id = ${ctx.tenantId} and id = ${propertyId}) as opened,
                 (select currency from analytics.properties
                  where tenant_id = ${ctx.tenantId} and id = ${propertyId}) as currency,
                 (${ctx.now}::timestamptz at time zone 'UTC')::date as today
        ) h`,
  );
  const { date = null, opened = null, currency = null, from, until } = found ?? {};
  const isKnown = opened !== null && from && until && from < until;
  return {
    businessDate: (date ?? found?.today) as LocalDate,
    openedOn: opened,
    currency,
    window: isKnown ? { from, until } : null,
  };
}
