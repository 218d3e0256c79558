import { defineService } from '@ghasi/backbone/define-service';
import { on } from '@ghasi/backbone/reaction';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { RefundRequested } from '../orders/contract.ts';
import { PaymentTaken } from './contract.ts';

type OfOrder = { orderId: string };

/** The customer pays, whenever he likes. */
export async function takePayment(ctx: Ctx, { orderId }: OfOrder): Promise<Accepted<undefined>> {
  await execute(
    ctx.tx,
    sql`insert into payments.payments (tenant_id, order_id, state) values (${ctx.tenantId}, ${orderId}, 'taken')`,
  );
  return accepted(undefined, [PaymentTaken.from({ orderId }, { aggregateVersion: 1 })]);
}

/** Its compensation. */
async function refund(ctx: Ctx, { orderId }: OfOrder): Promise<'noop' | undefined> {
  const changed = await execute(
    ctx.tx,
    sql`update payments.payments
        set state = 'refunded'
        where tenant_id = ${ctx.tenantId} and order_id = ${orderId} and state = 'taken'`,
  );
  return changed === 0 ? 'noop' : undefined;
}

/** Takes money and gives it back. */
export const payments = defineService({
  name: 'payments-service',
  schema: 'payments',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: [PaymentTaken],
  reacts: [on(RefundRequested, refund)],
});
