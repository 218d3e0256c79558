import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { sql } from 'drizzle-orm';
import type { BlockKind, blockStatuses } from '../model.ts';

/** A room out of order or out of service for some nights `[from, until)`. */
export type Block = {
  /** A bare uuid. */
  readonly id: string;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'>;
  readonly kind: BlockKind;
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly reason: string | null;
  readonly ticketId: Id<'mtk'> | null;
  readonly status: (typeof blockStatuses)[number];
};

type BlockRow = Omit<Block, 'propertyId' | 'roomId' | 'ticketId'> & {
  propertyId: string;
  roomId: string;
  ticketId: string | null;
};

const block = (found: BlockRow): Block => ({
  ...found,
  propertyId: idFromUuid('pro', found.propertyId),
  roomId: idFromUuid('rom', found.roomId),
  ticketId: found.ticketId === null ? null : idFromUuid('mtk', found.ticketId),
});

const columns = sql`id, property_id as "propertyId", room_id as "roomId", kind, from_date as "from", until_date as "until",
                    reason, ticket_id as "ticketId", status`;

/** Writes a block down. */
export async function insertBlock(ctx: Ctx, one: Block): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.blocks
          (tenant_id, id, property_id, room_id, kind, from_date, until_date, reason, ticket_id, status, created_at)
        values (${ctx.tenantId}, ${one.id}, ${idToUuid(one.propertyId)}, ${idToUuid(one.roomId)}, ${one.kind}, ${one.from},
                ${one.until}, ${one.reason}, ${one.ticketId === null ? null : idToUuid(one.ticketId)}::uuid, ${one.status},
                ${ctx.now})`,
  );
}

/** One block, locked: by its id, or by the ticket that asked for it. */
export async function lockBlock(
  ctx: Ctx,
  by: { id: string } | { ticketId: Id<'mtk'> },
): Promise<Block | undefined> {
  const which = 'id' in by ? sql`id = ${by.id}` : sql`ticket_id = ${idToUuid(by.ticketId)}`;
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

/** A block begins or ends. */
export async function setBlockStatus(ctx: Ctx, id: string, status: Block['status']): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.blocks
        set status = ${status}
        where tenant_id = ${ctx.tenantId}
          and id = ${id}`,
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

/** Blocks that wait for their room, oldest first. */
export async function waitingBlocks(ctx: Ctx): Promise<Block[]> {
  const found = await rows<BlockRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.blocks
        where tenant_id = ${ctx.tenantId}
          and status = 'waiting'
        order by id
        for update skip locked`,
  );
  return found.map(block);
}
