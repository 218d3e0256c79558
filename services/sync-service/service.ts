import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What each device has seen, and what it changed while it was away. */
export const service = defineService({
  name: 'sync-service',
  schema: 'sync',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
