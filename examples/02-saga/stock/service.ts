import { defineService } from '@ghasi/backbone/define-service';
import { on } from '@ghasi/backbone/reaction';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { z } from 'zod';
import { OrderCancelled, OrderPlaced, type order } from '../orders/contract.ts';
import { StockRefused, StockReserved } from './contract.ts';

/** The step: takes pieces off the shelf. */
async function reserve(
  ctx: Ctx,
  { orderId, article, pieces }: z.output<typeof order>,
): Promise<PendingEvent[]> {
  const taken = await execute(
    ctx.tx,
    sql`update stock.articles
        set free = free - ${pieces}
        where tenant_id = ${ctx.tenantId} and article = ${article} and free >= ${pieces}`,
  );
  if (taken === 0) return [StockRefused.from({ orderId }, { aggregateVersion: 1 })];
  await execute(
    ctx.tx,
    sql`insert into stock.reserved (tenant_id, order_id, article, pieces)
        values (${ctx.tenantId}, ${orderId}, ${article}, ${pieces})`,
  );
  return [StockReserved.from({ orderId }, { aggregateVersion: 1 })];
}

/** Its compensation, beside it: puts back what was taken, if anything was. */
async function release(ctx: Ctx, { orderId }: { orderId: string }): Promise<'noop' | undefined> {
  const back = await execute(
    ctx.tx,
    sql`with gone as (
          delete from stock.reserved
          where tenant_id = ${ctx.tenantId} and order_id = ${orderId}
          returning article, pieces
        )
        update stock.articles a
        set free = a.free + g.pieces
        from gone g
        where a.tenant_id = ${ctx.tenantId} and a.article = g.article`,
  );
  return back === 0 ? 'noop' : undefined;
}

/** Keeps stock for orders. It knows nothing of sagas. */
export const stock = defineService({
  name: 'stock-service',
  schema: 'stock',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: [StockReserved, StockRefused],
  reacts: [on(OrderPlaced, reserve), on(OrderCancelled, release)],
});
