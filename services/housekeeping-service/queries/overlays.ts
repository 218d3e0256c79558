import { and, asc, eq, ne, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Block, Condition } from '../model/room.ts';
import { overlays } from '../tables.ts';

/** What a ticket says about a room; `ended`: it is closed. */
export type TicketBlock = {
  readonly ticketId: Id<'mtk'>;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'> | null;
  readonly kind: 'none' | Block['kind'];
  readonly days: { readonly from: string; readonly until: string } | null;
  readonly returnCondition: Condition;
  readonly ended: boolean;
};

/** Writes down what a version of a ticket says; false when this or a newer one was heard before. */
export async function saveBlock(ctx: Ctx, block: TicketBlock, version: number): Promise<boolean> {
  const { ticketId, propertyId, roomId, kind, days, returnCondition, ended } = block;
  const touched = await execute(
    ctx.tx,
    sql`insert into housekeeping.overlays as o
          (tenant_id, ticket_id, property_id, room_id, kind, from_date, until_date, return_condition, ended, version)
        values (${ctx.tenantId}, ${idToUuid(ticketId)}, ${idToUuid(propertyId)},
                ${roomId === null ? null : idToUuid(roomId)}::uuid, ${days === null ? 'none' : kind},
                ${days?.from ?? null}::date, ${days?.until ?? null}::date, ${returnCondition}, ${ended}, ${version})
        on conflict (tenant_id, ticket_id) do update
          set kind = case when excluded.ended then o.kind else excluded.kind end,
              from_date = case when excluded.ended then o.from_date else excluded.from_date end,
              until_date = case when excluded.ended then o.until_date else excluded.until_date end,
              ended = excluded.ended,
              version = excluded.version
          where o.version < excluded.version`,
  );
  return touched === 1;
}

/** The rooms of a house that have blocks which are not over. */
export async function blockedRooms({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<Set<Id<'rom'>>> {
  const found = await tx
    .selectDistinct({ roomId: overlays.roomId })
    .from(overlays)
    .where(
      and(
        eq(overlays.propertyId, idToUuid(propertyId)),
        eq(overlays.ended, false),
        ne(overlays.kind, 'none'),
      ),
    );
  return new Set(found.flatMap(({ roomId }) => (roomId === null ? [] : [idFromUuid('rom', roomId)])));
}

/** The blocks of a room that are not over, whether they have begun or not. */
export async function blocksOf({ tx }: Pick<Ctx, 'tx'>, roomId: Id<'rom'>): Promise<Block[]> {
  const found = await tx
    .select()
    .from(overlays)
    .where(and(eq(overlays.roomId, idToUuid(roomId)), eq(overlays.ended, false), ne(overlays.kind, 'none')))
    .orderBy(asc(overlays.fromDate), asc(overlays.ticketId));
  return found.map(({ ticketId, kind, fromDate, untilDate, returnCondition }) => ({
    ticketId: idFromUuid('mtk', ticketId),
    kind: kind as Block['kind'],
    from: fromDate as LocalDate,
    until: untilDate as LocalDate,
    returnCondition,
  }));
}
