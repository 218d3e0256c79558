import { type Accepted, accepted } from '@ghasi/db/accepted';
import { type SQL, sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { minutes, seconds } from '@ghasi/domain-primitives/duration';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { z } from 'zod';
import { OrderCancelled, OrderConfirmed, OrderPlaced, type order, RefundRequested } from './contract.ts';

/** Stock has so long to answer, and then the customer so long to pay. */
export const STOCK_MS = seconds(30);
export const PAYMENT_MS = minutes(10);

type Signal = { readonly orderId: string };
type Told = Promise<PendingEvent[] | 'noop'>;
const after = ({ now }: Ctx, ms: number) => new Date(now.getTime() + ms);

/** The saga begins: a row with a deadline, and the event that asks for stock. Both commit, or neither does. */
export async function placeOrder(ctx: Ctx, wanted: z.output<typeof order>): Promise<Accepted<string>> {
  const { orderId, article, pieces } = wanted;
  await execute(
    ctx.tx,
    sql`insert into orders.orders (tenant_id, order_id, article, pieces, state, deadline_at)
        values (${ctx.tenantId}, ${orderId}, ${article}, ${pieces}, 'open', ${after(ctx, STOCK_MS)})`,
  );
  return accepted(orderId, [OrderPlaced.from(wanted, { aggregateVersion: 1 })]);
}

/** Signal: there is stock. */
export function stockReserved(ctx: Ctx, { orderId }: Signal): Told {
  return arrived(ctx, orderId, 'has_stock');
}

/** Signal: there is none. */
export async function stockRefused(ctx: Ctx, { orderId }: Signal): Told {
  const events = await cancel(ctx, sql`order_id = ${orderId}`, 'no_stock');
  return events.length === 0 ? 'noop' : events;
}

/** Signal: money. For an order that was given up it came too late, and goes back. */
export async function paymentTaken(ctx: Ctx, { orderId }: Signal): Told {
  const events = await arrived(ctx, orderId, 'is_paid');
  if (events !== 'noop') return events;
  const late = await row<{ version: number }>(
    ctx.tx,
    sql`select version from orders.orders
        where tenant_id = ${ctx.tenantId} and order_id = ${orderId} and state = 'cancelled'`,
  );
  return late === undefined
    ? 'noop'
    : [RefundRequested.from({ orderId }, { aggregateVersion: late.version })];
}

/** Deadlines that have passed: orders that still wait are given up. Safe to run at any time, any number of times. */
export async function cancelOverdue(ctx: Ctx): Promise<Accepted<number>> {
  const events = await cancel(ctx, sql`deadline_at <= ${ctx.now}`, 'too_late');
  return accepted(events.length, events);
}

/**
 * Something came that an open order waits for. It is remembered in the row, so the order in which things come does not
 * matter: if the other thing was there before, this one completes it. What comes twice, or to an order that is over, finds
 * no row to change.
 */
async function arrived(ctx: Ctx, orderId: string, what: 'has_stock' | 'is_paid'): Told {
  const flag = sql.identifier(what);
  const found = await row<{ state: 'open' | 'confirmed'; version: number }>(
    ctx.tx,
    sql`update orders.orders
        set ${flag} = true,
            state = case when has_stock or is_paid then 'confirmed' else 'open' end,
            deadline_at = case when has_stock or is_paid then null else ${after(ctx, PAYMENT_MS)}::timestamptz end,
            version = version + 1
        where tenant_id = ${ctx.tenantId} and order_id = ${orderId} and state = 'open' and not ${flag}
        returning state, version`,
  );
  if (found === undefined) return 'noop';
  return found.state === 'open'
    ? []
    : [OrderConfirmed.from({ orderId }, { aggregateVersion: found.version })];
}

/** Ends open orders otherwise. The statement decides who comes first, a signal or the deadline: the other finds nothing. */
async function cancel(ctx: Ctx, which: SQL, reason: 'no_stock' | 'too_late'): Promise<PendingEvent[]> {
  const over = await rows<{ orderId: string; isPaid: boolean; version: number }>(
    ctx.tx,
    sql`update orders.orders
        set state = 'cancelled', deadline_at = null, version = version + 1
        where tenant_id = ${ctx.tenantId} and state = 'open' and ${which}
        returning order_id as "orderId", is_paid as "isPaid", version`,
  );
  return over.flatMap(({ orderId, isPaid, version }) => [
    OrderCancelled.from({ orderId, reason }, { aggregateVersion: version }),
    ...(isPaid ? [RefundRequested.from({ orderId }, { aggregateVersion: version })] : []),
  ]);
}
