import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { BlockEnding, blockKinds, blockStatuses } from '../model.ts';
import { orNull, type Place, placeOf } from './places.ts';

/** A room that is taken out for some nights `[from, until)`. Only an imported block can be of a type. */
export type Block = Place & {
  readonly id: Id<'rbl'>;
  readonly propertyId: Id<'pro'>;
  readonly kind: (typeof blockKinds)[number];
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly reason: string | null;
  readonly ticketId: Id<'mtk'> | null;
  /** The calendar it came from. */
  readonly feedId: Id<'cfd'> | null;
  readonly status: (typeof blockStatuses)[number];
};

type BlockRow = Omit<Block, 'id' | 'propertyId' | 'roomId' | 'roomTypeId' | 'ticketId' | 'feedId'> & {
  id: string;
  propertyId: string;
  roomId: string | null;
  roomTypeId: string | null;
  ticketId: string | null;
  feedId: string | null;
};

const block = (found: BlockRow): Block => ({
  ...found,
  ...placeOf(found),
  id: idFromUuid('rbl', found.id),
  propertyId: idFromUuid('pro', found.propertyId),
  ticketId: found.ticketId === null ? null : idFromUuid('mtk', found.ticketId),
  feedId: found.feedId === null ? null : idFromUuid('cfd', found.feedId),
});

const columns = sql`id, property_id as "propertyId", room_id as "roomId", room_type_id as "roomTypeId", kind,
                    from_date as "from", until_date as "until", reason, ticket_id as "ticketId", feed_id as "feedId", status`;

/** Writes a block of a room down. */
export async function insertBlock(ctx: Ctx, one: Block): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.blocks
          (tenant_id, id, property_id, room_id, kind, from_date, until_date, reason, ticket_id, status, created_at)
        values (${ctx.tenantId}, ${idToUuid(one.id)}, ${idToUuid(one.propertyId)}, ${orNull(one.roomId)}::uuid, ${one.kind},
                ${one.from}, ${one.until}, ${one.reason}, ${orNull(one.ticketId)}::uuid, ${one.status}, ${ctx.now})`,
  );
}

/** One block, locked: by its id, or by the ticket that asked for it. */
export async function lockBlock(
  ctx: Ctx,
  by: { id: Id<'rbl'> } | { ticketId: Id<'mtk'> },
): Promise<Block | undefined> {
  const which = 'id' in by ? sql`id = ${idToUuid(by.id)}` : sql`ticket_id = ${idToUuid(by.ticketId)}`;
  const found = await row<BlockRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.blocks
        where tenant_id = ${ctx.tenantId}
          and ${which}
        for update`,
  );
  return found && block(found);
}

/** A block begins, or ends for a reason. */
export async function setBlockStatus(
  ctx: Ctx,
  id: Id<'rbl'>,
  status: { status: 'active' } | { status: 'ended'; ending: BlockEnding },
): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.blocks
        set status = ${status.status},
            ending = ${status.status === 'ended' ? status.ending : null}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}`,
  );
}

/** Blocks of a property that are in force or wait, on some of these nights. */
export async function listBlocks(
  { tx, tenantId }: Ctx,
  { propertyId, from, until }: { propertyId: Id<'pro'>; from: LocalDate; until: LocalDate },
): Promise<Block[]> {
  const found = await rows<BlockRow>(
    tx,
    sql`select ${columns}
        from inventory.blocks
        where tenant_id = ${tenantId}
          and property_id = ${idToUuid(propertyId)}
          and status <> 'ended'
          and from_date < ${until}
          and until_date > ${from}
        order by from_date, id`,
  );
  return found.map(block);
}

/** Blocks that wait for their room, by the type it is of, oldest first; rooms that nobody told us of are left out. */
export async function waitingBlocks(ctx: Ctx): Promise<Map<Id<'rty'>, Block[]>> {
  const found = await rows<BlockRow & { typeId: string }>(
    ctx.tx,
    sql`with waiting as (
          select ${columns}
          from inventory.blocks
          where tenant_id = ${ctx.tenantId}
            and status = 'waiting'
          for update skip locked
        )
        select w.*, coalesce(w."roomTypeId", r.room_type_id) as "typeId"
        from waiting w
        left join inventory.rooms r on r.tenant_id = ${ctx.tenantId} and r.id = w."roomId"
        where coalesce(w."roomTypeId", r.room_type_id) is not null
        order by "typeId", w.id`,
  );
  const byType = Map.groupBy(found, ({ typeId }) => idFromUuid('rty', typeId));
  return new Map([...byType].map(([id, blocks]) => [id, blocks.map(({ typeId: _, ...one }) => block(one))]));
}

/** Blocks that waited until their nights were over wait no more; the value is how many. */
export async function lapseBlocks(ctx: Ctx, before: LocalDate): Promise<number> {
  return execute(
    ctx.tx,
    sql`update inventory.blocks
        set status = 'ended',
            ending = 'lapsed'
        where tenant_id = ${ctx.tenantId}
          and status = 'waiting'
          and until_date <= ${before}`,
  );
}
