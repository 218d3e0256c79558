import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { z } from 'zod';

const { defineEvent } = eventCatalogue({
  prefix: 'shop',
  services: { orders: 'orders-service', stock: 'stock-service' },
});

/** What is ordered. */
export const order = z.strictObject({
  orderId: z.string().min(1),
  article: z.string().min(1),
  pieces: z.int().positive(),
});

/** An order was placed. */
export const OrderPlaced = defineEvent({
  subject: 'shop.orders.order.placed.v1',
  summary: 'an order was placed',
  retention: 'warm',
  payload: order,
  aggregateId: ({ orderId }) => orderId,
  idempotencyKey: ({ orderId }) => `${orderId}:placed`,
});
