import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What we write to guests and staff, and whether it arrived. */
export const service = defineService({
  name: 'notification-service',
  schema: 'notification',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { instances: 50, concurrency: 20, order: 'any' }, // ORD-09: one message does not wait for another
});
