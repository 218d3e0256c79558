import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Days } from '../projection/handler.ts';
import { begin, changed } from './ingest.ts';

type Room = { readonly roomId: string; readonly propertyId: string; readonly roomTypeId: string };

/** One more room, or one less, from a night on. Each event writes its own column, so either may come first. */
export function hearOfRoom(
  ctx: Ctx,
  room: Room & { sellableFrom: LocalDate | null; closedFrom: LocalDate | null },
): void {
  const { roomId, propertyId, roomTypeId, sellableFrom, closedFrom } = room;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.rooms as r (tenant_id, id, property_id, room_type_id, sellable_from, closed_from)
          values (${ctx.tenantId}, ${roomId}, ${propertyId}, ${roomTypeId}, ${sellableFrom}, ${closedFrom})
          on conflict (tenant_id, id) do update
          set sellable_from = coalesce(r.sellable_from, excluded.sellable_from),
              closed_from = coalesce(r.closed_from, excluded.closed_from)`,
    ),
  );
  changed(ctx, {
    propertyId,
    topic: 'room',
    days: [{ from: sellableFrom ?? closedFrom, until: null }],
  });
}

/** Nights a room is out of order on; null: none. */
export type OutOfOrder = { readonly from: LocalDate; readonly until: LocalDate } | null;

/** A repair began or ended. Only one that takes its room out of order changes the base (R11). */
export async function hearOfTicket(
  ctx: Ctx,
  ticket: {
    ticketId: string;
    version: number;
    kind: 'opened' | 'closed';
    propertyId: string;
    roomId: string | null;
    out: OutOfOrder;
    at: string;
  },
): Promise<void> {
  const { ticketId, version, kind, propertyId, roomId, out, at } = ticket;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.tickets (tenant_id, id, version, kind, property_id, room_id, out_from, out_until, at)
          values (${ctx.tenantId}, ${ticketId}, ${version}, ${kind}, ${propertyId}, ${roomId}, ${out?.from ?? null},
                  ${out?.until ?? null}, ${at})
          on conflict (tenant_id, id, version, kind) do nothing`,
    ),
  );
  changed(ctx, { propertyId, topic: 'room', days: await nightsOf(ctx, ticketId) });
}

/** A closing frees nights of its openings, whichever was heard of first. */
async function nightsOf(ctx: Ctx, ticketId: string): Promise<Days[]> {
  return rows<Days>(
    ctx.tx,
    sql`select out_from as "from", out_until as until
        from analytics.tickets
        where tenant_id = ${ctx.tenantId} and id = ${ticketId} and out_from is not null`,
  );
}

/** The state of a room changed. The last word of a hotel day holds until the next (R26). */
export function hearOfStatus(
  ctx: Ctx,
  status: {
    roomId: string;
    propertyId: string;
    version: number;
    businessDate: LocalDate;
    before: OutOfOrder;
    out: OutOfOrder;
  },
): void {
  const { roomId, propertyId, version, businessDate, before, out } = status;
  begin(ctx);
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into analytics.room_statuses as s
            (tenant_id, room_id, business_date, property_id, version, out_from, out_until)
          values (${ctx.tenantId}, ${roomId}, ${businessDate}, ${propertyId}, ${version}, ${out?.from ?? null},
                  ${out?.until ?? null})
          on conflict (tenant_id, room_id, business_date) do update
          set version = excluded.version, out_from = excluded.out_from, out_until = excluded.out_until
          where s.version < excluded.version`,
    ),
  );
  const days = [before, out].filter(nights => nights !== null);
  if (days.length > 0) changed(ctx, { propertyId, topic: 'room', days });
}
