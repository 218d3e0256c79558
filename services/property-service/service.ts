import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** The house itself: properties, room types, rooms, amenities, and what sensors in rooms measure. */
export const service = defineService({
  name: 'property-service',
  schema: 'property',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
