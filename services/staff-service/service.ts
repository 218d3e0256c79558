import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Who is at work, from clock-in to clock-out. */
export const service = defineService({
  name: 'staff-service',
  schema: 'staff',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
