import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Files and whether they are safe to open. */
export const service = defineService({
  name: 'file-storage-service',
  schema: 'file_storage',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
