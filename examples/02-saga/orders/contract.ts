import { z } from 'zod';
import { aboutOrder, defineEvent } from '../catalogue.ts';

const { orderId } = aboutOrder.payload.shape;

/** What is ordered. */
export const order = z.strictObject({ orderId, article: z.string().min(1), pieces: z.int().positive() });

/** The saga began: stock is asked for. */
export const OrderPlaced = defineEvent({
  ...aboutOrder,
  subject: 'shop.orders.order.placed.v1',
  summary: 'an order was placed',
  payload: order,
  idempotencyKey: p => `${p.orderId}:placed`,
});

/** It ended well. */
export const OrderConfirmed = defineEvent({
  ...aboutOrder,
  subject: 'shop.orders.order.confirmed.v1',
  summary: 'an order has its stock and its money',
  idempotencyKey: p => `${p.orderId}:confirmed`,
});

/** It ended otherwise: whoever did something for it takes it back. */
export const OrderCancelled = defineEvent({
  ...aboutOrder,
  subject: 'shop.orders.order.cancelled.v1',
  summary: 'an order was given up',
  payload: z.strictObject({ orderId, reason: z.enum(['no_stock', 'too_late']) }),
  idempotencyKey: p => `${p.orderId}:cancelled`,
});

/** There is money for an order that was given up. */
export const RefundRequested = defineEvent({
  ...aboutOrder,
  subject: 'shop.orders.refund.requested.v1',
  summary: 'the money of an order that was given up goes back',
  idempotencyKey: p => `${p.orderId}:refund`,
});
