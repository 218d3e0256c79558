import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Work orders: what is broken, which room it blocks, what the repair cost. */
export const service = defineService({
  name: 'maintenance-service',
  schema: 'maintenance',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
