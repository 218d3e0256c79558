import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** How many rooms of a type are free on a night, and who has them. */
export const service = defineService({
  name: 'inventory-service',
  schema: 'inventory',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { instances: 10, concurrency: 4, order: 'required' }, // ORD-06: allocations of a room one after the other
});
