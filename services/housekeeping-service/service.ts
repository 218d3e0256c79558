import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What state rooms are in, who cleans them, and the supplies that are used up. */
export const service = defineService({
  name: 'housekeeping-service',
  schema: 'housekeeping',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
