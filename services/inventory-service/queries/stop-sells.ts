import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { stopSellEndings, stopSellReasons } from '../contract.ts';

/** Nights `[from, until)` on which a room type is not sold. */
export type StopSell = {
  readonly id: Id<'sps'>;
  readonly propertyId: Id<'pro'>;
  readonly roomTypeId: Id<'rty'>;
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly reason: (typeof stopSellReasons)[number];
  /** Null: in force. */
  readonly ending: (typeof stopSellEndings)[number] | null;
  readonly version: number;
};

type StopSellRow = Omit<StopSell, 'id' | 'propertyId' | 'roomTypeId'> & {
  id: string;
  propertyId: string;
  roomTypeId: string;
};

const stopSell = (found: StopSellRow): StopSell => ({
  ...found,
  id: idFromUuid('sps', found.id),
  propertyId: idFromUuid('pro', found.propertyId),
  roomTypeId: idFromUuid('rty', found.roomTypeId),
});

const columns = sql`id, property_id as "propertyId", room_type_id as "roomTypeId", from_date as "from",
                    until_date as "until", reason, ending, version`;

/** Writes a stop-sell down. */
export async function insertStopSell(ctx: Ctx, one: StopSell): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.stop_sells
          (tenant_id, id, property_id, room_type_id, from_date, until_date, reason, version, created_at)
        values (${ctx.tenantId}, ${idToUuid(one.id)}, ${idToUuid(one.propertyId)}, ${idToUuid(one.roomTypeId)},
                ${one.from}, ${one.until}, ${one.reason}, ${one.version}, ${ctx.now})`,
  );
}

/** One stop-sell, locked. */
export async function lockStopSell(ctx: Ctx, id: Id<'sps'>): Promise<StopSell | undefined> {
  const found = await row<StopSellRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.stop_sells
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}
        for update`,
  );
  return found && stopSell(found);
}

/** A stop-sell is over. */
export async function endStopSell(ctx: Ctx, { id, ending, version }: StopSell): Promise<void> {
  await execute(
    ctx.tx,
    sql`update inventory.stop_sells
        set ending = ${ending},
            version = ${version}
        where tenant_id = ${ctx.tenantId}
          and id = ${idToUuid(id)}`,
  );
}

/** Stop-sells in force on some of these nights. */
export async function listStopSells(
  { tx, tenantId }: Ctx,
  { propertyId, from, until }: { propertyId: Id<'pro'>; from: LocalDate; until: LocalDate },
): Promise<StopSell[]> {
  const found = await rows<StopSellRow>(
    tx,
    sql`select ${columns}
        from inventory.stop_sells
        where tenant_id = ${tenantId}
          and property_id = ${idToUuid(propertyId)}
          and ending is null
          and from_date < ${until}
          and until_date > ${from}
        order by from_date, id`,
  );
  return found.map(stopSell);
}

/** Stop-sells in force whose last night is over. */
export async function lapsedStopSells(ctx: Ctx, today: LocalDate): Promise<StopSell[]> {
  const found = await rows<StopSellRow>(
    ctx.tx,
    sql`select ${columns}
        from inventory.stop_sells
        where tenant_id = ${ctx.tenantId}
          and ending is null
          and until_date <= ${today}
        order by id
        limit 100
        for update skip locked`,
  );
  return found.map(stopSell);
}
