import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Reports on paper and in spreadsheets. */
export const service = defineService({
  name: 'reporting-service',
  schema: 'reporting',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
