import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { z } from 'zod';
import type { order } from '../orders/contract.ts';

/** Adds an order's pieces to what is reserved. Twice would be wrong, and the inbox sees to it that it happens once. */
export async function reserveStock(ctx: Ctx, { article, pieces }: z.output<typeof order>) {
  await execute(
    ctx.tx,
    sql`insert into stock.reserved (tenant_id, article, pieces)
        values (${ctx.tenantId}, ${article}, ${pieces})
        on conflict (tenant_id, article) do update set pieces = reserved.pieces + excluded.pieces`,
  );
}
