import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Rate plans, their calendars, quotes and price differences. */
export const service = defineService({
  name: 'pricing-service',
  schema: 'pricing',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
