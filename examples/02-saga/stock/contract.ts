import { aboutOrder, defineEvent } from '../catalogue.ts';

/** An order has its pieces. */
export const StockReserved = defineEvent({
  ...aboutOrder,
  subject: 'shop.stock.stock.reserved.v1',
  summary: 'stock was set aside for an order',
  idempotencyKey: p => `${p.orderId}:reserved`,
});

/** There are not enough. */
export const StockRefused = defineEvent({
  ...aboutOrder,
  subject: 'shop.stock.stock.refused.v1',
  summary: 'there is not enough stock for an order',
  idempotencyKey: p => `${p.orderId}:refused`,
});
