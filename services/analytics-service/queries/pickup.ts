import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { addDays, eachDay, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PickupView } from '../contract/views.ts';
import type { Period } from '../measures.ts';
import { readHouse } from './business-dates.ts';
import { freshnessFor, freshnessJson, usedBy } from './houses.ts';

/** Which nights, how many days before each, and perhaps since which hotel day. */
export type AskedPickup = Period & {
  readonly propertyId: Id<'pro'>;
  readonly leads: readonly number[];
  readonly since: LocalDate | null;
};

type Books = PickupView['nights'][number]['now'];
type Line = {
  date: LocalDate;
  at: number;
  currency: CurrencyCode;
  rooms: number;
  net: bigint;
  gross: bigint;
};

/** What is on the books for each night: now, at a day, and so many days before it. */
export async function readPickup(ctx: Ctx, asked: AskedPickup): Promise<PickupView> {
  const { propertyId, leads, since } = asked;
  const scope = idToUuid(propertyId);
  const freshness = await freshnessFor(ctx, scope, usedBy.pickup);
  const { businessDate } = await readHouse(ctx, scope);
  const dates = [...eachDay(asked.from, asked.until)];
  const now = await booksAt(
    ctx,
    asked,
    dates.map(() => null),
  );
  const then =
    since === null
      ? undefined
      : await booksAt(
          ctx,
          asked,
          dates.map(() => since),
        );
  const curve: Map<LocalDate, Books>[] = [];
  for (const lead of leads)
    curve.push(
      await booksAt(
        ctx,
        asked,
        dates.map(date => addDays(date, -lead)),
      ),
    );
  return {
    propertyId,
    businessDate,
    freshness: freshnessJson(freshness),
    dates,
    leads: [...leads],
    nights: dates.map(date => {
      const current = now.get(date) ?? nothing;
      const before = then?.get(date) ?? nothing;
      return {
        date,
        now: current,
        since: since === null ? null : { asOf: since, before, pickup: less(current, before) },
        curve: leads.map((lead, place) =>
          addDays(date, -lead) < businessDate ? (curve[place]?.get(date) ?? nothing) : null,
        ),
      };
    }),
  };
}

const nothing: Books = { rooms: 0, revenue: [] };

/** What was on the books for each night at the end of a hotel day of its own; null: whatever has happened since. */
async function booksAt(
  ctx: Ctx,
  { propertyId, from, until }: AskedPickup,
  days: readonly (LocalDate | null)[],
): Promise<Map<LocalDate, Books>> {
  const dates = [...eachDay(from, until)];
  const found = await rows<Omit<Line, 'at'>>(
    ctx.tx,
    sql`select p.date, p.currency, sum(p.rooms)::int as rooms, sum(p.net)::bigint as net, sum(p.gross)::bigint as gross
        from analytics.pickup_days p
        join unnest(${sql.param(dates)}::date[], ${sql.param(days)}::date[]) as a (date, as_of) on a.date = p.date
        where p.tenant_id = ${ctx.tenantId} and p.property_id = ${idToUuid(propertyId)}
          and (a.as_of is null or p.as_of <= a.as_of)
        group by p.date, p.currency
        order by p.date, p.currency`,
  );
  const byDate = Map.groupBy(found, ({ date }) => date);
  return new Map(
    [...byDate].map(([date, lines]) => [
      date,
      {
        rooms: lines.reduce((sum, { rooms }) => sum + rooms, 0),
        revenue: lines.map(({ currency, net, gross }) => moneyOf(currency, net, gross)),
      },
    ]),
  );
}

function moneyOf(currency: CurrencyCode, net: bigint, gross: bigint): Books['revenue'][number] {
  return { currency, net: { amount: String(net), currency }, gross: { amount: String(gross), currency } };
}

function less(now: Books, then: Books): Books {
  const currencies = [...new Set([...now.revenue, ...then.revenue].map(({ currency }) => currency))].sort();
  const amount = (of: Books, currency: CurrencyCode, part: 'net' | 'gross') =>
    BigInt(of.revenue.find(one => one.currency === currency)?.[part].amount ?? 0);
  return {
    rooms: now.rooms - then.rooms,
    revenue: currencies.map(currency => {
      const change = (part: 'net' | 'gross') => amount(now, currency, part) - amount(then, currency, part);
      return moneyOf(currency, change('net'), change('gross'));
    }),
  };
}

type Row = {
  id: string;
  propertyId: string;
  status: string;
  channel: string;
  rail: string;
  currency: CurrencyCode;
  bookedAt: Date;
  arrival: LocalDate;
  departure: LocalDate;
  rooms: number;
  roomNights: number;
  net: bigint;
  gross: bigint;
};

/** The bookings that were made last, newest first. */
export async function newestBookings(
  ctx: Ctx,
  { propertyId, limit }: { propertyId: Id<'pro'>; limit: number },
) {
  const found = await rows<Row>(
    ctx.tx,
    sql`select id, property_id as "propertyId", status, channel, rail, currency, booked_at as "bookedAt", arrival, departure,
               rooms, room_nights as "roomNights", net, gross
        from analytics.bookings
        where tenant_id = ${ctx.tenantId} and property_id = ${idToUuid(propertyId)}
        order by booked_at desc, id desc
        limit ${limit}`,
  );
  return found.map(({ id, propertyId: house, bookedAt, net, gross, currency, ...row }) => ({
    reservationId: idFromUuid('rsv', id),
    propertyId: idFromUuid('pro', house),
    ...row,
    bookedAt: bookedAt.toISOString(),
    total: {
      net: { amount: String(net), currency },
      gross: { amount: String(gross), currency },
    },
  }));
}
