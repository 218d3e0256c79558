import { defineService } from '@ghasi/backbone/define-service';
import { OrderPlaced } from './contract.ts';

/** Takes orders. */
export const orders = defineService({
  name: 'orders-service',
  schema: 'orders',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: [OrderPlaced],
});
