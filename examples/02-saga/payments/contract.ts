import { aboutOrder, defineEvent } from '../catalogue.ts';

/** Somebody paid for an order. */
export const PaymentTaken = defineEvent({
  ...aboutOrder,
  subject: 'shop.payments.payment.taken.v1',
  summary: 'an order was paid for',
  idempotencyKey: p => `${p.orderId}:taken`,
});
