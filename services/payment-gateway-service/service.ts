import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Money that moves: intents on every rail, refunds, and cash promised at booking and taken at the desk. */
export const service = defineService({
  name: 'payment-gateway-service',
  schema: 'payment_gateway',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
