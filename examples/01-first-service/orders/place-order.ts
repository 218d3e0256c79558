import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { z } from 'zod';
import { OrderPlaced, type order } from './contract.ts';

/** Places an order. The row and the event commit together, or neither does. */
export async function placeOrder(ctx: Ctx, wanted: z.output<typeof order>) {
  const { orderId, article, pieces } = wanted;
  await execute(
    ctx.tx,
    sql`insert into orders.orders (tenant_id, order_id, article, pieces)
        values (${ctx.tenantId}, ${orderId}, ${article}, ${pieces})`,
  );
  return accepted(orderId, [OrderPlaced.from(wanted, { aggregateVersion: 1 })]);
}
