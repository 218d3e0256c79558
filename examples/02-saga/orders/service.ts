import { defineService } from '@ghasi/backbone/define-service';
import { on } from '@ghasi/backbone/reaction';
import { sql } from '@ghasi/db/drizzle';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { every } from '@ghasi/jobs/define-job';
import { defineSweep } from '@ghasi/jobs/define-sweep';
import { PaymentTaken } from '../payments/contract.ts';
import { StockRefused, StockReserved } from '../stock/contract.ts';
import { OrderCancelled, OrderConfirmed, OrderPlaced, RefundRequested } from './contract.ts';
import { cancelOverdue, paymentTaken, stockRefused, stockReserved } from './order-saga.ts';

/** Looks for deadlines that have passed, of every tenant. It is the only clock of the saga. */
export const sweepDeadlines = defineSweep<{ tenantId: TenantId }>({
  name: 'orders.sweep-deadlines',
  most: 200,
  due: (now, most) => sql`select t as "tenantId" from orders.tenants_overdue(${now}) t limit ${most}`,
  each: cancelOverdue,
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
