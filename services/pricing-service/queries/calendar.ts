import { and, asc, gte, inArray, lt, sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import type { PlanView } from '../contract/resources.ts';
import { derivedDays } from '../model/rates.ts';
import type { Day } from '../model/restrictions.ts';
import { calendarDays } from '../tables.ts';

type Tx = Ctx['tx'];

/** Days `[from, until)`. */
export type Window = { from: LocalDate; until: LocalDate };

/** Days by date. */
export type Days = Map<LocalDate, Day>;

/** Days by plan and room type. */
export type Calendars = {
  /** As they were written; a derived plan has restrictions only. */
  written(plan: Id<'rpl'>, roomType: Id<'rty'>): Days;
};

/** Reads the calendars of some plans in one statement. */
export async function readCalendars(
  tx: Tx,
  { plans, roomTypes, window }: { plans: Id<'rpl'>[]; roomTypes: Id<'rty'>[]; window: Window },
): Promise<Calendars> {
  const found =
    plans.length === 0 || roomTypes.length === 0
      ? []
      : await tx
          .select()
          .from(calendarDays)
          .where(
            and(
              inArray(calendarDays.ratePlanId, [...new Set(plans)].map(idToUuid)),
              inArray(calendarDays.roomTypeId, [...new Set(roomTypes)].map(idToUuid)),
              gte(calendarDays.date, window.from),
              lt(calendarDays.date, window.until),
            ),
          )
          .orderBy(asc(calendarDays.date));
  const calendars = new Map<string, Days>();
  for (const entry of found) {
    const key = `${entry.ratePlanId} ${entry.roomTypeId}`;
    const days = calendars.get(key) ?? new Map();
    const day = fromRow(entry);
    calendars.set(key, days.set(day.date, day));
  }
  return {
    written: (plan, roomType) => calendars.get(`${idToUuid(plan)} ${idToUuid(roomType)}`) ?? new Map(),
  };
}

/** The days of a plan as it is sold, and those of the plan it is derived from. */
export function soldDays(
  calendars: Calendars,
  { id, derivation }: Pick<PlanView, 'id' | 'derivation'>,
  roomType: Id<'rty'>,
): { days: Days; baseDays: Days | null } {
  const own = calendars.written(id, roomType);
  if (derivation === null) return { days: own, baseDays: null };
  const base = calendars.written(derivation.fromPlanId, roomType);
  return { days: derivedDays(base, own, derivation), baseDays: base };
}

/** Takes the next version of a calendar; makes it on its first change. Callers hold the plan's lock. */
export async function nextCalendarVersion(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'newId'>,
  plan: Id<'rpl'>,
  roomType: Id<'rty'>,
): Promise<{ id: Id<'rcl'>; version: number }> {
  const found = await row<{ id: string; version: number }>(
    ctx.tx,
    sql`insert into pricing.calendars as known (tenant_id, id, rate_plan_id, room_type_id, version)
        values (${ctx.tenantId}, ${idToUuid(ctx.newId('rcl'))}, ${idToUuid(plan)}, ${idToUuid(roomType)}, 1)
        on conflict (tenant_id, rate_plan_id, room_type_id) do update
        set version = known.version + 1
        returning id, version`,
  );
  if (found === undefined) throw new Error('an upsert returned no row');
  return { id: idFromUuid('rcl', found.id), version: found.version };
}

/** Writes days of one calendar in one statement. */
export async function writeDays(
  ctx: Pick<Ctx, 'tx' | 'tenantId'>,
  { plan, roomType }: { plan: Id<'rpl'>; roomType: Id<'rty'> },
  days: readonly Day[],
): Promise<void> {
  const entries = days.map(({ date, price, restrictions: limits }) => ({
    date,
    price_minor: price === null ? null : price.toString(),
    min_nights: limits.minNights,
    max_nights: limits.maxNights,
    closed_to_arrival: limits.closedToArrival,
    closed_to_departure: limits.closedToDeparture,
    closed: limits.closed,
  }));
  await execute(
    ctx.tx,
    sql`insert into pricing.calendar_days (tenant_id, rate_plan_id, room_type_id, date, price_minor, min_nights,
                                           max_nights, closed_to_arrival, closed_to_departure, closed)
        select ${ctx.tenantId}::uuid, ${idToUuid(plan)}::uuid, ${idToUuid(roomType)}::uuid, d.date, d.price_minor,
               d.min_nights, d.max_nights, d.closed_to_arrival, d.closed_to_departure, d.closed
        from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
          as d (date date, price_minor bigint, min_nights integer, max_nights integer, closed_to_arrival boolean,
                closed_to_departure boolean, closed boolean)
        order by d.date
        on conflict (tenant_id, rate_plan_id, room_type_id, date) do update
        set price_minor = excluded.price_minor,
            min_nights = excluded.min_nights,
            max_nights = excluded.max_nights,
            closed_to_arrival = excluded.closed_to_arrival,
            closed_to_departure = excluded.closed_to_departure,
            closed = excluded.closed`,
  );
}

function fromRow(entry: typeof calendarDays.$inferSelect): Day {
  const { date, priceMinor, minNights, maxNights, closedToArrival, closedToDeparture, closed } = entry;
  return {
    date: parseLocalDate(date),
    price: priceMinor,
    restrictions: { minNights, maxNights, closedToArrival, closedToDeparture, closed },
  };
}
