import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { everything } from '../projection/handler.ts';
import { begin, changed } from './ingest.ts';

/** A house joined: its zone and its first hotel day decide which day a moment belongs to. */
export function hearOfHouse(
  ctx: Ctx,
  house: { propertyId: string; zone: string; currency: string; openedOn: LocalDate; at: string },
): void {
  const { propertyId, zone, currency, openedOn, at } = house;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.properties (tenant_id, id, zone, currency, opened_on)
          values (${ctx.tenantId}, ${propertyId}, ${zone}, ${currency}, ${openedOn})
          on conflict (tenant_id, id) do nothing`,
    ),
  );
  beginDay(ctx, { propertyId, date: openedOn, at });
  changed(ctx, { propertyId, topic: 'house', days: [everything] });
}

/**
 * R1: a hotel day was closed and the next one began. Moments since then belong to the new day and no longer to the one that
 * had begun before, and there is one more day ahead to count rooms for: all of that is looked at again.
 */
export function hearOfDay(
  ctx: Ctx,
  day: { propertyId: string; closedDate: LocalDate; businessDate: LocalDate; at: string },
): void {
  const { propertyId, closedDate, businessDate, at } = day;
  begin(ctx);
  beginDay(ctx, { propertyId, date: businessDate, at });
  const before = new Date(Date.parse(at) - 1);
  const calendar = addDays(localDateIn(parseZone('UTC'), before), -1);
  const days = [
    { from: closedDate < calendar ? closedDate : calendar, until: null },
    { from: null, until: null, at: before },
  ];
  changed(ctx, { propertyId, topic: 'day', days });
}

function beginDay(
  ctx: Ctx,
  { propertyId, date, at }: { propertyId: string; date: LocalDate; at: string },
): void {
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.business_days as d (tenant_id, property_id, date, began_at)
          values (${ctx.tenantId}, ${propertyId}, ${date}, ${at})
          on conflict (tenant_id, property_id, date) do update
          set began_at = least(d.began_at, excluded.began_at)`,
    ),
  );
}

/** What a folio line is for; a reversal counts as what it takes back. */
export type Charge = {
  readonly lineId: string;
  readonly propertyId: string;
  readonly businessDate: LocalDate;
  readonly kind: 'room_night' | 'date_change' | 'consumption' | 'fee' | 'service' | 'reversal';
  readonly reverses: string | null;
  readonly currency: string;
  readonly net: string;
  readonly gross: string;
};

/** A line landed on a folio. One that was heard of after its reversal decides what that one counts as. */
export async function hearOfCharge(ctx: Ctx, charge: Charge): Promise<void> {
  const { lineId, propertyId, businessDate, kind, reverses, currency, net, gross } = charge;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.charges (tenant_id, id, property_id, business_date, kind, reverses, currency, net, gross)
          values (${ctx.tenantId}, ${lineId}, ${propertyId}, ${businessDate}, ${kind}, ${reverses}, ${currency}, ${net},
                  ${gross})
          on conflict (tenant_id, id) do nothing`,
    ),
  );
  const reversals = await rows<{ date: LocalDate }>(
    ctx.tx,
    sql`select distinct business_date as date
        from analytics.charges
        where tenant_id = ${ctx.tenantId} and reverses = ${lineId}`,
  );
  const days = [businessDate, ...reversals.map(({ date }) => date)].map(oneDay);
  changed(ctx, { propertyId, topic: 'charge', days });
}

/** A task of housekeeping is off the list. */
export function hearOfTask(
  ctx: Ctx,
  task: { taskId: string; propertyId: string; businessDate: LocalDate; outcome: string },
): void {
  const { taskId, propertyId, businessDate, outcome } = task;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.tasks (tenant_id, id, property_id, business_date, outcome)
          values (${ctx.tenantId}, ${taskId}, ${propertyId}, ${businessDate}, ${outcome})
          on conflict (tenant_id, id) do nothing`,
    ),
  );
  changed(ctx, { propertyId, topic: 'task', days: [oneDay(businessDate)] });
}

const oneDay = (date: LocalDate) => ({ from: date, until: addDays(date, 1) });
