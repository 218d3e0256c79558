import { defineService } from '@ghasi/backbone/define-service';
import { on } from '@ghasi/backbone/reaction';
import { OrderPlaced } from '../orders/contract.ts';
import { reserveStock } from './reserve-stock.ts';

/** Keeps stock for orders. */
export const stock = defineService({
  name: 'stock-service',
  schema: 'stock',
  migrations: new URL('./migrations/', import.meta.url),
  reacts: [on(OrderPlaced, reserveStock)],
});
