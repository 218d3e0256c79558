import { defineService } from '@ghasi/backbone/define-service';
import { on } from '@ghasi/backbone/reaction';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every } from '@ghasi/jobs/define-job';
import { z } from 'zod';
import { PaymentTaken } from '../payments/contract.ts';
import { StockRefused, StockReserved } from '../stock/contract.ts';
import { OrderCancelled, OrderConfirmed, OrderPlaced, RefundRequested } from './contract.ts';
import { cancelOverdue, paymentTaken, stockRefused, stockReserved } from './order-saga.ts';

/** Looks for deadlines that have passed, of every tenant. It is the only clock of the saga. */
export const sweepDeadlines = defineJob({
  name: 'orders.sweep-deadlines',
  scope: 'system',
  transaction: 'none',
  input: z.strictObject({}),
  async run(ctx) {
    const overdue = await ctx.transaction(({ tx }) =>
      rows<{ id: TenantId }>(tx, sql`select t as id from orders.tenants_overdue(${ctx.now}) t`),
    );
    for (const { id: tenantId } of overdue) await ctx.transaction(cancelOverdue, { tenantId });
  },
});

/** Takes orders and sees them to an end. */
export const orders = defineService({
  name: 'orders-service',
  schema: 'orders',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: [OrderPlaced, OrderConfirmed, OrderCancelled, RefundRequested],
  reacts: [on(StockReserved, stockReserved), on(StockRefused, stockRefused), on(PaymentTaken, paymentTaken)],
  schedules: [every('5s', sweepDeadlines)],
});
