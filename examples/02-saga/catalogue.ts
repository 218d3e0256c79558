import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { z } from 'zod';

/** The events of the shop: who may say what. */
export const { defineEvent } = eventCatalogue({
  prefix: 'shop',
  services: { orders: 'orders-service', stock: 'stock-service', payments: 'payments-service' },
});

/** What every fact about an order begins with. */
export const aboutOrder = {
  retention: 'warm',
  payload: z.strictObject({ orderId: z.string().min(1) }),
  aggregateId: (p: { orderId: string }) => p.orderId,
} as const;
