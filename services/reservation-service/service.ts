import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Bookings from hold to check-out, and the sagas that join the other contexts. */
export const service = defineService({
  name: 'reservation-service',
  schema: 'reservation',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
