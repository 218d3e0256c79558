import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What the meta-search for travellers talks to; it publishes nothing. */
export const service = defineService({
  name: 'bff-consumer-service',
  schema: 'bff_consumer',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
